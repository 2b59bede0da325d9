/** Legacy completions: the vendor-defined shape, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { choice } from "./Choice.ts"
import { GatewayInfo, Usage } from "./Chat.ts"
import { Inputs, open, optional } from "../Open.ts"

export const CompletionRequest = open({
  model: Schema.String.annotate({ description: "As for chat.", examples: ["auto"] }),
  ...choice,
  prompt: Inputs,
  max_tokens: optional(Schema.Int).annotate({ description: "Output tokens for each answer, at most. Default: 16." }),
  n: optional(Schema.Int).annotate({ description: "Answers to each prompt." }),
  best_of: optional(Schema.Int).annotate({ description: "Answers to write for each prompt, of which `n` are sent." }),
  stream: optional(Schema.Boolean).annotate({ description: "Answer with server-sent events." }),
  stream_options: optional(Schema.JsonObject),
  echo: optional(Schema.Boolean),
  suffix: optional(Schema.String),
  logprobs: optional(Schema.Int),
  temperature: optional(Schema.Finite),
  top_p: optional(Schema.Finite),
  stop: optional(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
}).annotate({
  identifier: "CompletionRequest",
  title: "Completion request",
  description:
    "A model that only chats answers one prompt of text. It can't have several prompts, tokens, `echo`, `suffix`, `logprobs`, or more `best_of` than `n`.",
  examples: [{ model: "auto", prompt: "Say hello.", max_tokens: 64 }]
})

/** Also the JSON of one event of a stream. */
export const Completion = open({
  id: Schema.String.annotate({ description: "Unique per answer." }),
  object: Schema.Literal("text_completion"),
  created: Schema.Int.annotate({ description: "Seconds since 1970." }),
  model: Schema.String,
  choices: Schema.Array(open({ index: Schema.Int, text: Schema.String, finish_reason: optional(Schema.String) })),
  usage: optional(Usage),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "Completion", title: "Completion" })
