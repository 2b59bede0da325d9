/** Reads a request of Anthropic's Messages API leniently: unknown fields and blocks pass. */
import { Predicate, Result } from "effect"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { CallRequest } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import { readFormat, readModel, readOptions, wrong } from "../ParseFields.ts"
import { found, given, RequestScan } from "../RequestScan.ts"

/** `body`: parsed from JSON of `bytes` bytes. */
export const readMessages = (body: unknown, bytes: number, long?: LongStrings) =>
  Result.flatMap(readConversation(body), ({ fields, history, model, seen }) => {
    if (given(fields, "max_tokens") === undefined) {
      return wrong("max_tokens", "`max_tokens` must be the most tokens of the answer, and it is missing")
    }
    const config = fields["output_config"]
    readFormat(Predicate.hasProperty(config, "format") ? config.format : fields["output_format"], seen)
    // Nothing is written then, and the prompt is cached.
    const writesNothing = fields["max_tokens"] === 0
    const options = readOptions(fields, seen, writesNothing ? [] : ["max_tokens"])
    return Result.map(options, ({ maxOutput, stream }): CallRequest => ({
      body: fields,
      contents: "messages",
      model,
      stream,
      includeUsage: false,
      prompt: seen.prompt,
      hasUnread: seen.hasUnread,
      history,
      needs: [...seen.needs],
      ...seen.sizes(bytes),
      media: seen.media,
      maxOutput: writesNothing ? 0 : maxOutput,
      choices: 1,
      ...(long === undefined ? undefined : { long })
    }))
  })

interface Conversation {
  readonly fields: JsonObject
  readonly model: string
  /** The system prompt comes first, as a message. */
  readonly history: ReadonlyArray<unknown>
  readonly seen: RequestScan
}

/** Model, system prompt and messages. */
export const readConversation = (body: unknown): Result.Result<Conversation, InvalidField> => {
  const read = readModel(body)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const [fields, model] = read.success
  const { messages } = fields
  const system = given(fields, "system")
  if (system !== undefined && !isSystem(system)) {
    return wrong("system", `\`system\` must be a string or a list of text blocks, ${found(system)}`)
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    return wrong("messages", `\`messages\` must be a list of at least one message, ${found(messages)}`)
  }
  const seen = new RequestScan()
  for (let index = 0; index < messages.length; index++) {
    const message: unknown = messages[index]
    const mistake = seen.message(isResults(message) ? { ...message, role: "tool" } : message, `messages[${index}]`)
    if (mistake !== undefined) return Result.fail(mistake)
  }
  const history = system === undefined ? messages : [{ role: "system", content: system }, ...messages]
  return Result.succeed({ fields, model, history, seen })
}

const isSystem = (system: unknown): boolean =>
  typeof system === "string" ||
  (Array.isArray(system) &&
    system.every((block) => Predicate.hasProperty(block, "text") && typeof block.text === "string"))

/** A message of tool results only: nobody asked anything in it. */
const isResults = (message: unknown): message is JsonObject =>
  Predicate.hasProperty(message, "content") &&
  Array.isArray(message.content) &&
  message.content.length > 0 &&
  message.content.every((block) => Predicate.hasProperty(block, "type") && block.type === "tool_result")
