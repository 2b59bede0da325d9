/**
 * Embedding the gateway: settings in, a Layer out.
 *
 * ```ts
 * const settings = yield* loadSettings({ file: "gateway.yaml", vendors: knownVendors, environment: process.env })
 * yield* Layer.launch(layer(settings))
 * ```
 *
 * With a service of your own, here a `RateLimiter`:
 *
 * ```ts
 * yield* Layer.launch(layerOpen(settings).pipe(Layer.provide(myRateLimiter), Layer.provide(defaults(settings))))
 * ```
 */

// Composition
export { defaults, type DefaultsError, type Foundation, handlerOpen, layer, layerOpen, type Ports } from "./Server.ts"
export { GatewayHandler } from "./http/server/GatewayHandler.ts"
export { loadSettings } from "./config/LoadSettings.ts"
export { parseSettings } from "./config/ParseSettings.ts"
export { ConfigInvalid, type Problem } from "./config/Problem.ts"
export type { Settings } from "./core/domain/Settings.ts"
export { CannotListen, HttpServer } from "./http/server/HttpServer.ts"
export { StoreLocked, type StoreOpenError, StoreTooNew, StoreUnusable } from "./storage/records/OpenErrors.ts"
export { ModelFileInvalid } from "./classifier/model/ModelFile.ts"

// One request from start to end
export { Gateway } from "./core/call/Gateway.ts"
export type { Answer, CallInput, GatewayError } from "./core/call/CallInput.ts"
export type { CallRequest, RoutedRequest } from "./core/operations/CallRequest.ts"
export type { Operation, OperationStream } from "./core/operations/Operation.ts"
export type { OperationName } from "./core/domain/OperationName.ts"
export { ReceiptEvents } from "./core/receipts/ReceiptEvents.ts"
export type { Receipt, ReceiptAttempt } from "./core/receipts/Receipt.ts"

// RateLimiter
export { type Allowances, RateLimiter } from "./core/limits/RateLimiter.ts"
export type { Permit } from "./core/limits/Admitted.ts"

// SpendLedger
export { type BudgetState, SpendLedger } from "./core/ledger/SpendLedger.ts"
export type { Counts, Ended, Ending, Intent, Outcome, Reservation } from "./core/ledger/Reservation.ts"
export type { SpendDimension, SpendQuery, SpendRow } from "./core/ledger/Spend.ts"
export { LedgerJournal } from "./core/ledger/LedgerJournal.ts"
export type { Budget, Limits } from "./core/domain/Budget.ts"
export { nanoToUsd, type NanoUsd, usdToNano } from "./core/domain/Money.ts"
export { noUsage, type Usage, type UsageClass } from "./core/domain/Usage.ts"

// KeyStore
export { type Issued, type KeyChange, KeyStore } from "./core/keys/KeyStore.ts"
export type { NewKey } from "./core/keys/NewKey.ts"
export type { Caller, Team } from "./core/keys/Caller.ts"
export {
  type Budgeted,
  type ChangeNotice,
  type IdPage,
  type KeyFilter,
  type KeyName,
  type KeyRecord,
  KeyRepository,
  type SecretHash,
  type StoredKey,
  type TeamFilter,
  type TeamRecord,
  type TeamWithKeys
} from "./core/keys/KeyRepository.ts"
export { AuditRepository, type NewAuditEntry, type NoteOf } from "./core/domain/AuditRepository.ts"
export type { Actor } from "./core/domain/Actor.ts"
export { CurrentPrincipal, type Principal, type Visibility } from "./core/domain/Principal.ts"

// Router
export { Router, type Stranger } from "./core/routing/Router.ts"
export type { Decision, Hints } from "./core/routing/Decision.ts"
export type { Explanation } from "./core/routing/RouteExplanation.ts"
export type { ModelEntry } from "./core/routing/ModelNames.ts"
export type { RoutingError } from "./core/routing/RoutingError.ts"
export { type Assessment, Classifier, type Demand } from "./core/routing/Classifier.ts"
export { Fleet, FleetInForce } from "./core/domain/Fleet.ts"
export type { Deployment } from "./core/domain/Deployment.ts"

// ProviderPool
export {
  type Completion,
  type CompletionStream,
  type DeploymentHealth,
  type DeploymentStatus,
  type ProviderCalls,
  ProviderPool,
  type Rotation
} from "./core/pool/ProviderPool.ts"
export { RotationRepository } from "./core/pool/RotationRepository.ts"
export {
  type OpenResponse,
  Transport,
  TransportFailure,
  type UpstreamLoad,
  type UpstreamRequest,
  type WholeResponse
} from "./core/pool/Transport.ts"
export type { LiftedAnswer, StreamEvent } from "./core/operations/LiftedAnswer.ts"

// Vendors, protocols and bridges of your own
export {
  type MoreProviders,
  ProviderRegistry,
  type Registry,
  registryOf
} from "./providers/catalogue/ProviderRegistry.ts"
export { knownVendors } from "./providers/vendors/Vendors.ts"
export type { Vendor } from "./core/pool/Vendor.ts"
export type { Dialect, Protocol, StreamLifter, UpstreamCall, WireRequest } from "./core/pool/Protocol.ts"
export type { FrameDecoder, Framing, WireEvent } from "./core/pool/Framing.ts"
export { type Auth, AuthFailed, type AuthHeaders, type ReadyAuth } from "./core/pool/Auth.ts"
export type { Bridge } from "./providers/bridges/Bridge.ts"

// What the store remembers
export type { Repositories } from "./storage/Repositories.ts"
export { AlertMarks } from "./core/admin/AlertMarks.ts"
export { KeptResponses } from "./core/kept/KeptResponses.ts"
export { Nodes } from "./core/admin/Nodes.ts"
export { ReceiptArchive } from "./core/receipts/ReceiptArchive.ts"
export { ResponseRepository } from "./core/responses/ResponseRepository.ts"
export { SessionRepository } from "./core/admin/SessionRepository.ts"
export { StoreHealth } from "./core/domain/StoreHealth.ts"
export { TrafficRepository } from "./core/admin/TrafficRepository.ts"

// Errors
export * from "./core/domain/Errors.ts"
export { type FailureClass, ProviderFailure, Unsupported } from "./core/domain/Failures.ts"
