/** Embeddings: the vendor-defined shape, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { choice } from "./Choice.ts"
import { GatewayInfo } from "./Chat.ts"
import { Inputs, open, optional } from "../Open.ts"

export const EmbeddingsRequest = open({
  model: Schema.String.annotate({
    description: "A model that makes vectors; with `auto` the first one that is configured.",
    examples: ["text-embedding-3-small"]
  }),
  ...choice,
  input: Inputs,
  dimensions: optional(Schema.Int).annotate({ description: "Numbers per vector, where the model lets one choose." }),
  encoding_format: optional(Schema.Literals(["float", "base64"])).annotate({
    description:
      "`base64`: 32-bit floats, little endian. It works on every provider: where that one has no base64, the gateway packs."
  })
}).annotate({
  identifier: "EmbeddingsRequest",
  title: "Embeddings request",
  examples: [{ model: "auto", input: ["The first text", "The second text"] }]
})

export const Embeddings = open({
  object: Schema.Literal("list"),
  model: Schema.String,
  usage: open({
    prompt_tokens: Schema.Int,
    total_tokens: Schema.Int,
    cost: optional(Schema.Finite).annotate({ description: "USD, exact; null: nobody knows the price." })
  }).annotate({ identifier: "EmbeddingsUsage" }),
  gateway: Schema.optionalKey(GatewayInfo),
  data: Schema.Array(
    open({
      object: Schema.Literal("embedding"),
      index: Schema.Int,
      embedding: Schema.Union([Schema.Array(Schema.Finite), Schema.String])
    })
  )
}).annotate({ identifier: "Embeddings", title: "Embeddings" })
