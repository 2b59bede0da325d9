/**
 * The events of a stream as its caller may have them, with a scanner for each text that comes in pieces. Arguments of tools are
 * released when they are complete: clients run tools only then, and only complete JSON can be read.
 */
import { Predicate, Result } from "effect"
import {
  type CheckedRule,
  type ContentKind,
  type ContentPlace,
  eventTextKind,
  eventTextName,
  type StreamSoFar,
  type TextScanner,
  walkArguments,
  walkEvent
} from "@model-gateway/protocol"
import { ProviderFailure } from "../domain/Failures.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { StreamEvent } from "../operations/LiftedAnswer.ts"
import type { GuardedCall } from "./GuardedCall.ts"

interface StreamedText {
  readonly kind: ContentKind
  readonly scanner: TextScanner
  /** Arguments of a tool, as far as they came. */
  held: string
  /** The last event with a piece of it, as its caller got it. */
  last: JsonObject
}

/** Events that begin or complete a part of the response. */
const ITEM = /^(?:content_block_(?:start|stop)|response\.output_item\.done)$/

export const toEvent = (kind: DataEvent["kind"], data: JsonObject): StreamEvent => ({
  kind,
  data: JSON.stringify(data)
})

/** The end of a stream whose operation has no words for it. */
const deniedBy = ({ denied }: GuardedCall): ProviderFailure => {
  const hasVerdict = denied?.retryAfter === undefined
  const why = hasVerdict ? `it holds what the rule \`${denied?.rule}\` finds` : "the check gave no verdict"
  return new ProviderFailure({
    class: "content_filter",
    status: 0,
    message: `the guardrail \`${denied?.check}\` denied this response: ${why}`,
    code: hasVerdict ? "guardrail_denied" : "guardrail_unavailable"
  })
}

export type DataEvent = Extract<StreamEvent, { readonly kind: "lifecycle" | "content" | "finish" }>

/** What a caller has of a stream, for an end in the operation's own words. */
export class SentEvents implements StreamSoFar {
  first: JsonObject | undefined
  last: JsonObject | undefined
  readonly items: Array<JsonObject> = []
  private readonly call: GuardedCall

  constructor(call: GuardedCall) {
    this.call = call
  }

  add(event: JsonObject, hasPieces: boolean): void {
    this.first ??= event
    if (hasPieces) this.last = event
    if (ITEM.test(String(event["type"]))) this.items.push(event)
  }

  /** The end after a denial. `number`: of its event, if events have numbers. */
  denied(number: unknown): ReadonlyArray<StreamEvent> {
    const ending = this.call.operation.content.stream.stopped?.(this)
    if (ending === undefined) return [{ kind: "failed", failure: deniedBy(this.call) }]
    const numbered = typeof number === "number" ? { sequence_number: number } : undefined
    return ending.map(({ data, kind }) => toEvent(kind, { ...data, ...numbered }))
  }
}

export class StreamGuard {
  private readonly call: GuardedCall
  private readonly rules: ReadonlyArray<CheckedRule>
  private readonly texts = new Map<string, StreamedText>()
  private readonly sent: SentEvents
  /** Events that were added, which are numbered like the others. */
  private added = 0
  isStopped = false
  /** Some text came in pieces. */
  private hasPieces = false

  constructor(call: GuardedCall) {
    this.call = call
    this.rules = call.begin("response", call.policy.response)
    this.sent = new SentEvents(call)
  }

  push(events: ReadonlyArray<StreamEvent>): ReadonlyArray<StreamEvent> {
    return events.flatMap((event) => this.event(event))
  }

  /** The upstream closed the stream. */
  end(): ReadonlyArray<StreamEvent> {
    if (this.isStopped) return []
    const tails = this.tails("").map((tail) => toEvent("content", tail))
    return this.call.denied === undefined ? tails : this.stopped()
  }

  private event(event: StreamEvent): ReadonlyArray<StreamEvent> {
    // What follows a denial only tells the usage, which is read from the original events.
    if (this.isStopped) return []
    switch (event.kind) {
      case "lifecycle":
      case "content":
      case "finish":
        return this.data(event)
      // A text may end with the end mark alone.
      case "done":
        return [...this.end(), event]
      case "usage":
      case "failed":
      case "malformed":
        return [event]
    }
  }

  private data({ data, kind }: DataEvent): ReadonlyArray<StreamEvent> {
    const event = Result.getOrUndefined(Result.try(() => JSON.parse(data) as JsonObject))
    // What can't be read can't be checked.
    if (!Predicate.isObject(event)) return [{ kind: "malformed" }]
    const { stream } = this.call.operation.content
    const ended = stream.ends(event)
    const opened: Array<StreamedText> = []
    let hasText = false
    const after = walkEvent(stream, event, (piece, at) => {
      if (!at.isPiece) return this.complete(piece, at.kind)
      if (piece === "") return piece
      const name = eventTextName(event, at)
      const text = this.text(name, eventTextKind(stream, event, at))
      opened.push(text)
      const isLast = ended !== undefined && name.startsWith(ended)
      if (isLast) this.texts.delete(name)
      const released = this.take(text, piece, isLast)
      hasText ||= released !== ""
      return released
    })
    const isReasoningOver = opened.some(({ kind }) => kind !== "reasoning")
    const tails = [
      ...(isReasoningOver ? this.tails("", "reasoning") : []),
      ...(ended === undefined ? [] : this.tails(ended))
    ]
    const shown = this.numbered(event, tails.length, after)
    const before = tails.map((tail, index) => toEvent("content", this.numbered(event, index, tail)))
    if (this.call.denied !== undefined) return this.stopped(event)
    this.added += tails.length
    for (const text of opened) text.last = shown
    this.sent.add(shown, opened.length > 0)
    return [...before, toEvent(opened.length > 0 && !hasText && kind === "content" ? "lifecycle" : kind, shown)]
  }

  /** A text that comes at once. Where there are pieces, it repeats them and is not counted again. */
  private complete(text: string, kind: ContentKind): string {
    return this.call.scanner("response", this.rules, kind, !this.hasPieces).push(text, true)
  }

  private text(name: string, kind: ContentKind): StreamedText {
    const known = this.texts.get(name)
    if (known !== undefined) return known
    const made = { kind, scanner: this.call.scanner("response", this.rules, kind), held: "", last: {} }
    this.texts.set(name, made)
    this.hasPieces = true
    return made
  }

  /** What can be released of a text after a piece. */
  private take(text: StreamedText, piece: string, isLast: boolean): string {
    if (text.kind !== "tool_arguments") return text.scanner.push(piece, isLast)
    text.held += piece
    if (!isLast) return ""
    const scan = (one: string, { kind }: ContentPlace) =>
      this.call.scanner("response", this.rules, kind).push(one, true)
    return walkArguments(text.held, scan)
  }

  /** Ends the texts at a place; events with what was held of them. `kind`: only texts of that kind. */
  private tails(place: string, kind?: ContentKind): ReadonlyArray<JsonObject> {
    const { stream } = this.call.operation.content
    const { tail = (event: JsonObject) => event } = stream
    const events: Array<JsonObject> = []
    for (const [name, text] of this.texts) {
      if (!name.startsWith(place) || (kind !== undefined && text.kind !== kind)) continue
      this.texts.delete(name)
      const rest = this.take(text, "", true)
      if (rest === "") continue
      const { last } = text
      const only = (piece: string, at: ContentPlace) =>
        at.isPiece ? (eventTextName(last, at) === name ? rest : "") : piece
      events.push(walkEvent(stream, tail(last), only))
    }
    return events
  }

  /** `shown` at the place of `event`, after `more` added events. */
  private numbered(event: JsonObject, more: number, shown: JsonObject): JsonObject {
    const number = event["sequence_number"]
    return typeof number === "number" ? { ...shown, sequence_number: number + this.added + more } : shown
  }

  private stopped(event?: JsonObject): ReadonlyArray<StreamEvent> {
    this.isStopped = true
    const number = event?.["sequence_number"]
    return this.sent.denied(typeof number === "number" ? number + this.added : undefined)
  }
}
