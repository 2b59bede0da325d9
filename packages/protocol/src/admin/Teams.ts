/** Teams: limits and budgets that their keys share. */
import { Schema } from "effect"
import { Budget, BudgetsInput, eitherBudget, Limits, LimitsInput } from "./Limits.ts"
import { BudgetUsd, Timestamp } from "../Values.ts"

export const PutTeam = Schema.Struct({
  limits: Schema.optionalKey(LimitsInput),
  budgets: Schema.optionalKey(BudgetsInput),
  budget_usd: Schema.optionalKey(BudgetUsd.annotate({ description: "Short for one budget of window `total`, USD." }))
})
  .check(eitherBudget)
  .annotate({
    identifier: "PutTeam",
    title: "Limits and budgets of a team",
    description: "All of them: what is left out is no limit, or no budget.",
    examples: [{ limits: { rpm: 600 }, budgets: [{ usd: 500, window: "month" }] }]
  })
export type PutTeam = typeof PutTeam.Type

export const Team = Schema.Struct({
  object: Schema.Literal("team"),
  team: Schema.String.annotate({ description: "Its name." }),
  limits: Limits,
  budgets: Schema.Array(Budget),
  updated_at: Timestamp
}).annotate({
  identifier: "Team",
  title: "Team",
  description: "What the keys of a team may ask for together. A request is held against its key and its team."
})
export type Team = typeof Team.Type
