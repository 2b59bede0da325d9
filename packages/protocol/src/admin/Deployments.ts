/** Deployments: one model at one provider each. */
import { Schema } from "effect"
import { page, rule, Timestamp } from "../Values.ts"

const price = (what: string) => Schema.Finite.annotate({ description: `${what}, USD per million tokens.` })

const rates = {
  input: price("Input"),
  cached_input: price("Input read from the provider's cache"),
  cache_write: price("Input written to the provider's cache"),
  output: price("Output"),
  reasoning: price("Reasoning")
}

export const Price = Schema.Struct({
  ...rates,
  tiers: Schema.Array(
    Schema.Struct({
      above_input_tokens: Schema.Int.annotate({
        description: "The tier holds for requests with more input tokens than this."
      }),
      ...rates
    })
  ).annotate({
    description: "Other prices for long requests, by ascending threshold; they then hold for all of the tokens."
  }),
  source: Schema.String.annotate({ description: "`configuration`, or `catalogue`." }),
  version: Schema.String
}).annotate({ identifier: "Price", title: "Prices", description: "The prices in force now." })
export type Price = typeof Price.Type

export const Health = Schema.Struct({
  circuit: Schema.Literals(["closed", "open", "half_open"]).annotate({
    description: "closed: it is called; open: it is not, for a while; half_open: one request tries it."
  }),
  since: Schema.NullOr(Timestamp).annotate({
    description: "When the circuit opened, or closed after it had been open; null: it never was."
  }),
  consecutive_failures: Schema.Int,
  error_rate: Schema.Finite.annotate({
    description:
      "What the circuit goes by: failures over calls of the last 30 s, or since it closed, 0 to 1. See `failure_rate_15m` for people."
  }),
  latency_ms_p50: Schema.NullOr(Schema.Finite).annotate({ description: "Median of whole answers, milliseconds." }),
  latency_ms_p95: Schema.NullOr(Schema.Finite).annotate({ description: "95 % of whole answers took at most this." }),
  ttft_ms_p50: Schema.NullOr(Schema.Finite).annotate({ description: "Median time to the first token, milliseconds." }),
  ttft_ms_p95: Schema.NullOr(Schema.Finite).annotate({ description: "95 % of streams began within this." }),
  last_error: Schema.NullOr(
    Schema.Struct({
      at: Timestamp,
      class: Schema.String.annotate({ description: "What sort of failure, e.g. `unavailable`, `rate_limited`." }),
      status: Schema.NullOr(Schema.Int).annotate({ description: "The provider's HTTP status; null: it gave none." }),
      code: Schema.NullOr(Schema.String).annotate({ description: "The provider's error code, where it gave one." }),
      message: Schema.String.annotate({
        description: "In the gateway's words: what a provider says may quote the caller."
      })
    })
  )
}).annotate({
  identifier: "Health",
  title: "Health",
  description: "What recent real traffic says of a deployment. It is never called just to see."
})

export const CallFailureRate = Schema.NullOr(Schema.Finite).annotate({
  description:
    "Failed calls over calls of the last 15 minutes, 0 to 1. Calls whose caller left, or whose request was at fault, count neither way. null: there were none."
})

export const ProviderKey = Schema.Struct({
  index: Schema.Int.annotate({ description: "Its place in the provider's `api_key` list, from 0." }),
  state: Schema.Literals(["ready", "rate_limited", "refused", "out_of_credit"]).annotate({
    description:
      "rate_limited: not used for this deployment for a while; refused, out_of_credit: not used for a while, then one request tries it."
  }),
  until: Schema.NullOr(Timestamp).annotate({ description: "Until when it is not used; null: it is ready." })
}).annotate({
  identifier: "ProviderKey",
  title: "Provider key",
  description: "How one of the provider's keys fares. Nothing of the key itself is ever shown."
})
export type ProviderKey = typeof ProviderKey.Type

export const Deployment = Schema.Struct({
  id: Schema.String.annotate({ examples: ["openai/gpt-5-mini"] }),
  object: Schema.Literal("deployment"),
  provider: Schema.String.annotate({ description: "The provider's name in the configuration." }),
  model: Schema.String.annotate({ description: "What the provider is asked for." }),
  protocol: Schema.String.annotate({
    description: "The wire language spoken to the provider.",
    examples: ["openai-chat"]
  }),
  status: Schema.Literals(["in_rotation", "out_of_rotation"]),
  health: Health,
  tokens_per_second_p50: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Output of its streams after the first token, half of them slower, in the last hour; null: nothing to measure."
  }),
  failure_rate_15m: CallFailureRate,
  requests_1h: Schema.Int.annotate({
    description: "Calls of it in the last hour that count, as in `failure_rate_15m`."
  }),
  failed_1h: Schema.Int.annotate({ description: "Those of them that failed." }),
  keys: Schema.Array(ProviderKey).annotate({
    description: "The provider's keys, in the order of the configuration; empty: it has none."
  }),
  buckets: Schema.Array(Schema.String).annotate({ description: "The buckets of `auto` that it serves." }),
  weight: Schema.Finite,
  priority: Schema.Finite.annotate({ description: "Lower is tried first where the order is by priority." }),
  price: Schema.NullOr(Price).annotate({ description: "null: nobody knows." }),
  context_window: Schema.NullOr(Schema.Int).annotate({
    description: "Tokens of input and output together; null: unknown."
  }),
  max_output_tokens: Schema.NullOr(Schema.Int),
  supports: Schema.Array(Schema.String).annotate({
    description: "What it can do.",
    examples: [["chat", "stream", "tools"]]
  }),
  in_flight: Schema.Int.annotate({ description: "Requests it is answering now." }),
  max_in_flight: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "Deployment", title: "Deployment", description: "One model at one provider." })
export type Deployment = typeof Deployment.Type

export const DeploymentList = page(Deployment, "In the order of the configuration.").annotate({
  identifier: "DeploymentList",
  title: "Deployments"
})
export type DeploymentList = typeof DeploymentList.Type

const id = Schema.String.check(Schema.isMinLength(1, { expected: "the id of a deployment" }))

export const DeploymentSelection = Schema.Struct({
  deployment: Schema.optionalKey(
    id.annotate({ description: "The id of a deployment.", examples: ["openai/gpt-5-mini"] })
  ),
  deployments: Schema.optionalKey(
    Schema.Array(id)
      .check(Schema.isBetweenLength(1, 1000, { expected: "1 to 1000 ids" }))
      .annotate({ description: "The ids of several: all of them change, or none." })
  )
})
  .check(
    rule(
      ({ deployment, deployments }: { readonly deployment?: unknown; readonly deployments?: unknown }) =>
        (deployment === undefined) !== (deployments === undefined) || {
          path: ["deployment"],
          issue: "Give `deployment` or `deployments`, one of the two."
        },
      "`deployment` or `deployments`"
    )
  )
  .annotate({
    identifier: "DeploymentSelection",
    title: "Which deployments",
    description: "One deployment, or several.",
    examples: [{ deployment: "openai/gpt-5-mini" }]
  })
export type DeploymentSelection = typeof DeploymentSelection.Type
