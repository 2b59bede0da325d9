/** Events that wait for verdicts of webhooks. Texts are sent in segments that end with a sentence, and masked in place. */
import { editedEvents, eventTexts } from "@model-gateway/protocol"
import { Effect } from "effect"
import type { JsonObject } from "../domain/Json.ts"
import type { StreamEvent } from "../operations/LiftedAnswer.ts"
import type { GuardedCall } from "./GuardedCall.ts"
import { type DataEvent, SentEvents, toEvent } from "./StreamGuard.ts"

/** Characters in a segment, which goes on to the end of a sentence or to twice as many. */
const SEGMENT = 800
const SENTENCE_END = /[.!?:\n\u3002]["')\]]*\s*$/
/** Characters of a text before its segment, which webhooks are sent for context. */
const CONTEXT = 200

const isData = (event: StreamEvent): event is DataEvent =>
  event.kind === "lifecycle" || event.kind === "content" || event.kind === "finish"

export class HeldEvents {
  isStopped = false
  private readonly call: GuardedCall
  private readonly sent: SentEvents
  private held: Array<StreamEvent> = []
  /** The JSON of those that may have texts. */
  private data: Array<JsonObject> = []
  private characters = 0
  /** The ends of the texts that left, by their names. */
  private readonly before = new Map<string, string>()

  constructor(call: GuardedCall) {
    this.call = call
    this.sent = new SentEvents(call)
  }

  /** `isEnd`: the upstream closed the stream. Segments are the same however the events arrive. */
  push(events: ReadonlyArray<StreamEvent>, isEnd: boolean): Effect.Effect<ReadonlyArray<StreamEvent>> {
    return Effect.gen({ self: this }, function* () {
      const released: Array<StreamEvent> = []
      for (const event of events) {
        if (this.isStopped) return released
        const last = this.hold(event)
        const isFinal = event.kind === "finish" || !(isData(event) || event.kind === "usage")
        const isSegment = this.characters >= SEGMENT && SENTENCE_END.test(last)
        if (this.characters === 0) released.push(...this.release())
        else if (isFinal || isSegment || this.characters >= 2 * SEGMENT) released.push(...(yield* this.check(isFinal)))
      }
      if (isEnd && this.held.length > 0) released.push(...(yield* this.check(true)))
      return released
    })
  }

  /** The last text in it. */
  private hold(event: StreamEvent): string {
    this.held.push(event)
    if (!isData(event)) return ""
    const data = JSON.parse(event.data) as JsonObject
    this.data.push(data)
    const { texts } = this.textsOf([data])
    for (const { text } of texts) this.characters += text.length
    return texts.at(-1)?.text ?? ""
  }

  private textsOf(data: ReadonlyArray<JsonObject>) {
    return eventTexts(this.call.operation.content.stream, data)
  }

  private check(isFinal: boolean): Effect.Effect<ReadonlyArray<StreamEvent>> {
    return Effect.gen({ self: this }, function* () {
      for (const webhook of this.call.policy.webhooks.response) {
        const { places, texts } = this.textsOf(this.data)
        const sent = texts.map((one) => ({ ...one, context: one.name && this.before.get(one.name) }))
        const edits = yield* this.call.ask(webhook, "response", sent, isFinal)
        if (this.call.denied !== undefined) {
          this.isStopped = true
          return this.sent.denied(this.data[0]?.["sequence_number"])
        }
        const { stream } = this.call.operation.content
        this.data = [...editedEvents<JsonObject>(stream, this.data, places, edits)]
      }
      const { data } = this
      let next = 0
      this.held = this.held.map((event) => (isData(event) ? toEvent(event.kind, data[next++]!) : event))
      return this.release()
    })
  }

  private release(): ReadonlyArray<StreamEvent> {
    const { data, held } = this
    this.held = []
    this.data = []
    this.characters = 0
    for (const event of data)
      this.sent.add(
        event,
        this.textsOf([event]).texts.some(({ name }) => name !== undefined)
      )
    for (const { name, text } of this.textsOf(data).texts) {
      if (name !== undefined) this.before.set(name, `${this.before.get(name) ?? ""}${text}`.slice(-CONTEXT))
    }
    return held
  }
}
