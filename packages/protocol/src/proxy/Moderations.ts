/** Moderations: the vendor-defined shape, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { GatewayInfo } from "./Chat.ts"
import { open, optional } from "../Open.ts"

export const ModerationRequest = open({
  model: optional(Schema.String).annotate({
    description: "Default: `auto`, the first model that is configured for this."
  }),
  input: Schema.Union([Schema.String, Schema.Array(Schema.String), Schema.Array(Schema.JsonObject)]).annotate({
    description: "A text, a list of texts, or a list of parts (text, images), which are judged together."
  })
}).annotate({
  identifier: "ModerationRequest",
  title: "Moderation request",
  examples: [{ input: "I want to harm the robots" }]
})

export const Moderation = open({
  id: Schema.String,
  model: Schema.String,
  results: Schema.Array(
    open({
      flagged: Schema.Boolean,
      categories: Schema.Record(Schema.String, Schema.Json),
      category_scores: Schema.Record(Schema.String, Schema.Json)
    })
  ),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "Moderation", title: "Moderation" })
