/**
 * The gateway without a way in: the five services and what asks them. Open at the bottom for a store, a way to the providers and a
 * fleet, which is where tests and embedders put their own.
 */
import { Effect, Layer } from "effect"
import { Fleet } from "./core/domain/Fleet.ts"
import { Gateway } from "./core/call/Gateway.ts"
import { Idempotency } from "./core/idempotency/Idempotency.ts"
import { KeyStore } from "./core/keys/KeyStore.ts"
import { keepReceipts } from "./core/receipts/ReceiptArchive.ts"
import { ResponseStore } from "./core/responses/ResponseStore.ts"
import { RateLimiter } from "./core/limits/RateLimiter.ts"
import { ReceiptEvents } from "./core/receipts/ReceiptEvents.ts"
import { Router } from "./core/routing/Router.ts"
import type { Settings } from "./core/domain/Settings.ts"
import { SpendLedger } from "./core/ledger/SpendLedger.ts"
import { resolveDeployments } from "./providers/Catalogue.ts"
import { ProviderRegistry } from "./providers/ProviderRegistry.ts"
import * as ProviderPoolLive from "./providers/ProviderPoolLive.ts"
import * as ClassifierLive from "./classifier/ClassifierLive.ts"
import * as PromptFeaturesLive from "./classifier/PromptFeaturesLive.ts"
import * as RemoteImages from "./providers/RemoteImages.ts"

export const gatewayCore = Gateway.layer.pipe(
  Layer.merge(keepReceipts),
  Layer.provideMerge(Router.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      RateLimiter.layerMemory,
      SpendLedger.layer,
      KeyStore.layer,
      ReceiptEvents.layer,
      Idempotency.layer,
      ResponseStore.layer
    )
  ),
  Layer.provide(RemoteImages.layer),
  Layer.provideMerge(ProviderPoolLive.layer),
  Layer.provideMerge(ClassifierLive.layer),
  Layer.provide(PromptFeaturesLive.layer)
)

/** What the configuration says of deployments and routes. */
export const fleet = (settings: Pick<Settings, "providers" | "deployments" | "models" | "router" | "failover">) =>
  Layer.effect(
    Fleet,
    Effect.map(ProviderRegistry, ({ vendors }) => ({
      deployments: resolveDeployments(settings, vendors),
      aliases: settings.models,
      router: settings.router,
      failover: settings.failover
    }))
  )
