/** Reads a request of Anthropic's Messages API leniently: unknown fields and blocks pass. */
import { Predicate, Result } from "effect"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { CallRequest } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import { readFormat, readModel, readOptions, wrong } from "../ParseFields.ts"
import { effortBits, HOSTED_TOOLS } from "../RequestFeatures.ts"
import { found, given, RequestScan } from "../RequestScan.ts"
import { chatEffort } from "./ChatEffort.ts"

// The system prompt of a message, as texts.

/** Claude Code begins its prompt with this line for Anthropic's books. It differs between calls of one session. */
const BILLING = /^x-anthropic-billing-header:/

/** Without the line above, which would make each call look like a session of its own, and spoil every prompt cache. */
export const systemTexts = (system: unknown): ReadonlyArray<string> => {
  if (typeof system === "string") return system === "" ? [] : [system]
  if (!Array.isArray(system)) return []
  return system.flatMap((block) => {
    const text: unknown = Predicate.hasProperty(block, "text") ? block.text : undefined
    return typeof text === "string" && text !== "" && !BILLING.test(text) ? [text] : []
  })
}

/** `body`: parsed from JSON of `bytes` bytes. */
export const readMessages = (body: unknown, bytes: number, long?: LongStrings) =>
  Result.flatMap(readConversation(body), ({ fields, history, model, seen }) => {
    if (given(fields["max_tokens"]) === undefined) {
      return wrong("max_tokens", "`max_tokens` is missing: it must be the largest number of output tokens")
    }
    const config = fields["output_config"]
    readFormat(Predicate.hasProperty(config, "format") ? config.format : fields["output_format"], seen)
    seen.features |= effortBits(chatEffort(fields))
    // Nothing is written then, and the prompt is cached.
    const writesNothing = fields["max_tokens"] === 0
    const options = readOptions(fields, seen, writesNothing ? [] : ["max_tokens"])
    return Result.map(options, ({ maxOutput, stream }): CallRequest => ({
      ...seen.summary(bytes),
      body: fields,
      contents: "messages",
      model,
      stream,
      includeUsage: false,
      history,
      // Tools that Anthropic runs are left out everywhere else.
      features: seen.features & ~HOSTED_TOOLS,
      maxOutput: writesNothing ? 0 : maxOutput,
      choices: 1,
      runsToolsAt: "anthropic-messages",
      ...(long === undefined ? undefined : { long })
    }))
  })

interface MessagesRequest {
  readonly fields: JsonObject
  readonly model: string
  /** The system prompt comes first, as a message. */
  readonly history: ReadonlyArray<unknown>
  readonly seen: RequestScan
}

/** Model, system prompt and messages. */
export const readConversation = (body: unknown): Result.Result<MessagesRequest, InvalidField> => {
  const read = readModel(body)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const [fields, model] = read.success
  const { messages } = fields
  const system = given(fields["system"])
  if (system !== undefined && !isSystem(system)) {
    return wrong("system", `\`system\` must be a string or a list of text blocks, ${found(system)}`)
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    return wrong("messages", `\`messages\` must be a list of at least one message, ${found(messages)}`)
  }
  const seen = new RequestScan()
  for (let index = 0; index < messages.length; index++) {
    const mistake = seen.message(withoutReminders(messages[index]), `messages[${index}]`)
    if (mistake !== undefined) return Result.fail(mistake)
  }
  const texts = systemTexts(system)
  const history = texts.length === 0 ? messages : [{ role: "system", content: texts.join("\n\n") }, ...messages]
  return Result.succeed({ fields, model, history, seen })
}

const isSystem = (system: unknown): boolean =>
  typeof system === "string" || (Array.isArray(system) && system.every(isText))

/** A message without tool results and reminders, which coding agents put into the user's turns. */
const withoutReminders = (message: unknown): unknown => {
  if (!Predicate.hasProperty(message, "content") || !Array.isArray(message.content)) return message
  const { content } = message
  if (content.length === 0 || !content.some(isReminder)) return message
  return content.every(isReminder)
    ? { ...message, role: "tool" }
    : { ...message, content: content.map((block: unknown) => (isText(block) && isReminder(block) ? UNREAD : block)) }
}

const UNREAD = { type: "thinking" }

const isText = (block: unknown): block is { readonly text: string } =>
  Predicate.hasProperty(block, "text") &&
  typeof block.text === "string" &&
  (!Predicate.hasProperty(block, "type") || block.type === "text")

const isReminder = (block: unknown): boolean =>
  isText(block)
    ? block.text.startsWith("<system-reminder>")
    : Predicate.hasProperty(block, "type") && block.type === "tool_result"
