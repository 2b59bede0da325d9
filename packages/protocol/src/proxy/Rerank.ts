/** Reranking, in the shape of Cohere and Jina, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { choice } from "./Choice.ts"
import { GatewayInfo } from "./Chat.ts"
import { open, optional } from "../Open.ts"

export const RerankRequest = open({
  model: Schema.String.annotate({
    description: "A model that ranks; with `auto` the first one that is configured.",
    examples: ["rerank-v4.0-fast"]
  }),
  ...choice,
  query: Schema.String,
  documents: Schema.Array(Schema.Union([Schema.String, open({ text: Schema.String })])).annotate({
    description: "1 to 10,000 texts, or objects that hold one."
  }),
  top_n: optional(Schema.Int).annotate({ description: "As many of the best are returned. Default: all." }),
  return_documents: optional(Schema.Boolean).annotate({
    description: "Whether each result holds its document. Default: false. Works on every provider."
  })
}).annotate({
  identifier: "RerankRequest",
  title: "Rerank request",
  examples: [
    { model: "auto", query: "What is the capital of France?", documents: ["Paris is.", "Rome is not."], top_n: 1 }
  ]
})

export const Ranking = open({
  id: Schema.String,
  model: Schema.String,
  results: Schema.Array(
    open({
      index: Schema.Int.annotate({ description: "The document's place in the request, from 0." }),
      relevance_score: Schema.Finite,
      document: optional(open({ text: Schema.String }))
    })
  ).annotate({ description: "Best first." }),
  usage: open({
    total_tokens: Schema.Int,
    search_units: optional(Schema.Int).annotate({ description: "At providers that bill these." }),
    cost: optional(Schema.Finite).annotate({ description: "USD, exact; null: nobody knows the price." })
  }).annotate({ identifier: "RerankUsage" }),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "Ranking", title: "Ranking" })
