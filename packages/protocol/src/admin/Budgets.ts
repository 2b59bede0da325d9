/** Budgets of all keys and teams, or of end users, the fullest first. */
import { Schema } from "effect"
import { BudgetWindow } from "./Limits.ts"
import { page, Timestamp, Usd } from "../Values.ts"

export const BudgetUse = Schema.Struct({
  scope: Schema.Literals(["key", "team", "end_user"]),
  id: Schema.String.annotate({
    description:
      "The id of the key, the name of the team, or `<owner>/<id>` of the end user, as under `/admin/end-users`."
  }),
  name: Schema.NullOr(Schema.String).annotate({ description: "What people call the key." }),
  window: BudgetWindow,
  time_zone: Schema.String,
  usd: Usd.annotate({ description: "The amount, USD." }),
  used: Schema.Finite.annotate({
    description: "The share of it that is spent: 0.8 is 80 %; more than 1 after it was made smaller."
  }),
  spent_usd: Usd,
  reserved_usd: Usd.annotate({ description: "Held by requests in flight, USD." }),
  remaining_usd: Usd,
  resets_at: Schema.NullOr(Timestamp).annotate({ description: "When the window ends; null for `total`." }),
  runs_out_at: Schema.NullOr(Timestamp).annotate({
    description:
      "When it is used up at the pace of the last hour; null: not before the window ends, or nothing was spent in that hour."
  })
}).annotate({ identifier: "BudgetUse", title: "How full a budget is" })
export type BudgetUse = typeof BudgetUse.Type

export const BudgetUseList = Schema.Struct({
  ...page(BudgetUse, "The fullest first.").fields,
  has_more: Schema.Boolean
}).annotate({ identifier: "BudgetUseList", title: "Budgets" })

export const ListBudgetsQuery = {
  min_used: Schema.optionalKey(
    Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a share, such as 0.8 for 80 %" }))
  ),
  scope: Schema.optionalKey(
    Schema.Literals(["key", "team", "end_user"]).annotate({
      description:
        "Only budgets of keys, or of teams. `end_user`: of end users with a request in the last ten minutes, as far as the gateway that answers had it. Default: keys and teams."
    })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" }))
  )
}
