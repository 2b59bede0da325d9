/** Anthropic's Messages API, as far as the gateway itself reads or adds to it. The rest passes through. */
import { Schema } from "effect"
import { choice } from "./Choice.ts"
import { GatewayInfo } from "./Chat.ts"

const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Json)])

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const textOrBlocks = Schema.Union([Schema.String, Schema.Array(Schema.JsonObject)])

const conversation = {
  model: Schema.String.annotate({
    description: "`auto`, an alias, the id of a deployment, `<provider>/<model>`, or the bare name of a model.",
    examples: ["auto"]
  }),
  messages: Schema.Array(
    open({
      role: Schema.String.annotate({ description: "`user` or `assistant`." }),
      content: textOrBlocks.annotate({
        description: "Text, or blocks: text, images, documents, tool calls and their results, thoughts."
      })
    }).annotate({ identifier: "InputMessage" })
  ),
  system: optional(textOrBlocks).annotate({ description: "The system prompt." }),
  tools: optional(Schema.Array(Schema.JsonObject)),
  tool_choice: optional(Schema.JsonObject),
  thinking: optional(Schema.JsonObject)
}

export const MessagesRequest = open({
  ...conversation,
  max_tokens: Schema.Int.annotate({ description: "Output tokens, at most." }),
  stream: optional(Schema.Boolean).annotate({ description: "Answer with server-sent events." }),
  stop_sequences: optional(Schema.Array(Schema.String)),
  output_config: optional(Schema.JsonObject),
  metadata: optional(Schema.JsonObject),
  ...choice
}).annotate({
  identifier: "MessagesRequest",
  title: "Messages request",
  description:
    "A request of Anthropic's Messages API. To deployments of that API it goes on untouched; for others it is translated.",
  examples: [{ model: "auto", max_tokens: 100, messages: [{ role: "user", content: "Say hello." }] }]
})

export const CountTokensRequest = open(conversation).annotate({
  identifier: "CountTokensRequest",
  title: "Request to count tokens",
  examples: [{ model: "auto", messages: [{ role: "user", content: "Say hello." }] }]
})

export const Message = open({
  id: Schema.String.annotate({ description: "Unique per answer." }),
  type: Schema.Literal("message"),
  role: Schema.Literal("assistant"),
  model: Schema.String,
  content: Schema.Array(Schema.JsonObject),
  stop_reason: Schema.NullOr(Schema.String),
  stop_sequence: optional(Schema.String),
  usage: open({
    input_tokens: Schema.Int,
    output_tokens: Schema.Int,
    cost: optional(Schema.Finite).annotate({ description: "USD, exact; null: nobody knows the price." })
  }).annotate({ identifier: "MessageUsage" }),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "Message", title: "Message" })

export const TokensCount = open({
  input_tokens: Schema.Int,
  gateway: open({
    ...GatewayInfo.fields,
    estimated: Schema.optionalKey(
      Schema.Literal(true).annotate({ description: "The provider has no count, so the gateway made one." })
    )
  })
}).annotate({ identifier: "TokensCount", title: "Number of tokens" })
