/**
 * The stream of an OpenAI chat completion, looked at as text: most chunks hold a few characters of content and go on as they came;
 * only those that can hold usage, a finish reason or an error are parsed.
 */
import type { JsonObject } from "../../core/ChatRequest.ts"
import {
  type ProviderFailure,
  type SseEvent,
  type StreamEvent,
  type StreamLifter,
  truncated
} from "../../core/Provider.ts"
import { tierNamed } from "../../core/ServiceTier.ts"
import { failureOfErrorObject } from "./OpenAiErrors.ts"
import { isObject, objectsIn, parseJson } from "./OpenAiJson.ts"
import { newRepairState, repairedChunk, type RepairState } from "./OpenAiRepair.ts"
import {
  contentOf,
  holdsValue,
  isEmptyList,
  isFilled,
  isList,
  isObjectAt,
  isObjectText,
  KnownChunk,
  valueOf,
  withoutNullUsage
} from "./OpenAiScan.ts"
import { canonicalUsage, usageOf } from "./OpenAiUsage.ts"

export interface StreamOptions {
  /** Chunks come from the vendor itself and need no repair. */
  readonly native: boolean
  /** Epoch ms, for servers that leave out when the answer was made. */
  readonly now: number
}

export const openAiStream = (options: StreamOptions): StreamLifter => new OpenAiStream(options)

class OpenAiStream implements StreamLifter {
  private readonly options: StreamOptions
  private readonly repairs: RepairState | undefined
  /** The usage of the whole answer is the last one told, and told last. */
  private held: Extract<StreamEvent, { kind: "usage" }> | undefined
  private serviceTier: string | undefined
  private closed = false
  private known: KnownChunk | undefined

  constructor(options: StreamOptions) {
    this.options = options
    this.repairs = options.native ? undefined : newRepairState(options.now)
  }

  push({ data, event }: SseEvent): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    if (event === "error") return this.fail(data)
    const text = isObjectText(data) ? data : data.trim()
    const known = this.known?.match(text)
    if (known !== undefined) return [{ kind: "content", data: known }]
    if (isObjectText(text)) return this.scanned(text)
    if (text === "[DONE]") return this.finished([{ kind: "done" }])
    return text === "" ? [] : [{ kind: "malformed" }]
  }

  end(): ReadonlyArray<StreamEvent> {
    return this.finished([])
  }

  private scanned(text: string): ReadonlyArray<StreamEvent> {
    const choices = valueOf(text, "choices", 0)
    if (
      !isList(text, choices) ||
      holdsValue(text, "finish_reason", 0) ||
      holdsValue(text, "usage", 0) ||
      holdsValue(text, "error", 0) ||
      this.needsRepair(text, choices)
    ) {
      return this.parsed(text)
    }
    // What is like the chunks before it is known to be sound; of anything else only the parser can say so.
    if (!isObject(parseJson(text))) return [{ kind: "malformed" }]
    const content = contentOf(text, choices)
    if (content < 0) return [{ kind: "lifecycle", data: withoutNullUsage(text) }]
    this.known = KnownChunk.of(text, content)
    return [{ kind: "content", data: withoutNullUsage(text) }]
  }

  private parsed(text: string): ReadonlyArray<StreamEvent> {
    const chunk = parseJson(text)
    if (!isObject(chunk)) return [{ kind: "malformed" }]
    if (chunk["error"] !== undefined && chunk["error"] !== null) return this.fail(chunk["error"])
    if (chunk["object"] === "error") return this.fail(chunk)
    this.serviceTier = tierNamed(chunk["service_tier"]) ?? this.serviceTier
    this.holdUsage(chunk)
    const choices = objectsIn(chunk["choices"])
    const hadUsage = isObject(chunk["usage"]) || isObject(groqUsage(chunk))
    // Events of other kinds (pings, metrics) say nothing to the caller.
    if (!Array.isArray(chunk["choices"]) || (choices.length === 0 && hadUsage)) return []
    if (choices.some((choice) => choice["finish_reason"] === "error")) {
      return this.failed(truncated("the provider stopped with an error"))
    }
    const { usage: _, ...rest } = withoutGroqUsage(chunk)
    const out = this.repairs === undefined ? rest : repairedChunk(rest, this.repairs)
    const data = JSON.stringify(out)
    const finishes = choices.some(({ finish_reason: reason }) => typeof reason === "string" && reason !== "")
    if (finishes) return [{ kind: "finish", data }]
    return [{ kind: contentOf(data, valueOf(data, "choices", 0)) < 0 ? "lifecycle" : "content", data }]
  }

  private holdUsage(chunk: JsonObject): void {
    const raw = isObject(chunk["usage"]) ? chunk["usage"] : groqUsage(chunk)
    const usage = usageOf(raw)
    if (!isObject(raw) || usage === undefined) return
    const { choices: _, usage: __, ...rest } = withoutGroqUsage(chunk)
    const named = {
      ...rest,
      object: "chat.completion.chunk",
      created: chunk["created"] ?? Math.floor(this.options.now / 1000)
    }
    this.held = {
      kind: "usage",
      usage,
      data: JSON.stringify({ ...named, choices: [], usage: canonicalUsage(raw, usage) })
    }
  }

  private needsRepair(text: string, choices: number): boolean {
    if (this.repairs === undefined || isEmptyList(text, choices)) return false
    const delta = valueOf(text, "delta", choices)
    return (
      this.repairs.roles.size === 0 ||
      !isObjectAt(text, delta) ||
      valueOf(text, "finish_reason", choices) < 0 ||
      isFilled(text, valueOf(text, "tool_calls", delta)) ||
      isList(text, valueOf(text, "content", delta))
    )
  }

  private fail(error: unknown): ReadonlyArray<StreamEvent> {
    const value = typeof error === "string" ? (parseJson(error) ?? error) : error
    const inner = isObject(value) && isObject(value["error"]) ? value["error"] : value
    return this.failed(failureOfErrorObject(inner, "unavailable"))
  }

  private failed(failure: ProviderFailure): ReadonlyArray<StreamEvent> {
    this.closed = true
    return [{ kind: "failed", failure }]
  }

  private finished(events: ReadonlyArray<StreamEvent>): ReadonlyArray<StreamEvent> {
    this.closed = true
    const held = this.held
    this.held = undefined
    return held === undefined ? events : [{ ...held, serviceTier: this.serviceTier }, ...events]
  }
}

const groqUsage = (chunk: JsonObject): unknown => (isObject(chunk["x_groq"]) ? chunk["x_groq"]["usage"] : undefined)

const withoutGroqUsage = (chunk: JsonObject): JsonObject => {
  if (!isObject(chunk["x_groq"]) || chunk["x_groq"]["usage"] === undefined) return chunk
  const { usage: _, ...rest } = chunk["x_groq"]
  return { ...chunk, x_groq: rest }
}
