/** What a stream's events add up to, kept while they pass: its size is that of the answer, not of the events. */

export interface Collector<Event, Final> {
  /** Whether the data of an event is one of this stream's; what no version knows is passed over. */
  readonly knows: (data: Record<string, unknown>) => boolean
  readonly add: (event: Event) => void
  /** The text that the event adds. */
  readonly textOf: (event: Event) => string | undefined
  /** An end that needs no `[DONE]`: after it nothing has to come. */
  readonly isOver: () => boolean
  /** Put together from what has come; undefined: nothing has. */
  readonly result: () => Final | undefined
}

export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const MOST_INDEX = 4_096

/** A place in a list of an answer; undefined: nobody means that, and a list that long would be no list. */
export const placeOf = (index: unknown): number | undefined =>
  Number.isInteger(index ?? 0) && Number(index ?? 0) >= 0 && Number(index ?? 0) < MOST_INDEX
    ? Number(index ?? 0)
    : undefined
