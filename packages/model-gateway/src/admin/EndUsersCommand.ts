/** `model-gateway end-users`: limits and budgets of single end users. */
import { endUserPath, PutEndUser } from "@model-gateway/protocol"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { say } from "../Environment.ts"
import { wrongUsage } from "../Failure.ts"
import { budgetInShort, budgetLines, limitsInWords, type ShownBudget, type ShownLimits } from "../output/LimitsView.ts"
import { pairs, table } from "../output/Table.ts"
import { orNothing, time } from "../output/TextOutput.ts"
import { adminFlags, answer, asking, checked, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import { given, sameBudget } from "./FlagValues.ts"
import { limitFields, limitFlags, validateLimitFlags } from "./KeyFlags.ts"
import { optionalText, optionalWord, textFlag } from "../Flags.ts"

const owner = Argument.String("owner").pipe(
  Argument.withDescription("team:NAME, or key:ID of a key without a team"),
  Argument.withSchema(endUserPath.owner)
)

const id = Argument.String("id").pipe(
  Argument.withDescription("the end user, as X-Gateway-End-User names it"),
  Argument.withSchema(endUserPath.id)
)

interface ShownEndUser {
  readonly owner: string
  readonly id: string
  readonly name: string | null
  readonly limits: ShownLimits | null
  readonly budgets: ReadonlyArray<ShownBudget> | null
  readonly blocked: boolean
  readonly updated_at: string
}

const TEMPLATE = "as per_end_user says"

const details = (one: ShownEndUser): string =>
  pairs([
    ["owner", orNothing(one.owner)],
    ["id", orNothing(one.id)],
    ["name", orNothing(one.name)],
    ["blocked", one.blocked ? "yes" : "no"],
    ["limits", one.limits === null ? TEMPLATE : limitsInWords(one.limits)],
    ...(one.budgets === null
      ? [["budgets", TEMPLATE] as const]
      : one.budgets.length === 0
        ? [["budgets", "none"] as const]
        : budgetLines(one.budgets).map((line) => ["budget", line] as const)),
    ["changed", `${time(one.updated_at)} UTC`]
  ])

const show = Command.make(
  "show",
  { owner, id, ...adminFlags },
  asking(
    (client, flags) => client.endUsers.getEndUser({ params: { owner: flags.owner, id: flags.id }, responseMode }),
    (found) => Console.log(details(found))
  )
).pipe(
  Command.withDescription("Show the record of an end user, and what is left of its budgets."),
  Command.withShortDescription("Show the record of an end user"),
  Command.withExamples([{ command: "model-gateway end-users show team:research user-42" }])
)

const list = Command.make(
  "list",
  {
    search: optionalText("search", "TEXT", "filter by ID or name"),
    owner: textFlag("owner", "OWNER", "of this team:NAME or key:ID only").pipe(
      Flag.withSchema(endUserPath.owner),
      Flag.optional
    ),
    ...adminFlags
  },
  asking(
    (client, flags) =>
      client.endUsers.listEndUsers({ query: given({ q: flags.search, owner: flags.owner }), responseMode }),
    ({ data, has_more }) =>
      data.length === 0
        ? say("No end user has a record here. The limits of per_end_user hold for all of them.")
        : Console.log(
            [
              table(
                [
                  { title: "OWNER", value: (one) => orNothing(one.owner), wraps: true },
                  { title: "ID", value: (one) => orNothing(one.id), wraps: true },
                  { title: "BLOCKED", value: ({ blocked }) => (blocked ? "yes" : "no") },
                  { title: "LIMITS", value: ({ limits }) => limitsInWords(limits ?? {}), wraps: true },
                  { title: "BUDGETS", value: ({ budgets }) => budgetInShort(budgets ?? []), wraps: true }
                ],
                data
              ),
              ...(has_more ? ["There are more: name a part of an id with --search."] : [])
            ].join("\n\n")
          )
  )
).pipe(
  Command.withDescription("List the end users that have a record, by owner and ID."),
  Command.withShortDescription("List end users")
)

const set = Command.make(
  "set",
  {
    owner,
    id,
    ...limitFlags,
    blocked: optionalWord("blocked", ["yes", "no"], "refuse all its requests, or allow them again"),
    ...adminFlags
  },
  Effect.fn("end-users.set")(function* (flags) {
    const change = { ...limitFields(flags), ...given({ blocked: Option.map(flags.blocked, (word) => word === "yes") }) }
    if (Object.keys(change).length === 0) return yield* wrongUsage("nothing to set: name at least one of the flags")
    yield* checked(PutEndUser, change)
    const params = { owner: flags.owner, id: flags.id }
    yield* answer(
      flags,
      Effect.fnUntraced(function* (client) {
        // The gateway replaces the whole record, so fields without a flag are sent unchanged.
        const before = yield* client.endUsers.getEndUser({ params }).pipe(
          Effect.catchIf(
            (error) => error._tag === "CommandFailed" && error.status === 404,
            () => Effect.undefined
          )
        )
        const kept = before && {
          name: before.name,
          limits: before.limits,
          budgets: before.budgets?.map(sameBudget) ?? null,
          model_rules: before.model_rules,
          blocked: before.blocked,
          metadata: before.metadata
        }
        const limits = change.limits === undefined ? {} : { limits: { ...before?.limits, ...change.limits } }
        return yield* client.endUsers.putEndUser({ params, payload: { ...kept, ...change, ...limits }, responseMode })
      }),
      (found) => Console.log(details(found))
    )
  })
).pipe(
  Command.validate((flags) => validateLimitFlags(flags)),
  Command.withDescription(
    "Set limits and budgets of an end user: what is named, and nothing else. Budgets are replaced as a whole."
  ),
  Command.withShortDescription("Set limits and budgets of an end user"),
  Command.withExamples([
    { command: "model-gateway end-users set team:research user-42 --budget 5/day" },
    { command: "model-gateway end-users set team:research user-42 --blocked yes" }
  ])
)

const remove = Command.make(
  "delete",
  { owner, id, ...adminFlags },
  asking(
    (client, flags) => client.endUsers.deleteEndUser({ params: { owner: flags.owner, id: flags.id }, responseMode }),
    (gone) => Console.log(`The record of ${orNothing(gone.id)} is deleted. Its spend stays in the ledger.`)
  )
).pipe(
  Command.withDescription("Delete the record of an end user. The limits of per_end_user hold for it again."),
  Command.withShortDescription("Delete the record of an end user"),
  Command.withExamples([{ command: "model-gateway end-users delete team:research user-42" }])
)

export const endUsers = Command.make("end-users").pipe(
  Command.withDescription(
    "End users of a product: limits and budgets of single ones, in place of those of per_end_user of their key or team."
  ),
  Command.withShortDescription("Limits and budgets of single end users"),
  Command.withSubcommands([list, show, set, remove]),
  Command.withExamples([{ command: "model-gateway end-users set team:research user-42 --budget 5/day" }])
)
