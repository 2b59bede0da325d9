/** What is logged of a request: its messages in the shape of OpenTelemetry's GenAI conventions, redacted and cut. */
import { Result } from "effect"
import {
  type CheckedRule,
  type ContentKind,
  type ContentMessage,
  type ContentPart,
  type ContentPlace,
  eventTextKind,
  eventTextName,
  type RequestContent,
  TextScanner,
  walkContent,
  walkEvent
} from "@model-gateway/protocol"
import type { JsonObject } from "@model-gateway/gateway/internal/core/domain/Json"
import type { Operation } from "@model-gateway/gateway/internal/core/operations/Operation"
import type { Receipt } from "@model-gateway/gateway/internal/core/receipts/Receipt"

/** A request that ended, and what its caller was sent. */
export interface LoggedContent {
  readonly receipt: Receipt
  readonly operation: Operation
  readonly level: RequestContent["level"]
  readonly request: JsonObject
  /** Undefined: it was streamed, or there was none. */
  readonly response: JsonObject | undefined
  /** The JSON of the events of a stream. */
  readonly events: ReadonlyArray<string>
  /** There were more events. */
  readonly isCut: boolean
}

interface RecordRules {
  /** Matches are struck out, whatever the action of the rule. */
  readonly redact: ReadonlyArray<CheckedRule>
  /** Of the request, and of the response. */
  readonly mostCharacters: number
}

/** The fields of requests and responses that hold a conversation, an input or an output. */
const SYSTEM = new Set(["system", "instructions"])
const INPUT = new Set(["messages", "input", "prompt", "suffix", "query", "documents", "negative_prompt", ...SYSTEM])
const OUTPUT = new Set(["choices", "candidates", "content", "output", "text", "data", "results"])

/** A match that begins before a cut is struck out if it ends so many characters after it. */
const BEYOND_CUT = 1_024

export const contentOf = (logged: LoggedContent, rules: RecordRules): RequestContent => {
  const { isCut, level, operation, receipt, request } = logged
  const { content } = operation
  const input = new Messages(rules, level)
  input.body(request, content.request, "user", INPUT)
  const output = new Messages(rules, level)
  const response = logged.response ?? responseIn(logged.events)
  if (response !== undefined) output.body(response, content.response, "assistant", OUTPUT)
  else output.events(logged.events.map(jsonOf), operation)
  const { messages, system } = input
  const tools = level === "full" && input.tools !== undefined ? input.redacted(input.tools) : null
  const written = output.messages
  const reasons = receipt.attempts.at(-1)?.answer?.finishReasons ?? []
  return {
    object: "request_content",
    request_id: receipt.requestId,
    level,
    cut: isCut || input.isCut || output.isCut,
    system,
    tools,
    input: messages,
    output: written.map((message, index) => ({
      ...message,
      finish_reason: reasons[index] ?? reasons[0] ?? "stop"
    }))
  }
}

const jsonOf = (text: string): JsonObject =>
  Result.getOrElse(
    Result.try(() => JSON.parse(text) as JsonObject),
    () => ({})
  )

/** The last event of the Responses API repeats the response. */
const responseIn = (events: ReadonlyArray<string>): JsonObject | undefined => {
  const last = events.at(-1)
  if (last === undefined || !/"type":\s*"response\.(?:completed|incomplete|failed)"/.test(last.slice(0, 200)))
    return undefined
  return jsonOf(last)["response"] as JsonObject | undefined
}

/** A part whose text is not complete. */
interface OpenPart {
  readonly type: ContentPart["type"]
  name?: string
  text?: string
}

const partTypes: Partial<Record<ContentKind, ContentPart["type"]>> = {
  reasoning: "reasoning",
  signed_reasoning: "reasoning",
  tool_name: "tool_call",
  tool_arguments: "tool_call",
  tool_result: "tool_call_response"
}

class Messages {
  isCut = false
  tools: string | undefined
  private readonly rules: RecordRules
  private readonly level: RequestContent["level"]
  private readonly open = new Map<string, { role: string; readonly parts: Array<OpenPart> }>()
  private left: number

  constructor(rules: RecordRules, level: RequestContent["level"]) {
    this.rules = rules
    this.level = level
    this.left = rules.mostCharacters
  }

  get system(): ReadonlyArray<ContentPart> {
    return [...this.open].flatMap(([name, { parts }]) =>
      SYSTEM.has(name) ? parts.map((part) => this.closed(part)) : []
    )
  }

  get messages(): ReadonlyArray<ContentMessage> {
    return [...this.open].flatMap(([name, { parts, role }]) =>
      SYSTEM.has(name) ? [] : [{ role, parts: parts.map((part) => this.closed(part)) }]
    )
  }

  body(
    body: JsonObject,
    rule: Parameters<typeof walkContent>[1],
    role: "user" | "assistant",
    fields: ReadonlySet<string>
  ): void {
    const place = ({ kind, path, role }: ContentPlace, text: string) => {
      const [, field = "", index = ""] = path.split("/")
      if (kind === "name" || !fields.has(field)) return
      const isOneMessage = field === "content" || field === "output" || SYSTEM.has(field)
      const name = !isOneMessage && /^\d+$/.test(index) ? `${field}/${index}` : field
      this.add(name, kind === "text" && role === "tool" ? "tool_result" : kind, role, text)
    }
    walkContent(
      body,
      rule,
      {
        text: (text, at) => (place(at, text), text),
        field: (value, at) => {
          if (at.kind === "tool_definition") this.tools ??= at.path === "/tools" ? jsonText(value) : undefined
          else if (at.kind === "tool_arguments") place(at, jsonText(value))
          return at.kind === "tool_definition" || at.kind === "tool_arguments"
        },
        removed: () => {}
      },
      { role }
    )
  }

  /** Pieces are joined. Texts that come at once repeat them, except for the names of tools. */
  events(events: ReadonlyArray<JsonObject>, operation: Operation): void {
    const { stream } = operation.content
    const isByChoice = operation.name === "chat" || operation.name === "completions"
    const pieces = new Map<string, OpenPart>()
    const calls = new Map<string, OpenPart>()
    const whole: Array<string> = []
    for (const event of events) {
      walkEvent(stream, event, (text, place) => {
        const { channel, isPiece } = place
        const kind = eventTextKind(stream, event, place)
        const message = isByChoice ? channel.split("/", 1)[0]! : "all"
        const name = eventTextName(event, place)
        if (kind === "tool_name" && !calls.has(channel)) {
          calls.set(channel, this.add(message, kind, "assistant", text))
        } else if (isPiece && text !== "") {
          const known = pieces.get(name) ?? (kind === "tool_arguments" ? calls.get(channel) : undefined)
          if (known === undefined) pieces.set(name, this.add(message, kind, "assistant", text))
          else known.text = (known.text ?? "") + text
        } else if (kind === "text") whole.push(text)
        return text
      })
    }
    if (pieces.size === 0) for (const text of new Set(whole)) this.add("all", "text", "assistant", text)
  }

  private add(message: string, kind: ContentKind, role: string, text: string): OpenPart {
    const known = this.open.get(message)
    const type = partTypes[kind] ?? "text"
    // Items of the Responses API have no roles where their types say it.
    const own =
      type === "tool_call" || type === "reasoning" ? "assistant" : type === "tool_call_response" ? "tool" : role
    const parts: Array<OpenPart> = known?.parts ?? []
    if (known === undefined) this.open.set(message, { role: own === "document" ? "user" : own, parts })
    const last = parts.at(-1)
    const field = kind === "tool_name" ? "name" : "text"
    if (type === "tool_call" && last?.type === type && last[field] === undefined) {
      last[field] = text
      return last
    }
    const part: OpenPart = { type, [field]: text }
    parts.push(part)
    return part
  }

  private closed({ name, text = "", type }: OpenPart): ContentPart {
    const named = name === undefined ? {} : { name: this.struckOut(name) }
    if (this.level === "metadata") return { type, ...named, length: text.length }
    const shown = type === "tool_call" ? this.redacted(text) : this.shown(text)
    const field = type === "tool_call" ? "arguments" : type === "tool_call_response" ? "response" : "content"
    return { type, ...named, [field]: shown, length: text.length }
  }

  /** JSON with what is redacted in its values and names. */
  redacted(json: string): string {
    if (json.length > this.left) return this.shown(json)
    const parsed = Result.getOrUndefined(Result.try(() => JSON.parse(json) as unknown))
    return this.taken(typeof parsed === "object" ? JSON.stringify(this.inJson(parsed)) : this.struckOut(json))
  }

  private inJson(value: unknown): unknown {
    if (typeof value === "string") return this.struckOut(value)
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map((one) => this.inJson(one))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.struckOut(name), this.inJson(one)]))
  }

  private shown(text: string): string {
    return this.taken(this.struckOut(text.slice(0, this.left + BEYOND_CUT)), text.length > this.left + BEYOND_CUT)
  }

  private taken(text: string, wasCut = false): string {
    const taken = text.slice(0, this.left)
    this.isCut ||= wasCut || taken.length < text.length
    this.left -= taken.length
    return taken
  }

  private struckOut(text: string): string {
    if (this.rules.redact.length === 0) return text
    const scanner = new TextScanner(
      this.rules.redact,
      ({ rule }) => `<${rule.name.toUpperCase().replaceAll(/\W/g, "_")}>`
    )
    return scanner.push(text, true)
  }
}

const jsonText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))
