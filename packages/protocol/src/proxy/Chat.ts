/** Chat completions: the vendor-defined shape, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { choice } from "./Choice.ts"
import { open, optional } from "../Open.ts"

const Message = open({
  role: Schema.String.annotate({ description: "`system`, `developer`, `user`, `assistant` or `tool`." }),
  content: Schema.optionalKey(
    Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.JsonObject)])).annotate({
      description: "Text, or parts (text, images, files)."
    })
  )
}).annotate({ identifier: "ChatMessage" })

const spoken = {
  content: optional(Schema.String),
  refusal: optional(Schema.String),
  reasoning_content: optional(Schema.String).annotate({ description: "What the model thought aloud, where it does." })
}

const AnswerMessage = open({
  role: Schema.String.annotate({ description: "`assistant`." }),
  ...spoken,
  tool_calls: optional(
    Schema.Array(
      open({
        id: Schema.String,
        type: Schema.String.annotate({ description: "`function`, or the provider's own." }),
        function: Schema.optionalKey(
          open({
            name: Schema.String,
            arguments: Schema.String.annotate({ description: "JSON, as the model wrote it." })
          })
        )
      })
    )
  )
}).annotate({ identifier: "ChatAnswerMessage" })

const Delta = open({
  role: optional(Schema.String),
  ...spoken,
  tool_calls: optional(
    Schema.Array(
      open({
        index: Schema.Int.annotate({ description: "Which call of the message this is a piece of." }),
        id: optional(Schema.String),
        type: optional(Schema.String),
        function: optional(open({ name: optional(Schema.String), arguments: optional(Schema.String) }))
      })
    )
  )
})

export const ChatRequest = open({
  model: Schema.String.annotate({
    description: "`auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model.",
    examples: ["auto"]
  }),
  ...choice,
  messages: Schema.Array(Message),
  stream: optional(Schema.Boolean).annotate({ description: "Answer with server-sent events." }),
  stream_options: optional(Schema.JsonObject).annotate({
    description: "`include_usage: true` asks for the usage in a last chunk; the others then have `usage: null`."
  }),
  max_completion_tokens: optional(Schema.Int).annotate({ description: "Output tokens, at most." }),
  max_tokens: optional(Schema.Int).annotate({ description: "The older name of `max_completion_tokens`." }),
  temperature: optional(Schema.Finite),
  top_p: optional(Schema.Finite),
  n: optional(Schema.Int).annotate({ description: "Answers to make." }),
  stop: optional(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  tools: optional(Schema.Array(Schema.JsonObject)),
  tool_choice: optional(Schema.Json),
  response_format: optional(Schema.JsonObject)
}).annotate({
  identifier: "ChatRequest",
  title: "Chat request",
  description:
    "The vendor-defined chat request. Fields not described here reach providers of the same protocol untouched.",
  examples: [{ model: "auto", messages: [{ role: "user", content: "Say hello." }] }]
})

/** How a request was routed and what it cost; the same as in the headers. */
export const GatewayInfo = Schema.Struct({
  decision: Schema.String.annotate({ description: "`<provider>/<model>` that served the call." }),
  deployment: Schema.String.annotate({ description: "The id of the deployment." }),
  bucket: Schema.String.annotate({ description: "The bucket of `auto`; `none` when the caller named the model." }),
  score: Schema.Finite.annotate({ description: "The classifier's score, 0 to 1." }),
  cost_usd: Schema.NullOr(Schema.Finite).annotate({
    description:
      "The exact cost of all attempts, USD, without those of unknown price (see the header `X-Gateway-Cost-Known`); null: no price is known."
  }),
  retries: Schema.Int.annotate({ description: "Attempts after the first." }),
  receipt_id: Schema.String,
  guardrail: Schema.optionalKey(
    Schema.Struct({ check: Schema.String, action: Schema.Literals(["flag", "mask", "deny"]) })
  ).annotate({ description: "The strictest thing that guardrails did. Left out: nothing." })
}).annotate({ identifier: "GatewayInfo", title: "Routing decision" })

export const Usage = open({
  prompt_tokens: Schema.Int,
  completion_tokens: Schema.Int,
  total_tokens: Schema.Int,
  cost: optional(Schema.Finite).annotate({ description: "USD, exact; null: nobody knows the price." })
}).annotate({ identifier: "Usage", title: "Usage" })

export const ChatCompletion = open({
  id: Schema.String.annotate({ description: "Unique per answer." }),
  object: Schema.Literal("chat.completion"),
  created: Schema.Int.annotate({ description: "Seconds since 1970." }),
  model: Schema.String,
  choices: Schema.Array(
    open({
      index: Schema.Int,
      message: AnswerMessage,
      finish_reason: optional(Schema.String)
    })
  ),
  usage: optional(Usage),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "ChatCompletion", title: "Chat completion" })

/** The JSON of one event. */
export const ChatCompletionChunk = open({
  id: Schema.String,
  object: Schema.Literal("chat.completion.chunk"),
  created: Schema.Int,
  model: Schema.String,
  choices: Schema.Array(
    open({
      index: Schema.Int,
      delta: Delta,
      finish_reason: optional(Schema.String)
    })
  ),
  usage: optional(Usage),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({
  identifier: "ChatCompletionChunk",
  title: "Chunk of a chat completion",
  description: "The last chunk that carries data also carries `gateway`, with the exact cost."
})
