/** `model-gateway store copy`: from a file to Postgres. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { sumToDecimal } from "@model-gateway/gateway/internal/core/domain/Money"
import { CommandFailed } from "../Failure.ts"
import { count } from "../output/TextOutput.ts"
import { bothStores, targetOf } from "./BothStores.ts"

export const copy = Command.make(
  "copy",
  bothStores,
  Effect.fn("store.copy")(function* ({ config, from, to }) {
    const target = yield* targetOf(config, to)
    const { copyStore } = yield* Effect.promise(() => import("./copy/StoreCopy.ts"))
    const { cost, place, rows } = yield* Effect.mapError(
      copyStore(from, target),
      ({ message }) => new CommandFailed({ message })
    )
    const of = (table: string) => count(rows.get(table) ?? 0)
    yield* Console.log(
      `Copied ${from} to ${place}: ${of("keys")} keys, ${of("teams")} teams, ${of("ledger")} closed rows of the ledger over ${sumToDecimal(cost)} USD, which is the sum in both. ${from} is as it was.`
    )
  })
).pipe(
  Command.withDescription(
    "Copy a store in a file to an empty one on Postgres, all of it or nothing. No gateway may run on either. Keys go on working."
  ),
  Command.withShortDescription("Copy a store to Postgres"),
  Command.withExamples([
    { command: "model-gateway store copy --from gateway.db", description: "To the store.postgres of gateway.yaml" }
  ])
)
