/** A response as its caller would see it on the wire. */
import type { JsonObject } from "../core/domain/Json.ts"
import type { MemoryReply } from "./MemoryWire.ts"

/** Header names are in lower case. */
export interface TestAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** Data that a stream has after its last event. */
  readonly trailers: { readonly [name: string]: string }
  /** The JSON of a plain response or of an error; empty for a stream. */
  readonly body: JsonObject
  /** The stream broke off: on a socket its body would be incomplete. */
  readonly isBroken: boolean
  /** A stream's data events in order, parsed; `[DONE]` is the string. */
  readonly events: ReadonlyArray<unknown>
  /** The model's text, streamed or not; "" for an error. */
  readonly text: string
  /** The body as it was sent, whatever it is. */
  readonly bytes: Uint8Array
}

export const answerOf = ({ bytes, headers, isBroken, isStream, status, trailers }: MemoryReply): TestAnswer => {
  const wire = Buffer.from(bytes).toString()
  const isJson = headers["content-type"] === "application/json" && wire !== ""
  const body = isJson ? (JSON.parse(wire) as JsonObject) : {}
  const events = isStream ? eventsIn(wire) : []
  return { status, headers, trailers, isBroken, body, events, text: textOf([body, ...events]), bytes }
}

/** The response as `fetch` gives it. A stream that broke off fails where it did. */
export const responseOf = ({ bytes, headers, isBroken, status }: TestAnswer): Response => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(bytes)
      if (isBroken) controller.error(new TypeError("terminated"))
      else controller.close()
    }
  })
  const hasBody = status !== 204 && status !== 304
  return new Response(hasBody ? body : null, { status, headers })
}

const eventsIn = (wire: string): ReadonlyArray<unknown> =>
  wire
    .split("\n\n")
    .flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? [])
    .map((data): unknown => (data === "[DONE]" ? data : JSON.parse(data)))

interface SpokenBody {
  readonly choices?: ReadonlyArray<{
    readonly delta?: { readonly content?: string | null }
    readonly message?: { readonly content?: string | null }
  }>
}

const textOf = (bodies: ReadonlyArray<unknown>): string =>
  bodies
    .flatMap((body) => (body as SpokenBody).choices ?? [])
    .map((choice) => (choice.delta ?? choice.message)?.content ?? "")
    .join("")
