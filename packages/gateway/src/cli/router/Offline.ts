/** Decisions without a gateway: the rules over a configuration file, an empty store and no way to any provider. */
import type { RouteQuestion } from "@model-gateway/protocol"
import { Effect, Layer } from "effect"
import { loadSettings } from "../../config/LoadSettings.ts"
import { explainer } from "../../http/admin/Explainer.ts"
import { withCatalogue } from "../../providers/catalogue/facts/LoadFile.ts"
import { knownVendors } from "../../providers/vendors/Vendors.ts"
import { Transports } from "../../providers/transport/Transports.ts"
import { fleet, gatewayCore } from "../../GatewayCore.ts"
import * as SqliteStore from "../../storage/sqlite/file/SqliteStore.ts"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"

export const explainOffline = Effect.fnUntraced(function* (config: string, question: RouteQuestion) {
  const environment = yield* Environment
  const settings = yield* withCatalogue(yield* loadSettings({ file: config, vendors: knownVendors, environment }))
  const gateway = gatewayCore.pipe(
    Layer.provide(
      Layer.mergeAll(
        fleet(settings),
        Transports.layer(() => settings.providers),
        SqliteStore.layerMemory
      )
    )
  )
  return yield* Effect.flatMap(explainer, (explain) => explain(question)).pipe(
    Effect.provide(gateway),
    Effect.mapError((error) => new CommandFailed({ message: error.message }))
  )
})
