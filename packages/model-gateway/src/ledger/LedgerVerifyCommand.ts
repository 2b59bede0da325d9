/** `model-gateway ledger verify`: checks that the ledger's rows and sums agree. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { CommandFailed } from "../Failure.ts"
import { verificationAsJson, verificationAsText } from "../output/LedgerView.ts"
import { findStore, inStore, storeFlags } from "./StoreFlags.ts"
import { toggle } from "../Flags.ts"

export const verify = Command.make(
  "verify",
  {
    ...storeFlags,
    json: toggle("json", "print JSON instead of text for people")
  },
  Effect.fn("ledger.verify")(function* (flags) {
    const store = yield* findStore(flags)
    const found = yield* inStore(store, true, ({ inspection }) => inspection)
    yield* Console.log(flags.json ? verificationAsJson(store.name, found) : verificationAsText(store.name, found))
    const count = found.differences.length
    if (count === 0) return
    return yield* new CommandFailed({
      message: `The ledger of ${store.name} is not consistent: ${count} ${count === 1 ? "difference" : "differences"}.`
    })
  })
).pipe(
  Command.withDescription(
    "Compare the ledger's rows with the hourly sums and the spend of budget windows, and check the file. The command only reads, from one snapshot, and can run beside a gateway. Exit code 1 if anything differs."
  ),
  Command.withShortDescription("Compare rows, sums and budgets of the ledger"),
  Command.withExamples([
    { command: "model-gateway ledger verify", description: "The store of gateway.yaml" },
    { command: "model-gateway ledger verify --store .model-gateway/gateway.db --json" }
  ])
)
