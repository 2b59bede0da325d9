/** `model-gateway serve`: the server. */
import { Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import { fileOrFlag, theFile } from "../ConfigurationFile.ts"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { shownFields } from "../configuration/ShownFields.ts"
import { withCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/LoadFile"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { Environment } from "../Environment.ts"
import { isPort, PORT_ALLOWED } from "./Ports.ts"
import { announce, runGateway } from "./RunningGateway.ts"

const optionally = <A>(
  given: { readonly _tag: "None" } | { readonly _tag: "Some"; readonly value: A },
  otherwise: A
): A => (given._tag === "Some" ? given.value : otherwise)

export const serve = Command.make(
  "serve",
  {
    ...fileOrFlag,
    host: Flag.String("host").pipe(Flag.withDescription("overrides server.host"), Flag.optional),
    port: Flag.Int("port").pipe(
      Flag.withDescription("overrides server.port; 0 uses any free port"),
      Flag.filter(isPort, () => PORT_ALLOWED),
      Flag.optional
    ),
    jsonLogs: Flag.Boolean("json-logs").pipe(Flag.withDescription("log lines as JSON"), Flag.withDefault(false))
  },
  Effect.fn("serve")(function* ({ host, jsonLogs, port, ...named }) {
    const config = yield* theFile(named)
    const environment = yield* Environment
    const files = yield* FileSystem.FileSystem
    const load = Effect.map(loadSettings({ file: config, vendors: knownVendors, environment }), (settings) => ({
      ...settings,
      server: {
        ...settings.server,
        host: optionally(host, settings.server.host),
        port: optionally(port, settings.server.port)
      }
    })).pipe(Effect.provideService(FileSystem.FileSystem, files))
    const file = files.readFileString(config).pipe(
      Effect.map((text) => ({ file: config, fields: shownFields(text, config) })),
      Effect.mapError(() => ({ message: `${config} can't be read` }))
    )
    return yield* runGateway(yield* withCatalogue(yield* load), { jsonLogs, load, file }, announce)
  })
).pipe(
  Command.withDescription(
    "Run the gateway that a configuration file describes, in the foreground. SIGTERM drains it, and SIGHUP reloads the file."
  ),
  Command.withShortDescription("Run the gateway"),
  Command.withExamples([
    { command: "model-gateway serve", description: "gateway.yaml of this folder" },
    { command: "model-gateway serve prod.toml --host 0.0.0.0 --port 8080 --json-logs" }
  ])
)
