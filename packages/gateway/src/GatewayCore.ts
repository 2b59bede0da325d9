/** The gateway without HTTP. It needs a store, a transport and a fleet. */
import { Effect, Layer } from "effect"
import { Gateway } from "./core/call/Gateway.ts"
import { isWildcard } from "./core/domain/Deployment.ts"
import { Fleet } from "./core/domain/Fleet.ts"
import { Idempotency } from "./core/kept/Idempotency.ts"
import { EndUsers } from "./core/keys/EndUsers.ts"
import { KeyStore } from "./core/keys/KeyStore.ts"
import { keepReceipts } from "./core/receipts/ReceiptArchive.ts"
import { LiveReceipts } from "./core/receipts/LiveReceipts.ts"
import { ResponseStore } from "./core/responses/ResponseStore.ts"
import { RateLimiter } from "./core/limits/RateLimiter.ts"
import { Refusals } from "./core/receipts/Refusals.ts"
import { ReceiptEvents } from "./core/receipts/ReceiptEvents.ts"
import type { Settings } from "./core/domain/Settings.ts"
import { SpendLedger } from "./core/ledger/SpendLedger.ts"
import { Traffic } from "./core/admin/Traffic.ts"
import { Generations } from "./Generations.ts"
import { resolveDeployments, resolveWildcards } from "./providers/catalogue/ResolveDeployments.ts"
import { layeredCatalogue } from "./providers/catalogue/facts/Layers.ts"
import { ProviderRegistry, type Registry } from "./providers/catalogue/ProviderRegistry.ts"
import * as PromptFeaturesLayer from "./classifier/PromptFeaturesLayer.ts"
import * as HttpWebhookSender from "./providers/transport/HttpWebhookSender.ts"
import * as RemoteImages from "./providers/media/RemoteContents.ts"

/** What uses the five services. They are requirements: provide `rules`, or your own services. */
export const openCore = Refusals.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(keepReceipts, Traffic.layer, LiveReceipts.layer)),
  Layer.provideMerge(Gateway.layer),
  Layer.provideMerge(Layer.mergeAll(ReceiptEvents.layer, ResponseStore.layer, Idempotency.layer, EndUsers.layer)),
  Layer.provide(Layer.merge(RemoteImages.layer, HttpWebhookSender.layer)),
  Layer.provide(PromptFeaturesLayer.layer)
)

/** The five services, fresh: an embedder's `KeyStore.layer` over its own repository would else be the one built here. */
export const rules = Layer.fresh(
  Layer.mergeAll(RateLimiter.layerMemory, SpendLedger.layer, KeyStore.layer, Generations.layer)
)

export const gatewayCore = Layer.provideMerge(openCore, rules)

type FleetSettings = Pick<
  Settings,
  "providers" | "deployments" | "models" | "aliasRules" | "router" | "failover" | "guardrails" | "cache" | "catalogue"
>

/** What the configuration says of deployments and routes. */
export const fleetOf = (settings: FleetSettings, vendors: Registry["vendors"]): Fleet["Service"] => {
  const catalogue = layeredCatalogue(settings.catalogue)
  const deployments = resolveDeployments(settings, vendors, catalogue)
  const wildcards = deployments.filter(isWildcard)
  return {
    deployments,
    aliases: settings.models,
    ...(settings.aliasRules === undefined ? {} : { aliasRules: settings.aliasRules }),
    ...(wildcards.length === 0 ? {} : { wildcards: resolveWildcards(settings, wildcards, vendors, catalogue) }),
    router: settings.router,
    failover: settings.failover,
    guardrails: settings.guardrails,
    cache: settings.cache
  }
}

export const fleet = (settings: FleetSettings) =>
  Layer.effect(
    Fleet,
    Effect.map(ProviderRegistry, ({ vendors }) => fleetOf(settings, vendors))
  )
