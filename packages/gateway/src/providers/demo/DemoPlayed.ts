/** Answers of the demo vendor that are whole, or events. */

const answer = (type: string, pieces: ReadonlyArray<Uint8Array>, tokens: number) => ({
  status: 200,
  headers: { "content-type": type },
  pieces: pieces.map((bytes) => ({ bytes, tokens })),
  delay: 0,
  cut: false
})

export const playedWhole = (type: string, bytes: Uint8Array) => answer(type, [bytes], 0)

export const playedJson = (body: object) => playedWhole("application/json", Buffer.from(JSON.stringify(body)))

export const playedEvents = (events: ReadonlyArray<object>) =>
  answer(
    "text/event-stream; charset=utf-8",
    events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)),
    1
  )
