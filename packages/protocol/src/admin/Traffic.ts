/** Traffic over time: how much, how fast, how well. */
import { Schema } from "effect"
import { receiptStatuses } from "../Receipts.ts"
import { rule, Timestamp, TimeOrDay, TimeZone, Usd } from "../Values.ts"

export const trafficDimensions = [
  "deployment",
  "provider",
  "model",
  "bucket",
  "endpoint",
  "stream",
  "status",
  "error",
  "limit",
  "key",
  "team",
  "tag"
] as const
export type TrafficDimension = (typeof trafficDimensions)[number]

export const trafficLimits = ["rpm", "tpm", "parallel", "budget"] as const

const share = (what: string) =>
  Schema.NullOr(Schema.Finite).annotate({ description: `${what}; at most 5 % off; null: nothing to measure.` })

const Times = Schema.Struct({
  p50: share("Half of them took at most this"),
  p90: share("90 %"),
  p95: share("95 %"),
  p99: share("99 %"),
  max: Schema.NullOr(Schema.Finite).annotate({ description: "The longest, exactly." })
}).annotate({ identifier: "Times", title: "Times", description: "Milliseconds." })

const count = (description: string) => Schema.Int.annotate({ description })

export const FailureRate = Schema.NullOr(Schema.Finite).annotate({
  description:
    "(failed + cut) / (ok + failed + cut), 0 to 1: refused requests and those whose caller left count neither way. null: there were none."
})

const sums = {
  requests: count("Requests, refused ones included. Each counts with its last attempt."),
  ok: count("Answered."),
  failed: count("Without an answer, or lost with the process."),
  cut: count("Broken off after the answer had begun."),
  client_gone: count("The caller left before the end."),
  refused: count("By the gateway, before or after routing: a wrong key, a bad request, a limit, a budget, the store."),
  failure_rate: FailureRate,
  retried: count("Took more than one attempt."),
  attempts: count("Calls of deployments."),
  latency_ms: Times.annotateKey({ description: "From the beginning to the end of whole answers." }),
  first_token_ms: Times.annotateKey({ description: "To the first content of streams." }),
  overhead_ms: Schema.Struct({ p50: share("Half of them"), p99: share("99 %") }).annotate({
    description:
      "What whole answers took beside the calls of providers: the gateway itself, and its pauses between attempts."
  }),
  tokens_per_second: Schema.Struct({
    p10: share("A tenth was slower than this"),
    p50: share("Half was slower")
  }).annotate({
    description: "Output of streams after the first content."
  }),
  input_tokens: count("Everything read, cached input included."),
  cached_input_tokens: count("The part of it that providers had in their caches."),
  output_tokens: count("Everything produced, reasoning included."),
  cost_usd: Usd.annotate({ description: "Of all attempts, USD, as the ledger has it." }),
  unpriced: count("Answers whose price nobody knows: they are no part of `cost_usd`."),
  auto_baseline_usd: Usd.annotate({
    description: "What the answers to `auto` would have cost at the first deployment of the strongest bucket, USD."
  })
}

export const TrafficTotal = Schema.Struct(sums).annotate({ identifier: "TrafficTotal", title: "All traffic" })
export type TrafficTotal = typeof TrafficTotal.Type

const dimension = (description: string) => Schema.optionalKey(Schema.NullOr(Schema.String)).annotate({ description })

export const TrafficRow = Schema.Struct({
  start: Schema.optionalKey(Schema.String).annotate({
    description: "The beginning of the interval, RFC 3339 with the offset of the time zone asked for."
  }),
  deployment: dimension("The deployment; null: refused before one was chosen."),
  provider: dimension("Its provider."),
  model: dimension("Its model, as the provider is asked for it."),
  bucket: dimension("The bucket of `auto`; `none` where the caller named the model."),
  endpoint: dimension("The path of the endpoint."),
  stream: dimension("`true` or `false`."),
  status: dimension("How the request ended, as in its receipt."),
  error: dimension(
    "How the attempt ended, as in the receipt, or the code of a refusal before routing. A request counts with its last attempt. With key, team or tag: refusals before routing only."
  ),
  limit: dimension("The limit that refused it: `rpm`, `tpm`, `parallel` or `budget`."),
  key: dimension("The id of the key; null: requests that were refused before it was known."),
  key_name: dimension("What the key is called now, beside `key`; null: it has no name."),
  team: dimension("The team; null: keys without one."),
  tag: dimension("The tag; null: requests without one. A request with several counts in each of them."),
  ...sums
}).annotate({
  identifier: "TrafficRow",
  title: "Traffic of one group",
  description: "It names the dimensions that were asked for, and no others."
})
export type TrafficRow = typeof TrafficRow.Type

const classes = (what: string) =>
  Schema.Array(
    Schema.Struct({
      from: Schema.Finite.annotate({ description: "Milliseconds, inclusive." }),
      to: Schema.Finite.annotate({ description: "Milliseconds, exclusive." }),
      count: Schema.Int
    })
  ).annotate({ description: `${what}, in classes that grow by a third. None of them is empty.` })

export const TrafficReport = Schema.Struct({
  object: Schema.Literal("traffic"),
  from: Timestamp.annotate({ description: "Inclusive: what was asked for, down to a whole interval." }),
  to: Timestamp.annotate({ description: "Exclusive: what was asked for, up to a whole interval." }),
  time_zone: Schema.String,
  interval: Schema.NullOr(Schema.Literals(["minute", "hour", "day"])).annotate({
    description: "null: not cut by time."
  }),
  total: TrafficTotal,
  before: Schema.optionalKey(
    TrafficTotal.annotateKey({
      description: "All traffic of the time before that is as long, as far as it is kept. With `compare=true` only."
    })
  ),
  histograms: Schema.optionalKey(
    Schema.Struct({
      latency_ms: classes("How many whole answers took so long"),
      first_token_ms: classes("How many streams began after so long"),
      scores: Schema.Array(
        Schema.Struct({
          from: Schema.Finite.annotate({ description: "Inclusive." }),
          to: Schema.Finite.annotate({ description: "Exclusive, but for 1." }),
          count: Schema.Int
        })
      ).annotate({ description: "How many prompts got such a score from `auto`, in all twenty classes from 0 to 1." })
    })
  ).annotate({ description: "Of all traffic asked for. With `histograms=true` only." }),
  rows: Schema.Array(TrafficRow).annotate({
    description: "In the order of time, then most requests first. Times without traffic have none."
  }),
  has_more: Schema.Boolean.annotate({ description: "Whether `rows` was cut at `limit`. The total is of everything." })
}).annotate({ identifier: "TrafficReport", title: "Traffic" })
export type TrafficReport = typeof TrafficReport.Type

const GroupBy = Schema.String.check(
  rule(
    (text: string) => {
      const parts = text.split(",")
      const known: ReadonlyArray<string> = trafficDimensions
      return parts.every((part) => known.includes(part)) && new Set(parts).size === parts.length
    },
    `one or more of ${trafficDimensions.join(", ")}, separated by commas; /admin/spend counts requests of end users and sessions`
  )
)

export const DEFAULT_TRAFFIC_ROWS = 10_000
export const MOST_TRAFFIC_ROWS = 100_000

const only = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const TrafficQuery = {
  from: Schema.optionalKey(TimeOrDay.annotate({ description: "RFC 3339 or YYYY-MM-DD. Default: a day before `to`." })),
  to: Schema.optionalKey(TimeOrDay.annotate({ description: "RFC 3339 or YYYY-MM-DD. Default: now." })),
  tz: Schema.optionalKey(TimeZone.annotate({ description: "IANA name of the time zone of days. Default: UTC." })),
  interval: Schema.optionalKey(
    Schema.Literals(["minute", "hour", "day"]).annotate({
      description:
        "Cuts every group by time. Minutes are kept for 48 hours, hours for 90 days, days for two years. Callers (key, team, tag) have no minutes."
    })
  ),
  group_by: Schema.optionalKey(
    GroupBy.annotate({
      description: `Any of ${trafficDimensions.join(", ")}, separated by commas; key, team and tag with each other, status, error and limit only.`,
      examples: ["deployment,status"]
    })
  ),
  deployment: only("Only this deployment."),
  provider: only("Only this provider."),
  model: only("Only this model."),
  bucket: only("Only this bucket."),
  endpoint: only("Only this endpoint, such as `/v1/chat/completions`."),
  stream: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ description: "Only streams, or all others." })
  ),
  status: Schema.optionalKey(
    Schema.Literals(receiptStatuses).annotate({ description: "Only requests that ended so." })
  ),
  error: only("Only attempts that ended so, or refusals with this code."),
  limit_kind: Schema.optionalKey(
    Schema.Literals(trafficLimits).annotate({ description: "Only requests that this limit refused." })
  ),
  key: only("Only this key."),
  team: only("Only this team."),
  tag: only("Only requests with this tag."),
  histograms: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "Whether to tell how long answers took, and scores of `auto`, as histograms too. Default: false."
    })
  ),
  compare: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "Whether to sum up the time before too. Default: false."
    })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 1, maximum: MOST_TRAFFIC_ROWS },
        { expected: `a whole number from 1 to ${MOST_TRAFFIC_ROWS}` }
      )
    )
  )
}
