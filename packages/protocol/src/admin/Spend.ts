/** What was spent, by any cut. */
import { Schema } from "effect"
import { rule, Timestamp, TimeOrDay, TimeZone, Usd } from "../Values.ts"

export const spendDimensions = [
  "key",
  "team",
  "model",
  "provider",
  "tag",
  "end_user",
  "session",
  "user",
  "client",
  "bucket",
  "hour",
  "day",
  "month"
] as const
export type SpendDimension = (typeof spendDimensions)[number]

const dimension = (description: string) => Schema.optionalKey(Schema.NullOr(Schema.String)).annotate({ description })

const sums = {
  cost_usd: Usd.annotate({ description: "USD." }),
  estimated_cost_usd: Usd.annotate({
    description: "The part of `cost_usd` that was counted here and not by the provider, USD."
  }),
  requests: Schema.Int.annotate({ description: "Requests, failed ones included." }),
  failed_requests: Schema.Int,
  input_tokens: Schema.Int.annotate({ description: "Everything read, cached input included." }),
  cached_input_tokens: Schema.Int.annotate({
    description: "The part of `input_tokens` that the provider had in its cache."
  }),
  output_tokens: Schema.Int.annotate({ description: "Everything produced, reasoning included." }),
  reasoning_tokens: Schema.Int.annotate({ description: "The part of `output_tokens` that was reasoning." }),
  auto_requests: Schema.Int.annotate({ description: "Requests for `auto`, failed ones included." }),
  auto_cost_usd: Usd.annotate({
    description: "The part of `cost_usd` that was for `auto`, USD: all attempts that were billed."
  }),
  auto_baseline_usd: Usd.annotate({
    description:
      "What the answers to `auto` would have cost, USD, had the first deployment of the strongest bucket given each of them, with as many tokens. `auto_baseline_usd - auto_cost_usd` was saved. An answer counts what it cost itself where a price is not known, a request without an answer 0. 0 for what was booked before the gateway reckoned with it."
  }),
  last_at: Schema.NullOr(Timestamp).annotate({ description: "The last request; null without any." }),
  cache_hits: Schema.optionalKey(
    Schema.Int.annotate({ description: "The part of `requests` that the response cache answered. Left out: none." })
  ),
  cache_saved_usd: Schema.optionalKey(
    Usd.annotate({ description: "What the responses of `cache_hits` cost when a provider gave them, USD." })
  ),
  units: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Int).annotate({
      description:
        "What was billed and is no token, such as `web_searches` or `images`, by the classes of a receipt's `usage`. Left out: nothing."
    })
  )
}

export const SpendTotal = Schema.Struct(sums).annotate({ identifier: "SpendTotal", title: "Sum of all spend" })
export type SpendTotal = typeof SpendTotal.Type

export const SpendRow = Schema.Struct({
  key: dimension("The id of the key."),
  key_name: dimension("What the key is called now, beside `key`; null: it has no name."),
  team: dimension("The team; null: keys without one."),
  model: dimension("The model, as the provider is asked for it."),
  provider: dimension("The provider's name in the configuration."),
  tag: dimension("The tag; null: requests without one. A request with several tags counts in each of them."),
  end_user: dimension("The end user. Requests without one are in no row."),
  session: dimension(
    "The session, as `X-Gateway-Session-Id` or a coding agent names it. Requests without one are in no row."
  ),
  client: dimension("The client, such as `codex`. Requests of clients that are not known are in no row."),
  user: dimension("The person whose personal keys spent it, `user_…`. Requests of other keys are in no row."),
  bucket: dimension("The bucket of `auto`; `none`: the caller named the model."),
  hour: dimension("The hour, RFC 3339 with the offset of the time zone asked for."),
  day: dimension("The day, YYYY-MM-DD, in the time zone asked for."),
  month: dimension("The month, YYYY-MM, in the time zone asked for."),
  ...sums
}).annotate({
  identifier: "SpendRow",
  title: "Spend of one group",
  description: "It names the dimensions that were asked for, and no others."
})
export type SpendRow = typeof SpendRow.Type

const rows = (description: string) => Schema.optionalKey(Schema.Array(SpendRow)).annotate({ description })

export const SpendReport = Schema.Struct({
  object: Schema.Literal("spend"),
  from: Timestamp.annotate({ description: "Inclusive." }),
  to: Timestamp.annotate({ description: "Exclusive." }),
  time_zone: Schema.String,
  total: SpendTotal,
  by_key: rows("Per key, dearest first. Without `group_by`."),
  by_team: rows("Per team, dearest first. Without `group_by`."),
  by_model: rows("Per model of each provider, dearest first. Without `group_by`."),
  group_by: Schema.optionalKey(Schema.Array(Schema.Literals(spendDimensions))),
  rows: rows("Per group of `group_by`, dearest first."),
  has_more: Schema.Boolean.annotate({
    description: "Whether a list was cut at `limit`. The total is of everything all the same."
  })
}).annotate({ identifier: "SpendReport", title: "Spend" })
export type SpendReport = typeof SpendReport.Type

/** `key,model,day` → its parts. */
const GroupBy = Schema.String.check(
  rule(
    (text: string) => {
      const parts = text.split(",")
      const known: ReadonlyArray<string> = spendDimensions
      return parts.every((part) => known.includes(part)) && new Set(parts).size === parts.length
    },
    `one or more of ${spendDimensions.join(", ")}, separated by commas`
  )
)

const MAX_ROWS = 100_000

/** Rows of a list when nobody says: more than anybody reads, unless they are a curve over time. */
export const DEFAULT_ROWS = { plain: 1000, overTime: MAX_ROWS }

export const SpendQuery = {
  from: Schema.optionalKey(
    TimeOrDay.annotate({
      description: "Inclusive: RFC 3339 or YYYY-MM-DD. Default: the beginning of the month that `to` ends or lies in."
    })
  ),
  to: Schema.optionalKey(
    TimeOrDay.annotate({ description: "Exclusive: RFC 3339 or YYYY-MM-DD. Default: the end of the present month." })
  ),
  tz: Schema.optionalKey(
    TimeZone.annotate({ description: "IANA name of the time zone of days, months and defaults. Default: UTC." })
  ),
  key: Schema.optionalKey(Schema.String.annotate({ description: "Only this key." })),
  team: Schema.optionalKey(Schema.String.annotate({ description: "Only this team." })),
  model: Schema.optionalKey(Schema.String.annotate({ description: "Only this model." })),
  provider: Schema.optionalKey(Schema.String.annotate({ description: "Only this provider." })),
  end_user: Schema.optionalKey(Schema.String.annotate({ description: "Only the end users of this id." })),
  session: Schema.optionalKey(Schema.String.annotate({ description: "Only the sessions of this id." })),
  client: Schema.optionalKey(Schema.String.annotate({ description: "Only the client of this name." })),
  user: Schema.optionalKey(Schema.String.annotate({ description: "Only the personal keys of this person." })),
  group_by: Schema.optionalKey(
    GroupBy.annotate({
      description: `One cut instead of the three: any of ${spendDimensions.join(", ")}, separated by commas; bucket with model, provider and time only, in whole hours; end_user, session, client and user not together.`,
      examples: ["key,model,day"]
    })
  ),
  format: Schema.optionalKey(
    Schema.Literals(["json", "csv"]).annotate({
      description: "`csv`: the rows of `group_by` as text/csv, with a line of names. Default: json."
    })
  ),
  interval: Schema.optionalKey(
    Schema.Literals(["hour", "day", "month"]).annotate({ description: "Cuts every group by time as well." })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: 1, maximum: MAX_ROWS }, { expected: `a whole number from 1 to ${MAX_ROWS}` })
    )
  )
}
