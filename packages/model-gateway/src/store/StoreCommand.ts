/** `model-gateway store`. */
import { Command } from "effect/cli"
import { backup, restore } from "./StoreBackupCommand.ts"
import { copy } from "./StoreCopyCommand.ts"
import { verify } from "./StoreVerifyCommand.ts"

export const store = Command.make("store").pipe(
  Command.withDescription("Where keys, teams, spend and receipts are kept."),
  Command.withShortDescription("Back up, restore and copy the store"),
  Command.withSubcommands([backup, restore, copy, verify]),
  Command.withExamples([
    { command: "model-gateway store backup gateway-backup.db" },
    { command: "model-gateway store copy --from gateway.db" },
    { command: "model-gateway store verify --from gateway.db" }
  ])
)
