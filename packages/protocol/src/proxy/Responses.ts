/** Responses: the vendor-defined shape, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { choice } from "./Choice.ts"
import { GatewayInfo } from "./Chat.ts"
import { open, optional } from "../Open.ts"

export const ResponseRequest = open({
  model: optional(Schema.String).annotate({
    description: "As for chat; `auto` where it is left out.",
    examples: ["auto"]
  }),
  input: optional(Schema.Union([Schema.String, Schema.Array(Schema.JsonObject)])).annotate({
    description: "A text, or items: messages, calls of tools and their results, thoughts of earlier answers."
  }),
  ...choice,
  instructions: optional(Schema.String),
  previous_response_id: optional(Schema.String).annotate({
    description: "Goes on from a stored response of the same key; its `instructions` are not repeated."
  }),
  store: optional(Schema.Boolean).annotate({ description: "`false`: the gateway keeps nothing of it." }),
  stream: optional(Schema.Boolean).annotate({ description: "Answer with server-sent events." }),
  background: optional(Schema.Boolean).annotate({
    description: "Answer with status `queued`, and go on without the caller: the response is read with its id."
  }),
  max_output_tokens: optional(Schema.Int).annotate({ description: "Output tokens, at most, thoughts included." }),
  temperature: optional(Schema.Finite),
  top_p: optional(Schema.Finite),
  tools: optional(Schema.Array(Schema.JsonObject)).annotate({
    description: "Of type `function`, `custom` or `namespace` at every model; others where the provider runs them."
  }),
  tool_choice: optional(Schema.Json),
  reasoning: optional(Schema.JsonObject),
  text: optional(Schema.JsonObject).annotate({ description: "`format`: text, or a JSON schema." }),
  include: optional(Schema.Array(Schema.String))
}).annotate({
  identifier: "ResponseRequest",
  title: "Response request",
  description: "The vendor-defined request. Fields not described here reach providers that have Responses untouched.",
  examples: [{ model: "auto", input: "Say hello." }]
})

const ResponseUsage = open({
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  total_tokens: Schema.Int,
  cost: optional(Schema.Finite).annotate({ description: "USD, exact; null: nobody knows the price." })
}).annotate({ identifier: "ResponseUsage", title: "Usage of a response" })

export const Response = open({
  id: Schema.String.annotate({ description: "The gateway's own, `resp_…`." }),
  object: Schema.Literal("response"),
  created_at: Schema.Int.annotate({ description: "Seconds since 1970." }),
  status: Schema.String.annotate({
    description: "`completed`, `incomplete`, `failed`, `cancelled`, `in_progress` or `queued`."
  }),
  model: Schema.String,
  output: Schema.Array(Schema.JsonObject).annotate({ description: "Messages, thoughts, and calls of tools." }),
  usage: optional(ResponseUsage),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "Response", title: "Response" })
