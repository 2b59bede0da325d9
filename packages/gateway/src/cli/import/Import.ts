/** `model-gateway import`: moving over from other gateways. */
import { Command } from "effect/cli"
import { litellmKeys } from "./litellm-keys/Command.ts"
import { litellm } from "./litellm/Command.ts"

export const importing = Command.make("import").pipe(
  Command.withDescription("Move over from another gateway."),
  Command.withShortDescription("Move over from another gateway"),
  Command.withSubcommands([litellm, litellmKeys]),
  Command.withExamples([
    { command: "model-gateway import litellm config.yaml" },
    { command: "model-gateway import litellm-keys keys.csv" }
  ])
)
