/** Headers that carry meaning, in lower case as clients see them. */
import { Schema } from "effect"

/** On every successful answer of a proxy endpoint, streams included. */
export const RoutingHeaders = Schema.Struct({
  "x-gateway-decision": Schema.String.annotate({
    description:
      "`<provider>/<model>` that served the call; percent-encoded outside visible ASCII. Where `server.early_keepalive` sent the headers before the first token it is the first attempt; the trailer of the same name tells who answered.",
    examples: ["openai/gpt-5-mini"]
  }),
  "x-gateway-route-bucket": Schema.String.annotate({
    description: "The bucket the prompt was put in; `none` when the caller named the model.",
    examples: ["simple"]
  }),
  "x-gateway-route-score": Schema.String,
  "x-gateway-cost-usd": Schema.String,
  "x-gateway-retries": Schema.String,
  "x-request-id": Schema.String.annotate({ description: "The id of this request, for the log." }),
  "x-gateway-receipt-id": Schema.optionalKey(
    Schema.String.annotate({ description: "The id of this request's receipt." })
  ),
  "x-gateway-deployment": Schema.optionalKey(Schema.String.annotate({ description: "The id of the deployment." })),
  "x-gateway-cost-final": Schema.optionalKey(
    Schema.Literal("false").annotate({
      description: "The cost in the header is an upper bound; the exact one comes last in the stream."
    })
  ),
  "x-gateway-cost-known": Schema.optionalKey(
    Schema.Literal("false").annotate({
      description:
        "Nobody knows the price of a model that was asked: the cost is 0, or that of the attempts whose price is known. Of a stream also: nobody knows the most that it can cost."
    })
  ),
  "x-gateway-budget-remaining-usd": Schema.optionalKey(Schema.String),
  "x-gateway-budget-soft-exceeded": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Scopes with a budget that has spent more than its `soft_usd`, such as `team:research`, separated by commas.",
      examples: ["team:research"]
    })
  ),
  "x-gateway-replayed": Schema.optionalKey(
    Schema.Literal("1").annotate({
      description: "This is the answer to an earlier request with the same `Idempotency-Key`. It cost nothing."
    })
  ),
  "x-gateway-kept": Schema.optionalKey(
    Schema.Literal("0").annotate({
      description:
        "The gateway had no room to keep this answer for its `Idempotency-Key`: the same request would run again, and cost again. Of a stream it is a trailer."
    })
  ),
  "x-gateway-cache": Schema.optionalKey(
    Schema.Literals(["hit", "miss", "bypass"]).annotate({
      description: "What the response cache did. Absent where it is off for the request."
    })
  ),
  "cache-status": Schema.optionalKey(
    Schema.String.annotate({
      description: "The same in the words of RFC 9211.",
      examples: ["model-gateway; hit; ttl=3412"]
    })
  ),
  age: Schema.optionalKey(
    Schema.String.annotate({ description: "The age of a response of the cache, in whole seconds." })
  ),
  "x-gateway-guardrail-action": Schema.optionalKey(
    Schema.Literals(["flagged", "masked", "denied"]).annotate({
      description:
        "The strictest thing that guardrails did. Of a stream: to its request; its last event has `gateway.guardrail`."
    })
  ),
  "x-gateway-dropped-params": Schema.optionalKey(
    Schema.String.annotate({
      description: "Parameters that the provider can't take and that were left out, separated by commas."
    })
  )
})

/** The headers above that are numbers, as JSON Schema. */
export const numericHeaders = {
  "x-gateway-route-score": {
    type: "number",
    minimum: 0,
    maximum: 1,
    description: "The classifier's score, 0 to 1; 0 when no score decided, as when the caller named the model."
  },
  "x-gateway-cost-usd": {
    type: "number",
    description: "The cost of this request, USD. Of a stream it is the upper bound, with `X-Gateway-Cost-Final: false`."
  },
  "x-gateway-retries": { type: "integer", minimum: 0, description: "Attempts after the first." },
  "x-gateway-budget-remaining-usd": { type: "number", description: "The least that is left of any budget, USD." }
}

/** What a caller of a proxy endpoint may ask of the gateway itself. */
export const RequestHeaders = {
  "x-gateway-strict": Schema.optionalKey(
    Schema.String.annotate({
      description: "`1`: a parameter that the provider can't take is a 400 instead of being left out."
    })
  ),
  "x-gateway-stream-recovery": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "`buffer`: hold the answer until it is whole, so that every fault can be tried elsewhere. `cut`: don't."
    })
  ),
  "x-gateway-no-fallback": Schema.optionalKey(Schema.String.annotate({ description: "`1`: one deployment only." })),
  "x-gateway-route-prefer": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "`cost` or `quality`: moves the cut points between the buckets of `auto` up or down, as far as the configuration allows.",
      examples: ["cost"]
    })
  ),
  "x-gateway-end-user": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The id of the end user that the request is for, percent-encoded: 1 to 256 bytes without control characters. Its limits and budgets hold beside those of the key and team.",
      examples: ["user-42"]
    })
  ),
  "x-gateway-session-id": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Requests with the same id go to the same deployment while it can take them, which keeps the provider's prompt cache warm: 1 to 128 visible ASCII characters. Without it `prompt_cache_key` counts, else how the conversation begins.",
      examples: ["conversation-7f3a"]
    })
  ),
  "x-gateway-cache": Schema.optionalKey(
    Schema.String.annotate({ description: "`on`: use the response cache where its mode is `on_request`." })
  ),
  "cache-control": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "`no-cache`: call the provider, and store the response. `no-store`: neither look up nor store. `max-age=60`: accept responses of the cache of at most 60 s.",
      examples: ["max-age=60"]
    })
  ),
  "x-gateway-guardrails": Schema.optionalKey(
    Schema.String.annotate({
      description: "Guardrail policies for this request, separated by commas, in addition to those of its key.",
      examples: ["strict"]
    })
  ),
  "x-gateway-content": Schema.optionalKey(
    Schema.Literals(["none", "metadata"]).annotate({
      description:
        "Logs no content of this request, or only metadata. It never logs more than the operator's policy does."
    })
  ),
  "x-gateway-tags": Schema.optionalKey(
    Schema.String.annotate({
      description: "Labels to count the spend under, separated by commas.",
      examples: ["batch,nightly"]
    })
  ),
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "1 to 255 visible ASCII characters. The same request with the same key gets the first one's answer again for 24 hours, without cost and with `X-Gateway-Replayed: 1`. Failures are not kept, nor are answers of more than 4 MiB.",
      examples: ["order-1138"]
    })
  ),
  "x-request-id": Schema.optionalKey(
    Schema.String.annotate({ description: "Comes back in the answer when it is at most 128 visible ASCII characters." })
  )
}
