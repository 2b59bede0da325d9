/** The texts of a stream's events. Pieces of one text are joined, and an edit of it is spread over the events that have its pieces. */
import type { StreamView } from "./ContentView.ts"
import { type ContentPlace, type ContentRole, walkContent } from "./ContentWalk.ts"
import { type ContentBody, type ContentKind, fieldRules } from "./FieldRules.ts"

/** Replaces the characters from `from` to before `to`. */
export interface TextEdit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** What edits, in order and apart from each other, make of a part of a text that begins at `offset`. */
export const editedText = (part: string, edits: ReadonlyArray<TextEdit>, offset = 0): string => {
  const end = offset + part.length
  let at = offset
  let text = ""
  for (const { from, text: instead, to } of edits) {
    if (to <= at || from >= end) continue
    if (from >= at) text += part.slice(at - offset, from - offset) + instead
    at = Math.min(to, end)
  }
  return text + part.slice(at - offset)
}

export interface EventText {
  readonly role: ContentRole
  readonly kind: ContentKind
  /** The same for all pieces of one text. Undefined: it came at once. */
  readonly name: string | undefined
  readonly text: string
}

/** Where an event has a piece: in which text, and where in it. */
export interface EventPlace {
  readonly index: number
  readonly offset: number
}

type OnText = (text: string, place: ContentPlace) => string

/** Its place comes first, as `StreamView.ends` names it. */
export const eventTextName = ({ type }: ContentBody, { channel, path }: ContentPlace): string =>
  `${channel}|${path.replaceAll(/\/\d+/g, "")}|${typeof type === "string" ? type : ""}`

/** The event with the texts that `text` returns. */
export const walkEvent = <Event extends ContentBody>(view: StreamView, event: Event, text: OnText): Event =>
  walkContent(event, view.event, { text, removed: () => {} }, { role: "assistant" })

const ARGUMENTS = fieldRules({ tool_arguments: "text" })

/** The texts in the arguments of a tool, if they are complete. */
export const walkArguments = (written: string, text: OnText): string =>
  walkContent({ text: written }, ARGUMENTS, { text }, { role: "assistant" }).text

/** The kind of a text, which its event may tell. */
export const eventTextKind = (view: StreamView, event: ContentBody, { isPiece, kind }: ContentPlace): ContentKind =>
  isPiece ? (view.kindOf?.(event) ?? kind) : kind

/** The texts of events in which the arguments of tools come at once, and where each of their pieces is. */
export const eventTexts = (view: StreamView, events: ReadonlyArray<ContentBody>) => {
  const texts: Array<{ -readonly [Name in keyof EventText]: EventText[Name] }> = []
  const places: Array<EventPlace> = []
  const named = new Map<string, number>()
  for (const event of events) {
    visit(view, event, (text, { role }, kind, name) => {
      const known = name === undefined ? undefined : named.get(name)
      const index = known ?? texts.push({ role, kind, name, text: "" }) - 1
      if (name !== undefined) named.set(name, index)
      places.push({ index, offset: texts[index]!.text.length })
      texts[index]!.text += text
      return text
    })
  }
  return { texts, places } as { readonly texts: ReadonlyArray<EventText>; readonly places: ReadonlyArray<EventPlace> }
}

/** The same events with the edits of each text of `eventTexts`. What did not change is not copied. */
export const editedEvents = <Event extends ContentBody>(
  view: StreamView,
  events: ReadonlyArray<Event>,
  places: ReadonlyArray<EventPlace>,
  edits: ReadonlyArray<ReadonlyArray<TextEdit>>
): ReadonlyArray<Event> => {
  let next = 0
  return events.map((event) =>
    visit(view, event, (text) => {
      const { index, offset } = places[next++]!
      return editedText(text, edits[index]!, offset)
    })
  )
}

const visit = <Event extends ContentBody>(
  view: StreamView,
  event: Event,
  found: (text: string, place: ContentPlace, kind: ContentKind, name: string | undefined) => string
): Event =>
  walkEvent(view, event, (text, place) => {
    if (text === "") return text
    const kind = eventTextKind(view, event, place)
    if (place.isPiece && kind === "tool_arguments") {
      return walkArguments(text, (one, within) => found(one, within, within.kind, undefined))
    }
    return found(text, place, kind, place.isPiece ? eventTextName(event, place) : undefined)
  })
