/** Limits and budgets, which keys and teams have alike. */
import { DateTime, Option, Schema } from "effect"
import { BudgetUsd, MAX_BUDGET_USD, Name, positive, rule, Timestamp, TimestampInput, TimeZone, Usd } from "../Values.ts"

const rpm = positive(1_000_000, "Requests admitted in any 60 s; null: no limit.")
const tpm = positive(1_000_000_000_000, "Tokens, input and output, per minute; null: no limit.")
const maxParallel = positive(100_000, "Requests at once, streams included to their end; null: no limit.")

export const Limits = Schema.Struct({
  rpm: Schema.NullOr(rpm),
  tpm: Schema.NullOr(tpm),
  max_parallel: Schema.NullOr(maxParallel)
}).annotate({ identifier: "Limits", description: "What may be asked for in a time." })

export const LimitsInput = Schema.Struct({
  rpm: Schema.optionalKey(Schema.NullOr(rpm)),
  tpm: Schema.optionalKey(Schema.NullOr(tpm)),
  max_parallel: Schema.optionalKey(Schema.NullOr(maxParallel))
}).annotate({ identifier: "LimitsInput", description: "What may be asked for in a time. null: no limit." })
export type LimitsInput = typeof LimitsInput.Type

export const BudgetWindow = Schema.Literals(["hour", "day", "week", "month", "total"]).annotate({
  description: "How long the amount has to last. `total` never resets. Weeks begin on Monday."
})

const raise = Schema.Struct({
  add_usd: BudgetUsd.annotate({ description: "What is added to the amount, USD." }),
  from: Schema.optionalKey(TimestampInput.annotate({ description: "When it begins. Default: immediately." })),
  until: TimestampInput.annotate({ description: "When it ends, exclusive." }),
  reason: Schema.optionalKey(Name)
})
  .check(
    rule(
      ({ from, until }: { readonly from?: string; readonly until: string }) =>
        from === undefined || Date.parse(until) > Date.parse(from),
      "an end after its beginning"
    )
  )
  .annotate({ identifier: "BudgetRaise", description: "What is added to a budget for a time. It ends by itself." })

const raises = Schema.Array(raise)
  .check(Schema.isMaxLength(8, { expected: "at most 8 raises" }))
  .annotate({
    description: "What is added to the amount for a time. Left out: those of the budget of this window stay."
  })

const softUsd = Schema.NullOr(BudgetUsd).annotate({
  description:
    "Above this amount responses have `X-Gateway-Budget-Soft-Exceeded`. Nothing is refused for it. USD; null: none. Left out: that of the budget of this window stays."
})

export const BudgetInput = Schema.Struct({
  usd: BudgetUsd,
  window: Schema.optionalKey(
    BudgetWindow.annotate({ description: "How long the amount has to last. Default: total." })
  ),
  time_zone: Schema.optionalKey(
    TimeZone.annotate({ description: "IANA name: where the window begins and ends. Default: UTC." })
  ),
  raises: Schema.optionalKey(raises),
  soft_usd: Schema.optionalKey(softUsd)
})
  .check(
    rule(
      ({ raises = [], usd }: { readonly usd: number; readonly raises?: ReadonlyArray<{ readonly add_usd: number }> }) =>
        raises.reduce((sum, { add_usd }) => sum + add_usd, usd) <= MAX_BUDGET_USD,
      `at most ${MAX_BUDGET_USD} USD with all raises`
    )
  )
  .annotate({ identifier: "BudgetInput", description: "An amount to spend in each window of time." })
export type BudgetInput = typeof BudgetInput.Type

/** Two budgets of one window would be one budget with two amounts. Zones go by more than one spelling. */
const windowOf = ({ time_zone = "UTC", window = "total" }: BudgetInput): string => {
  const zone = Option.map(DateTime.zoneMakeNamed(time_zone), DateTime.zoneToString)
  return window === "total" ? window : `${window} ${Option.getOrElse(zone, () => time_zone)}`
}

export const BudgetsInput = Schema.Array(BudgetInput)
  .check(
    Schema.isMaxLength(16, { expected: "at most 16 budgets" }),
    rule(
      (budgets: ReadonlyArray<BudgetInput>) => new Set(budgets.map(windowOf)).size === budgets.length,
      "budgets of different windows"
    )
  )
  .annotate({ description: "At most 16, each of another window. All of them hold." })

/** `budget_usd` is short for one of `budgets`, so only one of the two may be there. */
export const eitherBudget = rule(
  ({ budget_usd, budgets }: { readonly budgets?: unknown; readonly budget_usd?: unknown }) =>
    budgets === undefined ||
    budget_usd === undefined || { path: ["budget_usd"], issue: "Give `budgets` or `budget_usd`, not both." },
  "`budgets` or `budget_usd`"
)

export const Budget = Schema.Struct({
  usd: Usd.annotate({ description: "The amount, USD." }),
  window: BudgetWindow,
  time_zone: Schema.String.annotate({ description: "IANA name: where the window begins and ends." }),
  raises: Schema.optionalKey(Schema.Array(raise)),
  soft_usd: Schema.optionalKey(Usd),
  raised_usd: Schema.optionalKey(Usd.annotate({ description: "What raises add to `usd` at present, USD." })),
  spent_usd: Usd.annotate({ description: "Spent in the present window, USD." }),
  reserved_usd: Usd.annotate({ description: "Held by requests in flight, USD." }),
  remaining_usd: Usd.annotate({
    description: "What is left: `usd` and `raised_usd` less spent and reserved, at least 0, USD."
  }),
  resets_at: Schema.NullOr(Timestamp).annotate({ description: "When the window ends; null for `total`." })
}).annotate({
  identifier: "Budget",
  description: "An amount to spend in each window of time, and how much is left of it."
})
export type Budget = typeof Budget.Type
