/** What was logged of a request's prompt and response, in the shape of OpenTelemetry's GenAI conventions. */
import { Schema } from "effect"

export const ContentPart = Schema.Struct({
  type: Schema.Literals(["text", "reasoning", "tool_call", "tool_call_response"]),
  content: Schema.optionalKey(Schema.String).annotate({ description: "The text. Left out of metadata." }),
  name: Schema.optionalKey(Schema.String).annotate({ description: "The name of the tool." }),
  arguments: Schema.optionalKey(Schema.String).annotate({ description: "JSON, as the model wrote it." }),
  response: Schema.optionalKey(Schema.String).annotate({ description: "What the tool responded." }),
  length: Schema.Int.annotate({ description: "Characters of the text." })
}).annotate({ identifier: "ContentPart", title: "Part of a message" })
export type ContentPart = typeof ContentPart.Type

export const ContentMessage = Schema.Struct({
  role: Schema.String,
  parts: Schema.Array(ContentPart),
  finish_reason: Schema.optionalKey(Schema.String).annotate({ description: "Of a response: why it ended." })
}).annotate({ identifier: "ContentMessage", title: "Message of a logged request" })
export type ContentMessage = typeof ContentMessage.Type

export const RequestContent = Schema.Struct({
  object: Schema.Literal("request_content"),
  request_id: Schema.String,
  level: Schema.Literals(["metadata", "full"]),
  cut: Schema.Boolean.annotate({ description: "Some of it was longer than `content.capture_kb`." }),
  system: Schema.Array(ContentPart).annotate({ description: "Instructions." }),
  tools: Schema.NullOr(Schema.String).annotate({ description: "JSON of the tools that the model may call." }),
  input: Schema.Array(ContentMessage),
  output: Schema.Array(ContentMessage)
}).annotate({ identifier: "RequestContent", title: "Content of a request" })
export type RequestContent = typeof RequestContent.Type
