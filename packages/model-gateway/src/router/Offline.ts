/** Decisions without a gateway: the rules over a configuration file, an empty store and no way to any provider. */
import type { RouteQuestion } from "@model-gateway/protocol"
import { Effect, Layer } from "effect"
import { CurrentPrincipal, masterPrincipal } from "@model-gateway/gateway/internal/core/domain/Principal"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { explainer } from "@model-gateway/gateway/internal/http/admin/Explainer"
import { withCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/LoadFile"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { Transports } from "@model-gateway/gateway/internal/providers/pool/Transports"
import { fleet, gatewayCore } from "@model-gateway/gateway/internal/GatewayCore"
import * as SqliteStore from "@model-gateway/gateway/internal/storage/sqlite/file/SqliteStore"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"

const commandLine = { kind: "command_line", id: "command_line", address: "" } as const

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
    Effect.provideService(CurrentPrincipal, { ...masterPrincipal(commandLine), visibility: "all" }),
    Effect.mapError((error) => new CommandFailed({ message: error.message }))
  )
})
