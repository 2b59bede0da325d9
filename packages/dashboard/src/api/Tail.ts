/** Requests as they end: server-sent events, read with `fetch`, as `EventSource` sends no header of ours. */
import type { Receipt } from "@model-gateway/protocol"
import { open, unreachable } from "./Api.ts"

export interface TailEvent {
  readonly name: string
  readonly data: string
}

/** The events of a text that may end within one, and what is left of it. */
export const eventsIn = (text: string): { readonly events: ReadonlyArray<TailEvent>; readonly rest: string } => {
  const blocks = text.split("\n\n")
  const rest = blocks.pop() ?? ""
  const events = blocks.flatMap((block) => {
    const field = (name: string) =>
      block
        .split("\n")
        .filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2))
        .join("\n")
    const name = field("event")
    return name === "" ? [] : [{ name, data: field("data") }]
  })
  return { events, rest }
}

/** Resolves when the stream ends; rejects when it can't be opened or breaks. */
export const tail = async (
  query: string,
  signal: AbortSignal,
  heard: { readonly receipts: (some: ReadonlyArray<Receipt>) => void; readonly dropped: (count: number | null) => void }
): Promise<void> => {
  const response = await open("GET", `requests/stream${query}`, undefined, signal)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  let text = ""
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw signal.aborted ? cause : unreachable()
    })
    if (done) return
    const { events, rest } = eventsIn(text + value)
    text = rest
    const receipts = events.filter(({ name }) => name === "receipt").map(({ data }): Receipt => JSON.parse(data))
    if (receipts.length > 0) heard.receipts(receipts)
    for (const { data, name } of events) {
      if (name === "dropped") heard.dropped((JSON.parse(data) as { readonly count: number | null }).count)
    }
  }
}
