/** Answers of the demo vendor, before they are paced. */

/** `tokens`: how much of the output the piece carries, for those who pace it. */
interface DemoPiece {
  readonly bytes: Uint8Array
  readonly tokens: number
}

export interface DemoAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** The body: in one piece, or one event of a stream a piece. */
  readonly pieces: ReadonlyArray<DemoPiece>
  /** Milliseconds to wait before the head; `Infinity`: for ever. */
  readonly delay: number
  /** The connection breaks after the last piece. */
  readonly cut: boolean
}

type Head = Partial<Pick<DemoAnswer, "headers" | "status">>

const EVENTS = "text/event-stream; charset=utf-8"

export const played = (type: string, pieces: ReadonlyArray<DemoPiece>, head: Head = {}): DemoAnswer => ({
  status: head.status ?? 200,
  headers: { "content-type": type, ...head.headers },
  pieces,
  delay: 0,
  cut: false
})

export const playedJson = (body: string | object, head?: Head, tokens = 0): DemoAnswer => {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
  return played("application/json", [{ bytes, tokens }], head)
}

/** `events`: as they are on the wire. */
export const playedStream = (
  events: ReadonlyArray<{ readonly text: string; readonly tokens: number }>,
  head?: Head
): DemoAnswer => {
  const pieces = events.map(({ text, tokens }) => ({ bytes: Buffer.from(text), tokens }))
  return played(EVENTS, pieces, head)
}

export const playedEvents = (events: ReadonlyArray<object>): DemoAnswer =>
  playedStream(events.map((event) => ({ text: `data: ${JSON.stringify(event)}\n\n`, tokens: 1 })))
