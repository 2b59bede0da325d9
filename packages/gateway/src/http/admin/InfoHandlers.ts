/** `/admin/info`. */
import { type Info, ServedApi } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { About, ProductVersion } from "../../core/domain/About.ts"
import { StoreHealth } from "../../core/domain/StoreHealth.ts"
import { KeyStore } from "../../core/keys/KeyStore.ts"
import { ProviderPool } from "../../core/pool/ProviderPool.ts"
import { CurrentPrincipal } from "../../core/domain/Principal.ts"
import { answering } from "../shared/Answer.ts"
import { rfc3339 } from "../errors/WireFormat.ts"

/** Prices that operators wrote themselves. */
const CONFIGURED = "configuration"

export const infoHandlers = HttpApiBuilder.group(
  ServedApi,
  "info",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* KeyStore
    const pool = yield* ProviderPool
    const store = yield* StoreHealth
    const version = yield* ProductVersion
    const { alerts, isDemo, keepReceiptsMs, startedAt } = yield* About

    const info = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { visibility } = yield* CurrentPrincipal
      const prices = (yield* pool.status).flatMap(({ deployment: { price } }) => price ?? [])
      const listed = prices.find(({ source }) => source !== CONFIGURED)
      const { bytes, path, schema } = store.file()
      const body: Info = {
        object: "info",
        version,
        node: process.versions.node,
        started_at: rfc3339(startedAt),
        uptime_seconds: Math.max(0, Math.floor((now - startedAt) / 1000)),
        store: visibility === "all" ? { path, bytes, schema } : null,
        receipts_keep_seconds: Math.floor(keepReceiptsMs / 1000),
        price_list: listed === undefined ? null : { source: listed.source, version: listed.version },
        demo: isDemo,
        keys: visibility === "all" ? yield* keys.count : null,
        alerts
      }
      return body
    })

    return handlers.handle("getInfo", () => answering(info))
  })
)
