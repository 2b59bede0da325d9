/**
 * Embedding the gateway: settings in, a Layer out.
 *
 * ```ts
 * const settings = yield* loadSettings({ file: "gateway.yaml", vendors: knownVendors, environment: process.env })
 * yield* Layer.launch(layer(settings))
 * ```
 */
export { loadSettings } from "./config/LoadSettings.ts"
export { parseSettings } from "./config/ParseSettings.ts"
export type { Settings } from "./core/domain/Settings.ts"
export { Gateway } from "./core/call/Gateway.ts"
export { KeyStore } from "./core/keys/KeyStore.ts"
export { ProviderPool } from "./core/pool/ProviderPool.ts"
export { RateLimiter } from "./core/limits/RateLimiter.ts"
export { Router } from "./core/routing/Router.ts"
export { SpendLedger } from "./core/ledger/SpendLedger.ts"
export { HttpServer } from "./http/server/HttpServer.ts"
export { knownVendors } from "./providers/vendors/Vendors.ts"
export { layer } from "./Server.ts"
