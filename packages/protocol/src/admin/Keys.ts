/** Virtual keys. */
import { Schema } from "effect"
import { limitScopes } from "../Errors.ts"
import { EndUserSource, EndUserSourceInput, scopeRules, scopeRulesInput } from "./Scopes.ts"
import { Budget, BudgetsInput, eitherBudget, Limits, LimitsInput } from "./Limits.ts"
import {
  BudgetUsd,
  ModelPattern,
  Name,
  page,
  rule,
  Tag,
  TeamName,
  Timestamp,
  TimestampInput,
  TimeZone,
  Usd
} from "../Values.ts"

export const keyStatuses = ["active", "disabled", "suspended", "expired", "revoked"] as const

const models = Schema.Array(ModelPattern)
  .check(Schema.isMaxLength(500, { expected: "at most 500 names" }))
  .annotate({ description: "Names or globs of the models the key may use. Empty: all." })

const tags = Schema.Array(Tag)
  .check(Schema.isMaxLength(32, { expected: "at most 32 tags" }), Schema.isUnique({ expected: "tags that differ" }))
  .annotate({ description: "Labels that the key's spend is counted under." })

const network = "an address or a network such as 10.0.0.0/8"

/** Characters of JSON. */
export const MAX_METADATA = 8192

const metadata = Schema.Record(Schema.String, Schema.Json)
  .check(
    rule((value: object) => JSON.stringify(value).length <= MAX_METADATA, `at most ${MAX_METADATA} characters of JSON`)
  )
  .annotate({ description: `Anything else worth keeping with the key, up to ${MAX_METADATA} characters of JSON.` })

const onUnknownPrice = Schema.Literals(["deny", "allow"]).annotate({
  description:
    "Whether models whose price nobody knows may be used. Default: deny when the key or its team has a budget, since that spending could not be counted."
})

const unknownFields = Schema.Literals(["remove", "pass"]).annotate({
  description:
    "What happens under a budget to fields of a request whose cost is not known: they are removed and named in `X-Gateway-Dropped-Params`, or passed on, which may cost more than the budget. Default: remove."
})

const KeyRequirement = Schema.Struct({ region: Schema.Array(Schema.String), zdr: Schema.Boolean }).annotate({
  identifier: "KeyRequirement",
  title: "Required tags",
  description: "Tags that every deployment must have that serves the key. No region: any."
})

const KeyRequirementInput = Schema.Struct({
  region: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)))
      .check(Schema.isMaxLength(20, { expected: "at most 20 regions" }))
      .annotate({ description: "The region of every deployment that serves the key must be one of these. Empty: any." })
  ),
  zdr: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Only deployments with zero data retention serve the key." })
  )
}).annotate({
  identifier: "KeyRequirementInput",
  title: "Required tags",
  description: "Tags that every deployment must have that serves the key."
})

const ImportedKeySecret = Schema.Struct({
  from: Schema.Literal("litellm"),
  valid_until: Schema.NullOr(Timestamp).annotate({ description: "Until when it works; null: until it is rotated." })
}).annotate({
  identifier: "ImportedKeySecret",
  title: "Imported secret",
  description:
    "A secret of another gateway (`sk-…`) opens this key, as it was imported with it. Left out: only one of this gateway does."
})

const allowFrom = Schema.Array(
  Schema.String.check(Schema.isPattern(/^[0-9a-fA-F.:]+(\/\d{1,3})?$/, { expected: network }))
)
  .check(Schema.isMaxLength(100, { expected: "at most 100 addresses" }))
  .annotate({
    description: "Addresses and networks (CIDR) that the key may be used from. Empty: any.",
    examples: [["10.0.0.0/8"]]
  })

const budgetUsd = BudgetUsd.annotate({ description: "Short for one budget of window `total`, USD." })

export const CreateKey = Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(Name)),
  team: Schema.optionalKey(Schema.NullOr(TeamName)),
  models: Schema.optionalKey(models),
  limits: Schema.optionalKey(LimitsInput),
  budgets: Schema.optionalKey(BudgetsInput),
  budget_usd: Schema.optionalKey(budgetUsd),
  expires_at: Schema.optionalKey(
    Schema.NullOr(TimestampInput).annotate({ description: "From when on the key is refused; null: never." })
  ),
  tags: Schema.optionalKey(tags),
  metadata: Schema.optionalKey(metadata),
  on_unknown_price: Schema.optionalKey(onUnknownPrice),
  unknown_fields: Schema.optionalKey(unknownFields),
  ...scopeRulesInput,
  end_user: Schema.optionalKey(Schema.NullOr(EndUserSourceInput)),
  require: Schema.optionalKey(Schema.NullOr(KeyRequirementInput)),
  allow_from: Schema.optionalKey(Schema.NullOr(allowFrom))
})
  .check(eitherBudget)
  .annotate({
    identifier: "CreateKey",
    title: "New key",
    description: "What a new key may and may not do. Everything has a default.",
    examples: [
      {
        name: "ci",
        team: "research",
        models: ["auto", "openai/*"],
        limits: { rpm: 60, max_parallel: 4 },
        budgets: [{ usd: 25, window: "month", time_zone: "Europe/Berlin" }],
        tags: ["batch"]
      }
    ]
  })
export type CreateKey = typeof CreateKey.Type

export const CreateMyKey = Schema.Struct({
  team: TeamName,
  name: Schema.optionalKey(Schema.NullOr(Name)),
  models: Schema.optionalKey(models),
  limits: Schema.optionalKey(LimitsInput),
  budgets: Schema.optionalKey(BudgetsInput),
  budget_usd: Schema.optionalKey(budgetUsd),
  expires_at: Schema.optionalKey(
    Schema.NullOr(TimestampInput).annotate({ description: "From when on the key is refused; null: never." })
  ),
  tags: Schema.optionalKey(tags),
  metadata: Schema.optionalKey(metadata),
  allow_from: Schema.optionalKey(Schema.NullOr(allowFrom))
})
  .check(eitherBudget)
  .annotate({
    identifier: "CreateMyKey",
    title: "New personal key",
    description: "A key of the signed-in person in a team, within the team's policy for personal keys.",
    examples: [{ team: "research", name: "laptop", expires_at: "2026-12-31T00:00:00Z" }]
  })
export type CreateMyKey = typeof CreateMyKey.Type

/** The fields of a personal key that its person may change. */
export const ownKeyFields: ReadonlySet<string> = new Set([
  ...Object.keys(CreateMyKey.fields).filter((name) => name !== "team"),
  "disabled"
])

export const UpdateKey = Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(Name)),
  team: Schema.optionalKey(Schema.NullOr(TeamName)),
  models: Schema.optionalKey(Schema.NullOr(models)),
  limits: Schema.optionalKey(
    Schema.NullOr(LimitsInput).annotate({ description: "Only the limits named change; null: no limits." })
  ),
  budgets: Schema.optionalKey(Schema.NullOr(BudgetsInput)),
  budget_usd: Schema.optionalKey(Schema.NullOr(budgetUsd)),
  expires_at: Schema.optionalKey(
    Schema.NullOr(TimestampInput).annotate({ description: "From when on the key is refused; null: never." })
  ),
  tags: Schema.optionalKey(Schema.NullOr(tags)),
  metadata: Schema.optionalKey(
    Schema.NullOr(metadata).annotate({ description: "Merged into what is there; a member that is null is removed." })
  ),
  on_unknown_price: Schema.optionalKey(Schema.NullOr(onUnknownPrice)),
  unknown_fields: Schema.optionalKey(Schema.NullOr(unknownFields)),
  ...scopeRulesInput,
  end_user: Schema.optionalKey(Schema.NullOr(EndUserSourceInput)),
  require: Schema.optionalKey(Schema.NullOr(KeyRequirementInput)),
  allow_from: Schema.optionalKey(Schema.NullOr(allowFrom)),
  disabled: Schema.optionalKey(
    Schema.NullOr(Schema.Boolean).annotate({ description: "A disabled key is refused until it is enabled again." })
  )
})
  .check(eitherBudget)
  .annotate({
    identifier: "UpdateKey",
    title: "Change of a key",
    description:
      "A JSON merge patch (RFC 7396): what is left out stays as it is, null goes back to the default. A key that gets its first budget denies models without a price, unless `on_unknown_price` is given too.",
    examples: [{ limits: { rpm: 120 }, budget_usd: 50 }, { disabled: true }]
  })
export type UpdateKey = typeof UpdateKey.Type

const MAX_GRACE_SECONDS = 2_592_000

export const RotateKey = Schema.Struct({
  grace_seconds: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 0, maximum: MAX_GRACE_SECONDS },
        { expected: `a whole number from 0 to ${MAX_GRACE_SECONDS}` }
      )
    ).annotate({ description: "How long the old secret works beside the new one, seconds. Default: 0." })
  )
}).annotate({ identifier: "RotateKey", title: "Rotation of a key", examples: [{ grace_seconds: 3600 }] })
export type RotateKey = typeof RotateKey.Type

const fields = {
  id: Schema.String.annotate({
    description: "`key_` and the public part of the secret.",
    examples: ["key_4f9K2mQ7aZx1"]
  }),
  object: Schema.Literal("key"),
  name: Schema.NullOr(Schema.String),
  team: Schema.NullOr(Schema.String),
  models: Schema.Array(Schema.String).annotate({ description: "Names or globs of the models it may use. Empty: all." }),
  limits: Limits,
  budgets: Schema.Array(Budget),
  on_unknown_price: onUnknownPrice,
  unknown_fields: unknownFields,
  ...scopeRules,
  end_user: Schema.optionalKey(EndUserSource),
  require: KeyRequirement,
  allow_from: Schema.Array(Schema.String).annotate({
    description: "Addresses and networks (CIDR) that it may be used from. Empty: any."
  }),
  kind: Schema.Literals(["service", "personal", "workload"]).annotate({
    description:
      "`service`: of a team, or without one; `personal`: of a person in a team; `workload`: of the subject of a JWT."
  }),
  owner: Schema.NullOr(Schema.String).annotate({
    description: "The person of a personal key, `user_…`; null for other keys."
  }),
  rule: Schema.optionalKey(Schema.String).annotate({ description: "Of a workload's key: the rule that made it." }),
  subject: Schema.optionalKey(Schema.String).annotate({ description: "Of a workload's key: whose it is." }),
  created_by: Schema.NullOr(Schema.String).annotate({
    description: "The id of the person or service token that made it; null: the master key or a command."
  }),
  status: Schema.Literals(keyStatuses),
  tags: Schema.Array(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.Json),
  created_at: Timestamp,
  updated_at: Timestamp,
  expires_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp),
  last_used_at: Schema.NullOr(Timestamp).annotate({ description: "Exact to a minute; null: never." }),
  imported_secret: Schema.optionalKey(ImportedKeySecret),
  warnings: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description: "What was taken and may be a slip, such as a model that there is not. Left out: nothing."
  })
}

export const Key = Schema.Struct(fields).annotate({
  identifier: "Key",
  title: "Virtual key",
  description: "A virtual key, without its secret."
})
export type Key = typeof Key.Type

export const IssuedKey = Schema.Struct({
  ...fields,
  key: Schema.String.annotate({ description: "The secret. It is shown this once and can't be read again." })
}).annotate({
  identifier: "IssuedKey",
  title: "Virtual key with its secret",
  description: "A virtual key and, this once, its secret."
})
export type IssuedKey = typeof IssuedKey.Type

export const KeyPage = Schema.Struct({
  ...page(Key, "Newest first.").fields,
  has_more: Schema.Boolean,
  next: Schema.NullOr(Schema.String).annotate({
    description: "What to give as `after` for the next page; null: this was the last."
  })
}).annotate({ identifier: "KeyPage", title: "Page of keys" })

/** What a key is told of itself. */
const spent = (description: string) => Usd.annotate({ description: `${description}, USD.` })

export const KeySpend = Schema.Struct({
  hour_usd: spent("Spent in the present hour"),
  day_usd: spent("Spent today"),
  week_usd: spent("Spent in the present week, which began on Monday"),
  month_usd: spent("Spent in the present month"),
  total_usd: spent("Spent in all"),
  time_zone: Schema.String.annotate({ description: "IANA name: where hour, day, week and month began." })
}).annotate({
  identifier: "KeySpend",
  title: "Spend of the calling key",
  description: "What is booked. Requests in flight are not in it: a budget's `reserved_usd` has those."
})

/** What `GET /v1/key` can be asked. */
export const OwnKeyQuery = {
  tz: Schema.optionalKey(
    TimeZone.annotate({
      description: "IANA name of the time zone of `spend`. Default: that of the key's first budget, else UTC."
    })
  )
}

export const OwnScope = Schema.Struct({
  scope: Schema.Literals(limitScopes),
  subject: Schema.String.annotate({
    description: "The id of the key, end user, session or person, or the name of the team."
  }),
  models: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "Of a model rule: the models that it is for." })
  ),
  limits: Limits,
  budgets: Schema.Array(Budget)
}).annotate({
  identifier: "OwnScope",
  title: "A scope of the caller's requests",
  description:
    "An end user, a session, the personal keys of a person or a model rule, with what is left of its budgets."
})

export const OwnKey = Schema.Struct({
  object: Schema.Literal("key"),
  id: fields.id,
  name: fields.name,
  team: fields.team,
  models: fields.models,
  status: fields.status,
  limits: Limits,
  remaining: Schema.Struct({
    rpm: Schema.NullOr(Schema.Finite).annotate({ description: "Requests that would be admitted now; null: no limit." }),
    tpm: Schema.NullOr(Schema.Finite).annotate({ description: "Tokens that would be admitted now; null: no limit." })
  }),
  spend: KeySpend,
  budgets: Schema.Array(Budget),
  team_budgets: Schema.Array(Budget).annotate({
    description: "Those of its team, which its requests are held against too."
  }),
  scopes: Schema.optionalKey(
    Schema.Array(OwnScope).annotate({
      description:
        "What else requests with the headers `X-Gateway-End-User` and `X-Gateway-Session-Id` of this one are held against, if there is any."
    })
  ),
  tags: fields.tags,
  expires_at: fields.expires_at
}).annotate({
  identifier: "OwnKey",
  title: "The calling key",
  description: "The limits, budgets and use of the calling key."
})
export type OwnKey = typeof OwnKey.Type

export const ListKeysQuery = {
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }, { expected: "a whole number from 1 to 1000" }))
  ),
  after: Schema.optionalKey(Schema.String.annotate({ description: "The `next` of the page before." })),
  team: Schema.optionalKey(Schema.String.annotate({ description: "Only keys of this team." })),
  status: Schema.optionalKey(Schema.Literals(keyStatuses).annotate({ description: "Only keys of this status." })),
  owner: Schema.optionalKey(Schema.String.annotate({ description: "Only personal keys of this person, `user_…`." })),
  unused_since: Schema.optionalKey(
    TimestampInput.annotate({ description: "Only keys whose last use, or else their creation, was before." })
  ),
  expires_before: Schema.optionalKey(TimestampInput.annotate({ description: "Only keys that expire before." })),
  q: Schema.optionalKey(
    Schema.String.annotate({ description: "Only keys whose id or name holds this, in upper or lower case." })
  )
}
