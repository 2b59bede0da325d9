/** `model-gateway import`: moving over from other gateways. */
import { Command } from "effect/cli"
import { litellmKeys } from "./LitellmKeysCommand.ts"
import { litellm } from "./LitellmCommand.ts"

export const importing = Command.make("import").pipe(
  Command.withDescription("Import the configuration and keys of another gateway."),
  Command.withShortDescription("Import the configuration and keys of another gateway"),
  Command.withSubcommands([litellm, litellmKeys]),
  Command.withExamples([
    { command: "model-gateway import litellm config.yaml" },
    { command: "model-gateway import litellm-keys keys.csv" }
  ])
)
