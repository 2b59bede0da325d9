/** What the demo vendor reads of a chat request. Lenient as vendors are: unknown fields are ignored, `null` is absent. */
import { Result, Schema, SchemaIssue } from "effect"
import { invalidRequest, type VendorError } from "../DemoVendorErrors.ts"

export const maybe = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))
const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
export const countOf = (most: number) => count.check(Schema.isLessThanOrEqualTo(most))
export const anyObject = Schema.Record(Schema.String, Schema.Unknown)

const Part = Schema.Struct({ type: Schema.String, text: maybe(Schema.String) })

const Message = Schema.Struct({
  role: Schema.String,
  content: maybe(Schema.Union([Schema.String, Schema.Array(Part)])),
  tool_calls: maybe(Schema.Array(anyObject))
})
export type DemoMessage = typeof Message.Type

const Tool = Schema.Struct({
  type: Schema.Literal("function"),
  function: Schema.Struct({ name: Schema.String, parameters: maybe(anyObject) })
})
export type Tool = typeof Tool.Type

const Named = Schema.Struct({ function: Schema.Struct({ name: Schema.String }) })

const ToolChoice = Schema.Union([
  Schema.Literals(["none", "auto", "required"]),
  Schema.Struct({ type: Schema.Literal("function"), ...Named.fields }),
  Schema.Struct({
    type: Schema.Literal("allowed_tools"),
    allowed_tools: Schema.Struct({ mode: Schema.Literals(["auto", "required"]), tools: Schema.Array(Named) })
  })
])

const ResponseFormat = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "json_object"]) }),
  Schema.Struct({ type: Schema.Literal("json_schema"), json_schema: Schema.Struct({ schema: maybe(anyObject) }) })
])

const DemoRequest = Schema.Struct({
  model: Schema.String,
  messages: Schema.NonEmptyArray(Message),
  stream: maybe(Schema.Boolean),
  stream_options: maybe(Schema.Struct({ include_usage: maybe(Schema.Boolean) })),
  n: maybe(countOf(128)),
  max_tokens: maybe(count),
  max_completion_tokens: maybe(count),
  stop: maybe(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  tools: maybe(Schema.Array(Tool)),
  tool_choice: maybe(ToolChoice),
  parallel_tool_calls: maybe(Schema.Boolean),
  response_format: maybe(ResponseFormat),
  reasoning_effort: maybe(Schema.String)
})
export type DemoRequest = typeof DemoRequest.Type

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** A reader of bodies of this shape; what it fails with is the vendor's complaint. */
export const readBody = <S extends Schema.Decoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (body: string): Result.Result<S["Type"], VendorError> =>
    parse(body).pipe(
      Result.mapError(() => invalidRequest("We could not parse the JSON body of your request.", null)),
      Result.flatMap((json) =>
        Result.mapError(decode(json), ({ issue }) => {
          const first = issuesOf(issue).issues[0]
          const path = (first?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".")
          const where = path === "" ? "the request" : `'${path}'`
          return invalidRequest(
            `Invalid value for ${where}: ${first?.message ?? "unexpected"}`,
            path === "" ? null : path
          )
        })
      )
    )
}

export const readRequest = readBody(DemoRequest)

export const textOf = ({ content }: DemoMessage): string => {
  if (typeof content === "string") return content
  return (content ?? []).map((part) => part.text ?? "").join(" ")
}

/** The parts of a message that are no text: images, audio, files. */
export const attachments = ({ content }: DemoMessage): number =>
  typeof content === "string" ? 0 : (content ?? []).filter((part) => typeof part.text !== "string").length

/** What the last user message says; empty when there is none. */
export const promptOf = (request: DemoRequest): string => {
  const message = request.messages.findLast((one) => one.role === "user")
  return message === undefined ? "" : textOf(message)
}

/** Tokens that the vendor counts for one image, whatever its size. */
const IMAGE_TOKENS = 85

export const inputCharacters = (request: DemoRequest): number => {
  let characters = 0
  for (const message of request.messages) {
    // A few characters per message for its role, as chat templates have them.
    characters += 16 + textOf(message).length + attachments(message) * IMAGE_TOKENS * 4
    if (message.tool_calls !== undefined && message.tool_calls !== null) {
      characters += JSON.stringify(message.tool_calls).length
    }
  }
  if (request.tools !== undefined && request.tools !== null) characters += JSON.stringify(request.tools).length
  return characters
}

/** A demo model's idea of a token: a word of up to seven letters with the space before it, a sign, or white space. */
const TOKEN = / ?[\p{L}\p{N}]{1,7}| ?[^\s\p{L}\p{N}]|\s+/gu

/** The tokens of `text`, in order; joined they are `text`. */
export const tokensOf = (text: string): ReadonlyArray<string> => text.match(TOKEN) ?? []

/** Tokens of input of so many characters: four to a token, as a rule of thumb for real models has it. */
export const estimatedTokens = (characters: number): number => Math.ceil(characters / 4)
