/** Teams: limits and budgets that their keys share. */
import { Schema } from "effect"
import { scopeRules, scopeRulesInput } from "./Scopes.ts"
import { Budget, BudgetInput, BudgetsInput, eitherBudget, Limits, LimitsInput } from "./Limits.ts"
import { BudgetUsd, ModelPattern, page, Timestamp } from "../Values.ts"

export const PutTeam = Schema.Struct({
  limits: Schema.optionalKey(LimitsInput),
  budgets: Schema.optionalKey(BudgetsInput),
  budget_usd: Schema.optionalKey(BudgetUsd.annotate({ description: "Short for one budget of window `total`, USD." })),
  ...scopeRulesInput
})
  .check(eitherBudget)
  .annotate({
    identifier: "PutTeam",
    title: "Limits and budgets of a team",
    description:
      "What is left out is no limit, or no budget. `model_rules`, `per_end_user` and `per_session` stay as they are when they are left out; null, or an empty list, removes them.",
    examples: [{ limits: { rpm: 600 }, budgets: [{ usd: 500, window: "month" }] }]
  })
export type PutTeam = typeof PutTeam.Type

const MAX_LIFETIME = 366 * 86_400

const personalKeys = {
  enabled: Schema.Boolean.annotate({
    description: "Whether members may make keys for themselves. If not, those that there are are suspended."
  }),
  max_keys: Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" })
  ).annotate({ description: "Keys of one member that are not revoked. Default: 5." }),
  max_lifetime_seconds: Schema.NullOr(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 3600, maximum: MAX_LIFETIME },
        { expected: `a whole number from 3600 to ${MAX_LIFETIME}` }
      )
    )
  ).annotate({ description: "The longest time from creation to expiry; null, the default: a key need not expire." }),
  models: Schema.Array(ModelPattern)
    .check(Schema.isMaxLength(500, { expected: "at most 500 names" }))
    .annotate({ description: "Names or globs of the models that personal keys may use. Empty, the default: all." })
}

export const PutPersonalKeys = Schema.Struct({
  enabled: personalKeys.enabled,
  max_keys: Schema.optionalKey(personalKeys.max_keys),
  max_lifetime_seconds: Schema.optionalKey(personalKeys.max_lifetime_seconds),
  models: Schema.optionalKey(personalKeys.models),
  limits: Schema.optionalKey(LimitsInput),
  budgets: Schema.optionalKey(BudgetsInput)
}).annotate({
  identifier: "PutPersonalKeys",
  title: "Policy for personal keys",
  description: "What is left out has its default. Limits and budgets are of all personal keys of one member together.",
  examples: [{ enabled: true, max_lifetime_seconds: 7_776_000, budgets: [{ usd: 50, window: "month" }] }]
})
export type PutPersonalKeys = typeof PutPersonalKeys.Type

export const PersonalKeysPolicy = Schema.Struct({
  ...personalKeys,
  limits: Limits,
  budgets: Schema.Array(BudgetInput)
}).annotate({ identifier: "PersonalKeysPolicy", title: "Policy for personal keys" })

export const TeamPolicy = Schema.Struct({
  object: Schema.Literal("team_policy"),
  team: Schema.String,
  personal_keys: PersonalKeysPolicy
}).annotate({ identifier: "TeamPolicy", title: "Policy of a team", description: "What its members may do." })
export type TeamPolicy = typeof TeamPolicy.Type

const members = Schema.Int.annotate({ description: "Keys that name it and are not revoked." })

export const Team = Schema.Struct({
  object: Schema.Literal("team"),
  team: Schema.String.annotate({ description: "Its name." }),
  limits: Limits,
  budgets: Schema.Array(Budget),
  ...scopeRules,
  keys: members,
  updated_at: Schema.NullOr(Timestamp).annotate({
    description: "When its limits and budgets were set; null: they never were, and only keys name it."
  })
}).annotate({
  identifier: "Team",
  title: "Team",
  description: "What the keys of a team may ask for together. A request is held against its key and its team."
})
export type Team = typeof Team.Type

export const TeamPage = Schema.Struct({
  ...page(Team, "By name.").fields,
  has_more: Schema.Boolean,
  next: Schema.NullOr(Schema.String).annotate({
    description: "What to give as `after` for the next page; null: this was the last."
  })
}).annotate({ identifier: "TeamPage", title: "Page of teams" })
export type TeamPage = typeof TeamPage.Type

export const ListTeamsQuery = {
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" }))
  ),
  after: Schema.optionalKey(Schema.String.annotate({ description: "The `next` of the page before." })),
  q: Schema.optionalKey(
    Schema.String.annotate({ description: "Only teams whose name holds this, in upper or lower case." })
  )
}

export const DeleteTeamQuery = {
  force: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ description: "Delete it though keys name it. Default: false." })
  )
}
