/**
 * `model-gateway ledger`: the books themselves, read from the store.
 */
import { Command } from "effect/cli"
import { exportRows } from "./Export.ts"
import { verify } from "./Verify.ts"

export const ledger = Command.make("ledger").pipe(
  Command.withDescription(
    "The ledger has a row for every attempt at an answer. These commands read the store itself and change nothing, whether a gateway runs on it or not."
  ),
  Command.withShortDescription("Check and export the ledger"),
  Command.withSubcommands([verify, exportRows]),
  Command.withExamples([{ command: "model-gateway ledger verify" }])
)
