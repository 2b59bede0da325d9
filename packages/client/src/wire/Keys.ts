/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */

/** An amount to spend in each window of time, and how much is left of it. */
export interface Budget {
  /** The amount, USD. */
  readonly usd: number
  /** How long the amount has to last. `total` never resets. Weeks begin on Monday. */
  readonly window: "hour" | "day" | "week" | "month" | "total"
  /** IANA name: where the window begins and ends. */
  readonly time_zone: string
  readonly raises?: ReadonlyArray<BudgetRaise> | undefined
  /** USD. */
  readonly soft_usd?: number | undefined
  /** What raises add to `usd` at present, USD. */
  readonly raised_usd?: number | undefined
  /** Spent in the present window, USD. */
  readonly spent_usd: number
  /** Held by requests in flight, USD. */
  readonly reserved_usd: number
  /** What is left: `usd` and `raised_usd` less spent and reserved, at least 0, USD. */
  readonly remaining_usd: number
  /** When the window ends; null for `total`. */
  readonly resets_at: string | null
}

/** What is added to a budget for a time. It ends by itself. */
export interface BudgetRaise {
  /** What is added to the amount, USD. */
  readonly add_usd: number
  /** When it begins. Default: immediately. */
  readonly from?: string | undefined
  /** When it ends, exclusive. */
  readonly until: string
  /** 1 to 200 characters. */
  readonly reason?: string | undefined
}

/** An amount to spend in each window of time. */
export interface BudgetInput {
  /** USD, above 0, at most 9000000, with at most 9 decimals. */
  readonly usd: number
  /** How long the amount has to last. Default: total. */
  readonly window?: "hour" | "day" | "week" | "month" | "total" | undefined
  /** IANA name: where the window begins and ends. Default: UTC. */
  readonly time_zone?: string | undefined
  /** What is added to the amount for a time. Left out: those of the budget of this window stay. */
  readonly raises?: ReadonlyArray<BudgetRaise> | undefined
  /** Above this amount responses have `X-Gateway-Budget-Soft-Exceeded`. Nothing is refused for it. USD; null: none. Left out: that of the budget of this window stays. */
  readonly soft_usd?: number | null | undefined
}

/** What may be asked for in a time. */
export interface Limits {
  readonly rpm: number | null
  readonly tpm: number | null
  readonly max_parallel: number | null
}

export interface BudgetUse {
  readonly scope: "key" | "team" | "end_user"
  /** The id of the key, the name of the team, or `<owner>/<id>` of the end user, as under `/admin/end-users`. */
  readonly id: string
  /** What people call the key. */
  readonly name: string | null
  /** How long the amount has to last. `total` never resets. Weeks begin on Monday. */
  readonly window: "hour" | "day" | "week" | "month" | "total"
  readonly time_zone: string
  /** The amount, USD. */
  readonly usd: number
  /** The share of it that is spent: 0.8 is 80 %; more than 1 after it was made smaller. */
  readonly used: number
  /** USD. */
  readonly spent_usd: number
  /** Held by requests in flight, USD. */
  readonly reserved_usd: number
  /** USD. */
  readonly remaining_usd: number
  /** When the window ends; null for `total`. */
  readonly resets_at: string | null
  /** When it is used up at the pace of the last hour; null: not before the window ends, or nothing was spent in that hour. */
  readonly runs_out_at: string | null
}

/** How one of the provider's keys fares. Nothing of the key itself is ever shown. */
export interface ProviderKey {
  /** Its place in the provider's `api_key` list, from 0. */
  readonly index: number
  /** rate_limited: not used for this deployment for a while; refused, out_of_credit: not used for a while, then one request tries it. */
  readonly state: "ready" | "rate_limited" | "refused" | "out_of_credit"
  /** Until when it is not used; null: it is ready. */
  readonly until: string | null
}

export interface BudgetUseList {
  readonly object: "list"
  /** The fullest first. */
  readonly data: ReadonlyArray<BudgetUse>
  readonly has_more: boolean
}

export interface ModelRule {
  readonly match: ReadonlyArray<string>
  readonly limits: Limits
  readonly budgets: ReadonlyArray<BudgetInput>
}

/** Its budgets count what is spent from now on. Other models in `match` make it another rule. */
export interface ModelRuleInput {
  /** Globs of `<provider>/<model>` or of a model's name. A request for any of them counts. */
  readonly match: ReadonlyArray<string>
  readonly limits?: LimitsInput | undefined
  /** At most 16, each of another window. All of them hold. */
  readonly budgets?: ReadonlyArray<BudgetInput> | undefined
}

/** What may be asked for in a time. null: no limit. */
export interface LimitsInput {
  readonly rpm?: number | null | undefined
  readonly tpm?: number | null | undefined
  readonly max_parallel?: number | null | undefined
}

/** What the keys of a team may ask for together. A request is held against its key and its team. */
export interface Team {
  readonly object: "team"
  /** Its name. */
  readonly team: string
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  /** Limits and budgets of some models. Left out: none. */
  readonly model_rules?: ReadonlyArray<ModelRule> | undefined
  readonly per_end_user?: ScopeTemplate | undefined
  readonly per_session?: ScopeTemplate | undefined
  readonly cache?: CacheRules | undefined
  /** Keys that name it and are not revoked. */
  readonly keys: number
  /** When its limits and budgets were set; null: they never were, and only keys name it. */
  readonly updated_at: string | null
}

/** What is left out holds as the team, then the configuration file says. */
export interface CacheRules {
  /** `on_request`: only requests with `X-Gateway-Cache: on` use the cache. */
  readonly mode?: "off" | "on_request" | "on" | undefined
  /** How long a response is used, seconds: at most 30 days. */
  readonly ttl_seconds?: number | undefined
  /** `team`: the keys of one team share their responses. */
  readonly namespace?: "key" | "team" | undefined
  /** Whether responses that call the client's functions are stored. */
  readonly tool_calls?: boolean | undefined
}

export interface ScopeTemplate {
  readonly limits: Limits
  readonly budgets: ReadonlyArray<BudgetInput>
  readonly model_rules: ReadonlyArray<ModelRule>
}

/** What is left out is no limit, or no budget. `model_rules`, `per_end_user` and `per_session` stay as they are when they are left out; null, or an empty list, removes them. */
export interface PutTeam {
  readonly limits?: LimitsInput | undefined
  /** At most 16, each of another window. All of them hold. */
  readonly budgets?: ReadonlyArray<BudgetInput> | undefined
  /** Short for one budget of window `total`, USD. */
  readonly budget_usd?: number | undefined
  readonly model_rules?: ReadonlyArray<ModelRuleInput> | null | undefined
  /** Limits and budgets of each end user that has no record of its own. */
  readonly per_end_user?: ScopeTemplateInput | null | undefined
  /** Limits and budgets of each session, which `X-Gateway-Session-Id` names. */
  readonly per_session?: ScopeTemplateInput | null | undefined
  readonly cache?: CacheRules | null | undefined
}

/** They hold from the first request on. Nothing has to be created for an end user or session. */
export interface ScopeTemplateInput {
  readonly limits?: LimitsInput | undefined
  /** At most 16, each of another window. All of them hold. */
  readonly budgets?: ReadonlyArray<BudgetInput> | undefined
  /** At most 8, each for other models. All of them hold. */
  readonly model_rules?: ReadonlyArray<ModelRuleInput> | undefined
}

export interface TeamPage {
  readonly object: "list"
  /** By name. */
  readonly data: ReadonlyArray<Team>
  readonly has_more: boolean
  /** What to give as `after` for the next page; null: this was the last. */
  readonly next: string | null
}

/** A virtual key and, this once, its secret. */
export interface IssuedKey {
  /** `key_` and the public part of the secret. */
  readonly id: string
  readonly object: "key"
  readonly name: string | null
  readonly team: string | null
  /** Names or globs of the models it may use. Empty: all. */
  readonly models: ReadonlyArray<string>
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  /** Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted. */
  readonly on_unknown_price: "deny" | "allow"
  /** What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove. */
  readonly unknown_fields: "remove" | "pass"
  /** Limits and budgets of some models. Left out: none. */
  readonly model_rules?: ReadonlyArray<ModelRule> | undefined
  readonly per_end_user?: ScopeTemplate | undefined
  readonly per_session?: ScopeTemplate | undefined
  readonly cache?: CacheRules | undefined
  readonly end_user?: EndUserSource | undefined
  readonly require: KeyRequirement
  /** Addresses and networks (CIDR) that it may be used from. Empty: any. */
  readonly allow_from: ReadonlyArray<string>
  /** `service`: of a team, or without one; `personal`: of a person in a team; `workload`: of the subject of a JWT. */
  readonly kind: "service" | "personal" | "workload"
  /** The person of a personal key, `user_…`; null for other keys. */
  readonly owner: string | null
  /** Of a workload's key: the rule that made it. */
  readonly rule?: string | undefined
  /** Of a workload's key: whose it is. */
  readonly subject?: string | undefined
  /** The id of the person or service token that made it; null: the master key or a command. */
  readonly created_by: string | null
  readonly status: "active" | "disabled" | "suspended" | "expired" | "revoked"
  readonly tags: ReadonlyArray<string>
  readonly metadata: { readonly [field: string]: unknown }
  /** RFC 3339 in UTC. */
  readonly created_at: string
  /** RFC 3339 in UTC. */
  readonly updated_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  /** Exact to a minute; null: never. */
  readonly last_used_at: string | null
  readonly imported_secret?: ImportedKeySecret | undefined
  /** What was taken and may be a slip, such as a model that there is not. Left out: nothing. */
  readonly warnings?: ReadonlyArray<string> | undefined
  /** The secret. It is shown this once and can't be read again. */
  readonly key: string
}

/** A secret of another gateway (`sk-…`) opens this key, as it was imported with it. Left out: only one of this gateway does. */
export interface ImportedKeySecret {
  readonly from: "litellm"
  /** Until when it works; null: until it is rotated. */
  readonly valid_until: string | null
}

/** Tags that every deployment must have that serves the key. No region: any. */
export interface KeyRequirement {
  readonly region: ReadonlyArray<string>
  readonly zdr: boolean
}

export interface EndUserSource {
  /** Where the end user is read from: `header` is `X-Gateway-End-User`, `field` is `safety_identifier`, `user` or `metadata.user_id` of the body. Default: header. */
  readonly from?: ReadonlyArray<"header" | "field"> | undefined
  /** Refuse requests without an end user. Default: false. */
  readonly required?: boolean | undefined
  /** Every request of the key is of this end user. No header and no field is read. Default: null. */
  readonly fixed?: string | null | undefined
}

export interface KeyPage {
  readonly object: "list"
  /** Newest first. */
  readonly data: ReadonlyArray<Key>
  readonly has_more: boolean
  /** What to give as `after` for the next page; null: this was the last. */
  readonly next: string | null
}

/** A virtual key, without its secret. */
export interface Key {
  /** `key_` and the public part of the secret. */
  readonly id: string
  readonly object: "key"
  readonly name: string | null
  readonly team: string | null
  /** Names or globs of the models it may use. Empty: all. */
  readonly models: ReadonlyArray<string>
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  /** Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted. */
  readonly on_unknown_price: "deny" | "allow"
  /** What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove. */
  readonly unknown_fields: "remove" | "pass"
  /** Limits and budgets of some models. Left out: none. */
  readonly model_rules?: ReadonlyArray<ModelRule> | undefined
  readonly per_end_user?: ScopeTemplate | undefined
  readonly per_session?: ScopeTemplate | undefined
  readonly cache?: CacheRules | undefined
  readonly end_user?: EndUserSource | undefined
  readonly require: KeyRequirement
  /** Addresses and networks (CIDR) that it may be used from. Empty: any. */
  readonly allow_from: ReadonlyArray<string>
  /** `service`: of a team, or without one; `personal`: of a person in a team; `workload`: of the subject of a JWT. */
  readonly kind: "service" | "personal" | "workload"
  /** The person of a personal key, `user_…`; null for other keys. */
  readonly owner: string | null
  /** Of a workload's key: the rule that made it. */
  readonly rule?: string | undefined
  /** Of a workload's key: whose it is. */
  readonly subject?: string | undefined
  /** The id of the person or service token that made it; null: the master key or a command. */
  readonly created_by: string | null
  readonly status: "active" | "disabled" | "suspended" | "expired" | "revoked"
  readonly tags: ReadonlyArray<string>
  readonly metadata: { readonly [field: string]: unknown }
  /** RFC 3339 in UTC. */
  readonly created_at: string
  /** RFC 3339 in UTC. */
  readonly updated_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  /** Exact to a minute; null: never. */
  readonly last_used_at: string | null
  readonly imported_secret?: ImportedKeySecret | undefined
  /** What was taken and may be a slip, such as a model that there is not. Left out: nothing. */
  readonly warnings?: ReadonlyArray<string> | undefined
}

export interface RotateKey {
  /** How long the old secret works beside the new one, seconds. Default: 0. */
  readonly grace_seconds?: number | undefined
}

/** A JSON merge patch (RFC 7396): what is left out stays as it is, null goes back to the default. A key that gets its first budget denies models without a price, unless `on_unknown_price` is given too. */
export interface UpdateKey {
  readonly name?: string | null | undefined
  readonly team?: string | null | undefined
  readonly models?: ReadonlyArray<string> | null | undefined
  /** Only the limits named change; null: no limits. */
  readonly limits?: LimitsInput | null | undefined
  readonly budgets?: ReadonlyArray<BudgetInput> | null | undefined
  readonly budget_usd?: number | null | undefined
  /** From when on the key is refused; null: never. */
  readonly expires_at?: string | null | undefined
  readonly tags?: ReadonlyArray<string> | null | undefined
  /** Merged into what is there; a member that is null is removed. */
  readonly metadata?: { readonly [field: string]: unknown } | null | undefined
  readonly on_unknown_price?: "deny" | "allow" | null | undefined
  readonly unknown_fields?: "remove" | "pass" | null | undefined
  readonly model_rules?: ReadonlyArray<ModelRuleInput> | null | undefined
  /** Limits and budgets of each end user that has no record of its own. */
  readonly per_end_user?: ScopeTemplateInput | null | undefined
  /** Limits and budgets of each session, which `X-Gateway-Session-Id` names. */
  readonly per_session?: ScopeTemplateInput | null | undefined
  readonly cache?: CacheRules | null | undefined
  readonly end_user?: EndUserSourceInput | null | undefined
  readonly require?: KeyRequirementInput | null | undefined
  readonly allow_from?: ReadonlyArray<string> | null | undefined
  /** A disabled key is refused until it is enabled again. */
  readonly disabled?: boolean | null | undefined
}

/** Tags that every deployment must have that serves the key. */
export interface KeyRequirementInput {
  /** The region of every deployment that serves the key must be one of these. Empty: any. */
  readonly region?: ReadonlyArray<string> | undefined
  /** Only deployments with zero data retention serve the key. */
  readonly zdr?: boolean | undefined
}

export interface EndUserSourceInput {
  /** Where the end user is read from: `header` is `X-Gateway-End-User`, `field` is `safety_identifier`, `user` or `metadata.user_id` of the body. Default: header. */
  readonly from?: ReadonlyArray<"header" | "field"> | undefined
  /** Refuse requests without an end user. Default: false. */
  readonly required?: boolean | undefined
  /** Every request of the key is of this end user. No header and no field is read. Default: null. */
  readonly fixed?: string | null | undefined
}

/** What a new key may and may not do. Everything has a default. */
export interface CreateKey {
  readonly name?: string | null | undefined
  readonly team?: string | null | undefined
  /** Names or globs of the models the key may use. Empty: all. */
  readonly models?: ReadonlyArray<string> | undefined
  readonly limits?: LimitsInput | undefined
  /** At most 16, each of another window. All of them hold. */
  readonly budgets?: ReadonlyArray<BudgetInput> | undefined
  /** Short for one budget of window `total`, USD. */
  readonly budget_usd?: number | undefined
  /** From when on the key is refused; null: never. */
  readonly expires_at?: string | null | undefined
  /** Labels that the key's spend is counted under. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** Anything else worth keeping with the key, up to 8192 characters of JSON. */
  readonly metadata?: { readonly [field: string]: unknown } | undefined
  /** Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted. */
  readonly on_unknown_price?: "deny" | "allow" | undefined
  /** What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove. */
  readonly unknown_fields?: "remove" | "pass" | undefined
  readonly model_rules?: ReadonlyArray<ModelRuleInput> | null | undefined
  /** Limits and budgets of each end user that has no record of its own. */
  readonly per_end_user?: ScopeTemplateInput | null | undefined
  /** Limits and budgets of each session, which `X-Gateway-Session-Id` names. */
  readonly per_session?: ScopeTemplateInput | null | undefined
  readonly cache?: CacheRules | null | undefined
  readonly end_user?: EndUserSourceInput | null | undefined
  readonly require?: KeyRequirementInput | null | undefined
  readonly allow_from?: ReadonlyArray<string> | null | undefined
}

/** The limits, budgets and use of the calling key. */
export interface OwnKey {
  readonly object: "key"
  /** `key_` and the public part of the secret. */
  readonly id: string
  readonly name: string | null
  readonly team: string | null
  /** Names or globs of the models it may use. Empty: all. */
  readonly models: ReadonlyArray<string>
  readonly status: "active" | "disabled" | "suspended" | "expired" | "revoked"
  readonly limits: Limits
  readonly remaining: {
    /** Requests that would be admitted now; null: no limit. */
    readonly rpm: number | null
    /** Tokens that would be admitted now; null: no limit. */
    readonly tpm: number | null
  }
  readonly spend: KeySpend
  readonly budgets: ReadonlyArray<Budget>
  /** Those of its team, which its requests are held against too. */
  readonly team_budgets: ReadonlyArray<Budget>
  /** What else requests with the headers `X-Gateway-End-User` and `X-Gateway-Session-Id` of this one are held against, if there is any. */
  readonly scopes?: ReadonlyArray<OwnScope> | undefined
  readonly tags: ReadonlyArray<string>
  readonly expires_at: string | null
}

/** An end user, a session, the personal keys of a person or a model rule, with what is left of its budgets. */
export interface OwnScope {
  readonly scope: "key" | "team" | "end_user" | "session" | "member"
  /** The id of the key, end user, session or person, or the name of the team. */
  readonly subject: string
  /** Of a model rule: the models that it is for. */
  readonly models?: ReadonlyArray<string> | undefined
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
}

/** What is booked. Requests in flight are not in it: a budget's `reserved_usd` has those. */
export interface KeySpend {
  /** Spent in the present hour, USD. */
  readonly hour_usd: number
  /** Spent today, USD. */
  readonly day_usd: number
  /** Spent in the present week, which began on Monday, USD. */
  readonly week_usd: number
  /** Spent in the present month, USD. */
  readonly month_usd: number
  /** Spent in all, USD. */
  readonly total_usd: number
  /** IANA name: where hour, day, week and month began. */
  readonly time_zone: string
}
