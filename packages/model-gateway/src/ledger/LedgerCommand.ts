/** `model-gateway ledger`: the ledger's rows, read from the store. */
import { Command } from "effect/cli"
import { exportRows } from "./LedgerExportCommand.ts"
import { verify } from "./LedgerVerifyCommand.ts"

export const ledger = Command.make("ledger").pipe(
  Command.withDescription(
    "The ledger has a row for every attempt to serve a request. These commands only read the store, whether or not a gateway runs on it."
  ),
  Command.withShortDescription("Check and export the ledger"),
  Command.withSubcommands([verify, exportRows]),
  Command.withExamples([{ command: "model-gateway ledger verify" }])
)
