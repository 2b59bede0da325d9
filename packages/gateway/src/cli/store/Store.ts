/** `model-gateway store`. */
import { Command } from "effect/cli"
import { copy } from "./Copy.ts"
import { verify } from "./Verify.ts"

export const store = Command.make("store").pipe(
  Command.withDescription("Where keys, teams, spend and receipts are kept."),
  Command.withShortDescription("Move the store"),
  Command.withSubcommands([copy, verify]),
  Command.withExamples([
    { command: "model-gateway store copy --from gateway.db" },
    { command: "model-gateway store verify --from gateway.db" }
  ])
)
