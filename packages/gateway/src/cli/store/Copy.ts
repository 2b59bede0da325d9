/** `model-gateway store copy`: from a file to Postgres. */
import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { loadSettings } from "../../config/LoadSettings.ts"
import { sumToDecimal } from "../../core/domain/Money.ts"
import { knownVendors } from "../../providers/vendors/Vendors.ts"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"
import { count } from "../output/Text.ts"

/** Where to: the address that was given, or the store of the configuration. */
const targetOf = Effect.fnUntraced(function* (config: string, to: Option.Option<string>) {
  if (Option.isSome(to)) return { url: Redacted.make(to.value) }
  const environment = yield* Environment
  const { postgres } = (yield* loadSettings({ file: config, vendors: knownVendors, environment })).store
  if (postgres !== undefined) return postgres
  return yield* new CommandFailed({
    message: `${config} names no store on Postgres: write store.postgres.url there, or give the address with --to.`
  })
})

const copy = Command.make(
  "copy",
  {
    from: Flag.String("from").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("the store that is copied; it stays as it is")
    ),
    to: Flag.String("to").pipe(
      Flag.withMetavar("URL"),
      Flag.withDescription(
        "postgres://…, without a password that others on this machine must not see (default: store.postgres of --config)"
      ),
      Flag.optional
    ),
    config: Flag.String("config").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("the configuration file that names the store on Postgres (default: gateway.yaml)"),
      Flag.withDefault("gateway.yaml")
    )
  },
  Effect.fn("store.copy")(function* ({ config, from, to }) {
    const target = yield* targetOf(config, to)
    const { copyStore } = yield* Effect.promise(() => import("../../storage/copy/StoreCopy.ts"))
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

export const store = Command.make("store").pipe(
  Command.withDescription("Where keys, teams, spend and receipts are kept."),
  Command.withShortDescription("Move the store"),
  Command.withSubcommands([copy]),
  Command.withExamples([{ command: "model-gateway store copy --from gateway.db" }])
)
