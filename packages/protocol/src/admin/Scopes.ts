/** Limits and budgets beyond a key's and a team's own: of models, end users and sessions. */
import { Schema } from "effect"
import { Budget, BudgetInput, BudgetsInput, Limits, LimitsInput } from "./Limits.ts"
import { EndUserId, ModelPattern, Name, page, rule, TeamName, Timestamp } from "../Values.ts"

const match = Schema.Array(ModelPattern)
  .check(
    Schema.isMinLength(1, { expected: "at least one model" }),
    Schema.isMaxLength(32, { expected: "at most 32 models" }),
    Schema.isUnique({ expected: "models that differ" })
  )
  .annotate({ description: "Globs of `<provider>/<model>` or of a model's name. A request for any of them counts." })

export const ModelRuleInput = Schema.Struct({
  match,
  limits: Schema.optionalKey(LimitsInput),
  budgets: Schema.optionalKey(BudgetsInput)
}).annotate({
  identifier: "ModelRuleInput",
  title: "Limits and budgets of some models",
  description: "Its budgets count what is spent from now on. Other models in `match` make it another rule.",
  examples: [{ match: ["openai/gpt-6*"], limits: { rpm: 20 }, budgets: [{ usd: 50, window: "day" }] }]
})
export type ModelRuleInput = typeof ModelRuleInput.Type

const named = ({ match }: ModelRuleInput): string => JSON.stringify([...match].sort())

export const ModelRulesInput = Schema.Array(ModelRuleInput)
  .check(
    Schema.isMaxLength(8, { expected: "at most 8 rules" }),
    rule(
      (rules: ReadonlyArray<ModelRuleInput>) => new Set(rules.map(named)).size === rules.length,
      "rules for different models"
    )
  )
  .annotate({ description: "At most 8, each for other models. All of them hold." })

export const ScopeTemplateInput = Schema.Struct({
  limits: Schema.optionalKey(LimitsInput),
  budgets: Schema.optionalKey(BudgetsInput),
  model_rules: Schema.optionalKey(ModelRulesInput)
}).annotate({
  identifier: "ScopeTemplateInput",
  title: "Limits and budgets of each end user or session",
  description: "They hold from the first request on. Nothing has to be created for an end user or session.",
  examples: [{ limits: { rpm: 10 }, budgets: [{ usd: 1, window: "day" }] }]
})
export type ScopeTemplateInput = typeof ScopeTemplateInput.Type

const sources = Schema.Array(Schema.Literals(["header", "field"])).check(
  Schema.isUnique({ expected: "sources that differ" })
)
const fromSources = (from: typeof sources) => ({
  from: Schema.optionalKey(
    from.annotate({
      description:
        "Where the end user is read from: `header` is `X-Gateway-End-User`, `field` is `safety_identifier`, `user` or `metadata.user_id` of the body. Default: header."
    })
  ),
  required: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Refuse requests without an end user. Default: false." })
  ),
  fixed: Schema.optionalKey(
    Schema.NullOr(EndUserId).annotate({
      description: "Every request of the key is of this end user. No header and no field is read. Default: null."
    })
  )
})

/** `from` may be empty in keys that were made before this was refused. */
export const EndUserSource = Schema.Struct(fromSources(sources)).annotate({
  identifier: "EndUserSource",
  title: "Where a key's end users come from",
  examples: [{ from: ["header"], required: true }]
})

export const EndUserSourceInput = Schema.Struct(
  fromSources(sources.check(Schema.isMinLength(1, { expected: "at least one source" })))
).annotate({
  identifier: "EndUserSourceInput",
  title: "Where a key's end users come from",
  examples: [{ from: ["header"], required: true }]
})
export type EndUserSource = typeof EndUserSource.Type

const ModelRule = Schema.Struct({
  match: Schema.Array(Schema.String),
  limits: Limits,
  budgets: Schema.Array(BudgetInput)
}).annotate({ identifier: "ModelRule", title: "Limits and budgets of some models" })

const ScopeTemplate = Schema.Struct({
  limits: Limits,
  budgets: Schema.Array(BudgetInput),
  model_rules: Schema.Array(ModelRule)
}).annotate({ identifier: "ScopeTemplate", title: "Limits and budgets of each end user or session" })

export const cacheModes = ["off", "on_request", "on"] as const
export const cacheNamespaces = ["key", "team"] as const
/** Seconds: 30 days. */
export const LONGEST_TTL = 2_592_000

export const CacheRules = Schema.Struct({
  mode: Schema.optionalKey(Schema.Literals(cacheModes)).annotate({
    description: "`on_request`: only requests with `X-Gateway-Cache: on` use the cache."
  }),
  ttl_seconds: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: 1, maximum: LONGEST_TTL }, { expected: `a whole number from 1 to ${LONGEST_TTL}` })
    ).annotate({ description: "How long a response is used, seconds: at most 30 days." })
  ),
  namespace: Schema.optionalKey(Schema.Literals(cacheNamespaces)).annotate({
    description: "`team`: the keys of one team share their responses."
  }),
  tool_calls: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether responses that call the client's functions are stored."
  })
}).annotate({
  identifier: "CacheRules",
  title: "Use of the response cache",
  description: "What is left out holds as the team, then the configuration file says.",
  examples: [{ mode: "on", ttl_seconds: 3600 }]
})
export type CacheRules = typeof CacheRules.Type

const perEndUser = "Limits and budgets of each end user that has no record of its own"
const perSession = "Limits and budgets of each session, which `X-Gateway-Session-Id` names"

/** What keys and teams are given. */
export const scopeRulesInput = {
  model_rules: Schema.optionalKey(Schema.NullOr(ModelRulesInput)),
  per_end_user: Schema.optionalKey(Schema.NullOr(ScopeTemplateInput).annotate({ description: `${perEndUser}.` })),
  per_session: Schema.optionalKey(Schema.NullOr(ScopeTemplateInput).annotate({ description: `${perSession}.` })),
  cache: Schema.optionalKey(Schema.NullOr(CacheRules))
}

/** What is shown of keys and teams. */
export const scopeRules = {
  model_rules: Schema.optionalKey(Schema.Array(ModelRule)).annotate({
    description: "Limits and budgets of some models. Left out: none."
  }),
  per_end_user: Schema.optionalKey(ScopeTemplate),
  per_session: Schema.optionalKey(ScopeTemplate),
  cache: Schema.optionalKey(CacheRules)
}

const owner = Schema.String.check(
  rule(
    (text: string) =>
      /^key:key_[0-9A-Za-z]{1,64}$/.test(text) || (text.startsWith("team:") && Schema.is(TeamName)(text.slice(5))),
    "team:<name>, or key:<id> of a key without a team"
  )
).annotate({
  description: "Who tells end users apart: `team:<name>`, or `key:<id>` of a key without a team.",
  examples: ["team:research"]
})

export const endUserPath = { owner, id: EndUserId }

export const PutEndUser = Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(Name)),
  limits: Schema.optionalKey(Schema.NullOr(LimitsInput)),
  budgets: Schema.optionalKey(Schema.NullOr(BudgetsInput)),
  model_rules: Schema.optionalKey(Schema.NullOr(ModelRulesInput)),
  blocked: Schema.optionalKey(Schema.Boolean.annotate({ description: "Refuse all its requests. Default: false." })),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
}).annotate({
  identifier: "PutEndUser",
  title: "Limits and budgets of an end user",
  description:
    "What is null or left out comes from `per_end_user` of its key or team. An empty list is no budget, or no rule.",
  examples: [{ budgets: [{ usd: 5, window: "day" }] }]
})
export type PutEndUser = typeof PutEndUser.Type

export const EndUser = Schema.Struct({
  object: Schema.Literal("end_user"),
  owner: Schema.String,
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  limits: Schema.NullOr(Limits),
  budgets: Schema.NullOr(Schema.Array(Budget)),
  model_rules: Schema.NullOr(Schema.Array(ModelRule)),
  blocked: Schema.Boolean,
  metadata: Schema.Record(Schema.String, Schema.Json),
  updated_at: Timestamp
}).annotate({
  identifier: "EndUser",
  title: "End user",
  description: "What was set for one end user. What is null comes from `per_end_user` of its key or team."
})
export type EndUser = typeof EndUser.Type

export const EndUserPage = Schema.Struct({
  ...page(EndUser, "By owner and id.").fields,
  has_more: Schema.Boolean,
  next: Schema.NullOr(Schema.String).annotate({
    description: "What to give as `after` for the next page; null: this was the last."
  })
}).annotate({ identifier: "EndUserPage", title: "Page of end users" })

export const ListEndUsersQuery = {
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" }))
  ),
  after: Schema.optionalKey(Schema.String.annotate({ description: "The `next` of the page before." })),
  owner: Schema.optionalKey(owner),
  q: Schema.optionalKey(
    Schema.String.annotate({ description: "Only end users whose id or name holds this, in upper or lower case." })
  )
}
