/** `model-gateway config`: the configuration of a running gateway. */
import { Console } from "effect"
import { Command } from "effect/cli"
import { adminFlags, asking, decodedAndResponse as responseMode } from "./AdminResponse.ts"

const reload = Command.make(
  "reload",
  adminFlags,
  asking(
    (client) => client.config.reloadConfig({ responseMode }),
    ({ needs_restart }) => Console.log(inWords(needs_restart))
  )
).pipe(
  Command.withDescription(
    "Let a running gateway read its configuration file again. Requests in flight are not disturbed; a file with mistakes changes nothing."
  ),
  Command.withShortDescription("Reload a changed file without a restart"),
  Command.withExamples([{ command: "model-gateway config reload" }])
)

const inWords = (needsRestart: ReadonlyArray<string>): string =>
  needsRestart.length === 0
    ? "The configuration is in force."
    : `The configuration is in force, but these fields need a restart: ${needsRestart.join(", ")}`

export const config = Command.make("config").pipe(
  Command.withDescription("The configuration of a running gateway."),
  Command.withShortDescription("Reload a changed configuration"),
  Command.withSubcommands([reload]),
  Command.withExamples([{ command: "model-gateway config reload" }])
)
