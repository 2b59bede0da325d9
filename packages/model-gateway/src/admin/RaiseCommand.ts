/** `model-gateway budgets raise`: adds to a budget for a time. */
import { endUserPath } from "@model-gateway/protocol"
import { Clock, Console, DateTime, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../Failure.ts"
import { budgetLines, type ShownBudget } from "../output/LimitsView.ts"
import { adminFlags, answer, decodedAndResponse as responseMode } from "./AdminResponse.ts"
import {
  given,
  parseSpan,
  parseTime,
  parseUsd,
  sameBudget,
  SPAN_ALLOWED,
  TIME_ALLOWED,
  USD_ALLOWED
} from "./FlagValues.ts"
import { optionalText, optionalWord, textFlag } from "../Flags.ts"

interface RaisedBudget {
  readonly usd: number
  readonly window: "hour" | "day" | "week" | "month" | "total"
  readonly time_zone: string
  readonly soft_usd?: number
  readonly raises?: ReadonlyArray<{
    readonly add_usd: number
    readonly from?: string
    readonly until: string
    readonly reason?: string
  }>
}

const isOwner = Schema.is(endUserPath.owner)

type RaisedScope =
  | { readonly kind: "key"; readonly id: string }
  | { readonly kind: "team"; readonly team: string }
  | { readonly kind: "end_user"; readonly owner: string; readonly id: string }

/** `key:ID`, `team:NAME` or `end_user:OWNER/ID`. */
const scopeOf = (text: string): Option.Option<RaisedScope> => {
  const [kind, rest = ""] = [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1)]
  const slash = rest.indexOf("/")
  const [owner, id] = [rest.slice(0, slash), rest.slice(slash + 1)]
  if (kind === "key" && rest !== "") return Option.some({ kind, id: rest })
  if (kind === "team" && rest !== "") return Option.some({ kind, team: rest })
  if (kind === "end_user" && slash > 0 && id !== "" && isOwner(owner)) return Option.some({ kind, owner, id })
  return Option.none()
}

const budgetsOf = <R>([{ budgets }, response]: readonly [{ readonly budgets: ReadonlyArray<ShownBudget> | null }, R]) =>
  [{ budgets }, response] as const

/** Seconds from now, or a time. */
const when = (text: string) => Option.orElse(parseSpan(text), () => parseTime(text))

export const raise = Command.make(
  "raise",
  {
    scope: Argument.String("scope").pipe(
      Argument.withDescription("key:ID, team:NAME or end_user:OWNER/ID"),
      Argument.filterMap(
        scopeOf,
        () => "key:ID, team:NAME or end_user:OWNER/ID, such as end_user:team:research/user-42"
      )
    ),
    add: textFlag("add", "USD", "what is added to the budget").pipe(Flag.filterMap(parseUsd, () => USD_ALLOWED)),
    until: textFlag("until", "WHEN", "when it ends: 2026-12-04T18:00:00Z, or 7d").pipe(
      Flag.filterMap(when, () => `${TIME_ALLOWED}, or ${SPAN_ALLOWED}`)
    ),
    window: optionalWord("window", ["hour", "day", "week", "month", "total"], "of which budget, if there are several"),
    reason: optionalText("reason", "TEXT", "why"),
    ...adminFlags
  },
  Effect.fn("budgets.raise")(function* (flags) {
    const { add: add_usd, reason, scope, until: end, window } = flags
    const now = yield* Clock.currentTimeMillis
    const until = typeof end === "number" ? DateTime.formatIso(DateTime.makeUnsafe(now + end * 1000)) : end
    const raised = (budgets: ReadonlyArray<RaisedBudget>) => {
      const wanted = budgets.filter((one) => Option.getOrElse(window, () => one.window) === one.window)
      if (wanted.length !== 1)
        return Effect.fail(
          new CommandFailed({
            message:
              wanted.length === 0
                ? "There is no such budget: name one with --window, or set one with --budget."
                : "There are several such budgets: name one with --window."
          })
        )
      const one = { add_usd, until, ...given({ reason }) }
      return Effect.succeed(
        budgets.map(({ raises = [], ...budget }) => ({
          ...sameBudget(budget),
          raises: budget.window === wanted[0]?.window ? [...raises, one] : raises
        }))
      )
    }
    yield* answer(
      flags,
      Effect.fnUntraced(function* (client) {
        if (scope.kind === "key") {
          const params = { id: scope.id }
          const budgets = yield* raised((yield* client.keys.getKey({ params })).budgets)
          return budgetsOf(yield* client.keys.updateKey({ params, payload: { budgets }, responseMode }))
        }
        if (scope.kind === "team") {
          const params = { team: scope.team }
          const { limits, ...before } = yield* client.teams.getTeam({ params })
          const budgets = yield* raised(before.budgets)
          return budgetsOf(yield* client.teams.putTeam({ params, payload: { limits, budgets }, responseMode }))
        }
        const params = { owner: scope.owner, id: scope.id }
        const { owner, id } = params
        // The budgets of a template are those of all its end users.
        const none = new CommandFailed({
          message: `End user ${id} has no budget of its own: set one with \`model-gateway end-users set ${owner} ${id} --budget 5/day\`.`
        })
        const found = client.endUsers.getEndUser({ params })
        const { blocked, limits, metadata, model_rules, name, ...before } = yield* Effect.catchIf(
          found,
          (error) => error._tag === "CommandFailed" && error.status === 404,
          () => Effect.fail(none)
        )
        if (before.budgets === null) return yield* none
        const budgets = yield* raised(before.budgets)
        const payload = { blocked, limits, metadata, model_rules, name, budgets }
        return budgetsOf(yield* client.endUsers.putEndUser({ params, payload, responseMode }))
      }),
      ({ budgets }) => Console.log(budgetLines(budgets ?? []).join("\n"))
    )
  })
).pipe(
  Command.withDescription("Add to a budget for a time. It ends by itself. Budgets without it keep their amount."),
  Command.withShortDescription("Add to a budget for a time"),
  Command.withExamples([
    { command: "model-gateway budgets raise team:research --add 50 --until 7d --reason 'launch week'" },
    { command: "model-gateway budgets raise end_user:team:research/user-42 --add 5 --window day --until 12h" }
  ])
)
