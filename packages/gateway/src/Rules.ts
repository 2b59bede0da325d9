/**
 * The gateway without a way in: the five services and what asks them. Open at the bottom for a store, a way to the providers and a
 * fleet, which is where tests and embedders put their own.
 */
import { Layer } from "effect"
import { Fleet } from "./core/Fleet.ts"
import { Gateway } from "./core/Gateway.ts"
import { KeyStore } from "./core/KeyStore.ts"
import { keepReceipts } from "./core/ReceiptArchive.ts"
import { RateLimiter } from "./core/RateLimiter.ts"
import { RequestLog } from "./core/RequestLog.ts"
import { Router } from "./core/Router.ts"
import type { Settings } from "./core/Settings.ts"
import { SpendLedger } from "./core/SpendLedger.ts"
import { resolveDeployments } from "./providers/Catalogue.ts"
import * as ProviderPoolLive from "./providers/ProviderPoolLive.ts"
import * as ClassifierLive from "./classifier/ClassifierLive.ts"
import * as PromptFeaturesLive from "./classifier/PromptFeaturesLive.ts"
import * as RemoteImages from "./providers/RemoteImages.ts"

export const rules = Gateway.layer.pipe(
  Layer.merge(keepReceipts),
  Layer.provideMerge(Router.layer),
  Layer.provideMerge(Layer.mergeAll(RateLimiter.layerMemory, SpendLedger.layer, KeyStore.layer, RequestLog.layer)),
  Layer.provide(RemoteImages.layer),
  Layer.provideMerge(ProviderPoolLive.layer),
  Layer.provideMerge(ClassifierLive.layer),
  Layer.provide(PromptFeaturesLive.layer)
)

/** What the configuration says of deployments and routes. */
export const fleet = (settings: Pick<Settings, "providers" | "deployments" | "models" | "router" | "failover">) =>
  Layer.sync(Fleet, () => ({
    deployments: resolveDeployments(settings),
    aliases: settings.models,
    router: settings.router,
    failover: settings.failover
  }))
