/** The stream of an OpenAI chat completion, looked at as text: only chunks that can hold usage, a finish reason or an error are parsed. */
import type { ProviderFailure } from "../../../../core/domain/Failures.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { StreamLifter, UpstreamCall, StreamEvent, WireEvent } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOr, objectsIn, type JsonObject } from "../../../json/LooseJson.ts"
import { failureOfErrorObject } from "../OpenAiErrors.ts"
import { ChunkRepair } from "./OpenAiChatChunks.ts"
import { isKnownEnd, stoppedWith } from "./OpenAiChatFinish.ts"
import { isNative } from "./OpenAiChatResponse.ts"
import {
  contentOf,
  holdsValue,
  isList,
  isObjectText,
  KnownChunk,
  valueOf,
  withNullUsage,
  withoutNullUsage,
  withoutRole
} from "./OpenAiChatScan.ts"
import { canonicalUsage, usageOf } from "./OpenAiChatUsage.ts"
import { MALFORMED } from "../../shared/JsonEvents.ts"

/** The choices of a stream that have not finished. A server that ends with `[DONE]` alone leaves some. */
export class OpenChoices {
  /** By index: whether the choice calls tools; undefined once it has finished. */
  private readonly calls = new Map<unknown, boolean | undefined>()
  private head: JsonObject = {}

  add({ choices, usage: _, ...head }: JsonObject): void {
    const given = objectsIn(choices)
    if (given.length > 0) this.head = head
    for (const { delta, finish_reason: reason, index } of given) {
      // Some servers send the usage in one more chunk of a choice that has finished.
      if (this.calls.has(index) && this.calls.get(index) === undefined) continue
      const isFinished = typeof reason === "string" && reason !== ""
      const isCalling = isObject(delta) && Array.isArray(delta["tool_calls"])
      this.calls.set(index, isFinished ? undefined : isCalling || this.calls.get(index) === true)
    }
  }

  /** The chunks that finish them, one for each. `empty`: what a choice holds beside its index and its reason. */
  finishes(empty: JsonObject): ReadonlyArray<JsonObject> {
    return [...this.calls].flatMap(([index, isCalling]) => {
      if (isCalling === undefined) return []
      const choice = { index, ...empty, finish_reason: isCalling ? "tool_calls" : "stop" }
      return [{ ...this.head, choices: [choice] }]
    })
  }
}

export const stream = (call: UpstreamCall): StreamLifter => new OpenAiStream(call)

class OpenAiStream implements StreamLifter {
  private readonly call: UpstreamCall
  private readonly repairs: ChunkRepair | undefined
  /** The usage of the complete response is the last one told, and told last. */
  private held: Extract<StreamEvent, { kind: "usage" }> | undefined
  private serviceTier: string | undefined
  private closed = false
  /** The provider said that it failed to make the response. What that used all the same may still be told. */
  private failing: ProviderFailure | undefined
  private known: KnownChunk | undefined
  private begun = false
  private said = false
  /** The choices of a native stream that have not finished, and what their chunks have in common. */
  private readonly open = new OpenChoices()

  constructor(call: UpstreamCall) {
    this.call = call
    this.repairs = isNative(call) ? undefined : new ChunkRepair(call.now)
  }

  push({ data, kind }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    if (this.failing !== undefined) return this.afterFailing(this.failing, data)
    if (kind === "error") return this.fail(data)
    const text = isObjectText(data) ? data : data.trim()
    const known = this.known?.match(text)
    if (known !== undefined) return [known]
    if (isObjectText(text)) return this.scanned(text)
    if (text === "[DONE]") return [...this.unfinished(), ...this.finished([{ kind: "done" }])]
    return text === "" ? [] : [{ kind: "malformed" }]
  }

  end(): ReadonlyArray<StreamEvent> {
    return this.failing === undefined ? this.finished([]) : this.failed(this.failing)
  }

  private scanned(text: string): ReadonlyArray<StreamEvent> {
    const choices = valueOf(text, "choices", 0)
    if (
      !isList(text, choices) ||
      holdsValue(text, "finish_reason", 0) ||
      holdsValue(text, "usage", 0) ||
      holdsValue(text, "error", 0)
    ) {
      return this.parsed(text)
    }
    // A chunk like earlier ones is known to be valid; any other one must be parsed.
    const chunk = parseJson(text)
    if (!isObject(chunk)) return MALFORMED
    if (this.isLate(chunk)) return []
    const sound = this.repairs === undefined ? text : this.repairs.isSound(chunk) ? withoutRole(text) : undefined
    if (sound === undefined) return this.repaired(chunk, this.repairs!, text)
    if (this.repairs === undefined) this.open.add(chunk)
    const shown = this.shown(sound, chunk)
    return [{ kind: this.remember(text, shown) ? "content" : "lifecycle", data: shown }]
  }

  private parsed(text: string): ReadonlyArray<StreamEvent> {
    const chunk = parseJson(text)
    if (!isObject(chunk)) return MALFORMED
    if (chunk["error"] !== undefined && chunk["error"] !== null) return this.fail(chunk["error"])
    if (chunk["object"] === "error") return this.fail(chunk)
    this.serviceTier = tierNamed(chunk["service_tier"]) ?? this.serviceTier
    this.holdUsage(chunk)
    const choices = objectsIn(chunk["choices"])
    const hadUsage = isObject(chunk["usage"]) || isObject(groqUsage(chunk))
    // Events of other kinds (pings, metrics) say nothing to the caller.
    if (!Array.isArray(chunk["choices"]) || (choices.length === 0 && hadUsage) || this.isLate(chunk)) return []
    const rest = withoutGroqUsage(chunk)
    if (this.repairs !== undefined) return this.repaired(rest, this.repairs)
    if (choices.some((choice) => choice["finish_reason"] === "error")) return this.failed(stoppedWith("error"))
    this.open.add(rest)
    const data = JSON.stringify(this.withUsageRule(rest))
    const finishes = choices.some(({ finish_reason: reason }) => typeof reason === "string" && reason !== "")
    return [{ kind: finishes ? "finish" : this.kindOf(data), data }]
  }

  /** Some servers end with `[DONE]` and send no finish reason: the reason is added. A stream without content is no response. */
  private unfinished(): ReadonlyArray<StreamEvent> {
    if (!this.said) return []
    const { repairs } = this
    const events =
      repairs !== undefined
        ? repairs.finishes().flatMap((chunk) => this.repaired(chunk, repairs))
        : this.open
            .finishes({ delta: {} })
            .map((chunk): StreamEvent => ({ kind: "finish", data: JSON.stringify(this.withUsageRule(chunk)) }))
    return events.map((event) => (event.kind === "finish" ? { ...event, isEndGuessed: true } : event))
  }

  /** `text`: what the chunk came as, where chunks like it may follow. */
  private repaired(chunk: JsonObject, repairs: ChunkRepair, text?: string): ReadonlyArray<StreamEvent> {
    const { chunks, failed, steady } = repairs.push(chunk)
    const events = chunks.map(({ chunk: one, finish }): StreamEvent => {
      const data = JSON.stringify(this.withUsageRule(one))
      if (steady && text !== undefined) this.remember(text, data)
      if (!finish) return { kind: this.kindOf(data), data }
      const isKnown = objectsIn(chunk["choices"]).every(isKnownEnd)
      return isKnown ? { kind: "finish", data } : { kind: "finish", data, isEndGuessed: true }
    })
    if (failed === undefined) return events
    this.failing = stoppedWith(failed)
    return this.held === undefined ? events : [...events, ...this.failed(this.failing)]
  }

  /** Waits for the usage, or the end. */
  private afterFailing(failure: ProviderFailure, data: string): ReadonlyArray<StreamEvent> {
    const chunk = parseJson(data)
    if (isObject(chunk)) this.holdUsage(chunk)
    return this.held === undefined && data.trim() !== "[DONE]" ? [] : this.failed(failure)
  }

  /** Whether the chunk has content. One that does is the model of those that may follow. */
  private remember(text: string, shown: string): boolean {
    const content = contentOf(text, valueOf(text, "choices", 0))
    if (content < 0) return false
    this.said = true
    const shownContent = shown === text ? content : contentOf(shown, valueOf(shown, "choices", 0))
    this.known = KnownChunk.of(text, content, shown, shownContent)
    return true
  }

  /** Behind the first choice, a chunk without choices says something: the usage, or what only its provider knows. */
  private isLate(chunk: JsonObject): boolean {
    if (objectsIn(chunk["choices"]).length === 0) return this.begun && Object.entries(chunk).every(isOfHead)
    this.begun = true
    return false
  }

  private kindOf(data: string): "content" | "lifecycle" {
    if (contentOf(data, valueOf(data, "choices", 0)) < 0) return "lifecycle"
    this.said = true
    return "content"
  }

  private shown(text: string, chunk: JsonObject): string {
    const isThere = Object.hasOwn(chunk, "usage")
    if (isThere === this.call.request.includeUsage) return text
    return isThere
      ? (withoutNullUsage(text) ?? JSON.stringify(this.withUsageRule(objectOr(parseJson(text)))))
      : withNullUsage(text)
  }

  private withUsageRule(chunk: JsonObject): JsonObject {
    if (this.call.request.includeUsage) return { ...chunk, usage: null }
    const { usage: _, ...rest } = chunk
    return rest
  }

  private holdUsage(chunk: JsonObject): void {
    const raw = isObject(chunk["usage"]) ? chunk["usage"] : groqUsage(chunk)
    const usage = usageOf(raw)
    if (!isObject(raw) || usage === undefined) return
    const { choices: _, usage: __, ...rest } = withoutGroqUsage(chunk)
    const named = {
      ...(this.repairs?.named(rest) ?? rest),
      object: "chat.completion.chunk",
      ...(this.repairs === undefined && { created: chunk["created"] ?? Math.floor(this.call.now / 1000) })
    }
    this.held = {
      kind: "usage",
      usage,
      data: JSON.stringify({ ...named, choices: [], usage: canonicalUsage(raw, usage) })
    }
  }

  private fail(error: unknown): ReadonlyArray<StreamEvent> {
    const value = typeof error === "string" ? (parseJson(error) ?? error) : error
    const inner = isObject(value) && isObject(value["error"]) ? value["error"] : value
    return this.failed(failureOfErrorObject(inner, "unavailable"))
  }

  private failed(failure: ProviderFailure): ReadonlyArray<StreamEvent> {
    return this.finished([{ kind: "failed", failure }])
  }

  private finished(events: ReadonlyArray<StreamEvent>): ReadonlyArray<StreamEvent> {
    this.closed = true
    const held = this.held
    this.held = undefined
    return held === undefined ? events : [{ ...held, serviceTier: this.serviceTier }, ...events]
  }
}

/** What every chunk holds, beside its choices. */
const HEAD = new Set("id object created model provider choices system_fingerprint service_tier obfuscation".split(" "))

/** Single values, such as a cost, are left out too: clients read `choices[0]` of every chunk. */
const isOfHead = ([name, value]: readonly [string, unknown]): boolean =>
  HEAD.has(name) || typeof value !== "object" || value === null

const groqUsage = (chunk: JsonObject): unknown => (isObject(chunk["x_groq"]) ? chunk["x_groq"]["usage"] : undefined)

const withoutGroqUsage = (chunk: JsonObject): JsonObject => {
  if (!isObject(chunk["x_groq"]) || chunk["x_groq"]["usage"] === undefined) return chunk
  const { usage: _, ...rest } = chunk["x_groq"]
  return { ...chunk, x_groq: rest }
}
