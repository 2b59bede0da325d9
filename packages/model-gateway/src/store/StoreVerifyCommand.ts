/** `model-gateway store verify`: is the copy on Postgres what the file is? */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { CommandFailed } from "../Failure.ts"
import { comparisonAsJson, comparisonAsText, differencesOf } from "../output/StoreView.ts"
import { count } from "../output/TextOutput.ts"
import { bothStores, targetOf } from "./BothStores.ts"
import { toggle } from "../Flags.ts"

export const verify = Command.make(
  "verify",
  {
    ...bothStores,
    json: toggle("json", "print JSON instead of text for people")
  },
  Effect.fn("store.verify")(function* ({ config, from, json, to }) {
    const target = yield* targetOf(config, to)
    const { compareStores } = yield* Effect.promise(() => import("./copy/StoreVerify.ts"))
    const found = yield* Effect.mapError(compareStores(from, target), ({ message }) => new CommandFailed({ message }))
    yield* Console.log(json ? comparisonAsJson(from, found) : comparisonAsText(from, found))
    const different = differencesOf(found)
    if (different === 0) return
    const rows = different === 1 ? "1 row differs" : `${count(different)} rows differ`
    return yield* new CommandFailed({ message: `${found.place} is not what ${from} is: ${rows}.` })
  })
).pipe(
  Command.withDescription(
    "Compare a SQLite store with its copy on Postgres, row by row: keys, teams, the pepper, the ledger and everything else. Run it after `store copy`, before a gateway uses either: rows recorded on one side only count as differences. It changes nothing. Exit code 1 when anything differs."
  ),
  Command.withShortDescription("Compare a store with its copy"),
  Command.withExamples([
    { command: "model-gateway store verify --from gateway.db", description: "With the store.postgres of gateway.yaml" },
    { command: "model-gateway store verify --from gateway.db --json" }
  ])
)
