/** Where an operation has its content. Guardrails and content logging read and change bodies through this alone. */
import type { ContentBody, ContentKind, ContentRule } from "./FieldRules.ts"

export interface ContentView {
  readonly request: ContentRule
  readonly response: ContentRule
  readonly stream: StreamView
  /** A complete response that is denied, in the operation's own words. Left out: its shape has none, so the request fails. */
  readonly denied?: (body: ContentBody) => ContentBody
}

export interface StreamView {
  /** Of the JSON of one event. */
  readonly event: ContentRule
  /** Which texts end with this event. `all`: every text. A prefix ends the texts whose place begins with it. Undefined: none. */
  readonly ends: (event: ContentBody) => "all" | string | undefined
  /** The kind of the pieces in an event, where its field does not tell. */
  readonly kindOf?: (event: ContentBody) => ContentKind | undefined
  /** An event with nothing but the pieces of another one, to add more of a text. Left out: the event itself. */
  readonly tail?: (event: ContentBody) => ContentBody
  /** The events that end a stream whose rest was denied; `last`: the last event before. Left out: the stream breaks off. */
  readonly stopped?: (seen: StreamSoFar) => ReadonlyArray<EndingEvent>
}

/** An event of the operation's own shape, as relays take them. */
interface EndingEvent {
  readonly kind: "lifecycle" | "finish"
  readonly data: ContentBody
}

/** What the caller has of a stream. */
export interface StreamSoFar {
  /** The first event, and the last one with content; undefined where there was none. */
  readonly first: ContentBody | undefined
  readonly last: ContentBody | undefined
  /** All events that began or completed an item or a block, in order. */
  readonly items: ReadonlyArray<ContentBody>
}
