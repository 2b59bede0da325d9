/** HTTP as it goes over the wire: targets as written, trailers, bodies in pieces. `fetch` hides these. */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import { Effect } from "effect"

export interface Call {
  readonly method?: string
  /** The request target, sent as it is. */
  readonly path: string
  /** Sent as `Authorization: Bearer`. */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON; text and bytes as they are, with no media type of their own. */
  readonly body?: unknown
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The stream of events broke off: its connection closed without the end of the body. */
  readonly isBroken: boolean
  /** The body as JSON; undefined when it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly json: any
}

/**
 * One request on a connection of its own, and its whole answer. Dies when the connection breaks, unless it breaks a stream of events
 * off.
 */
export const call = (url: string, given: Call): Effect.Effect<Answered> =>
  Effect.callback((resume) => {
    const outgoing = send(url, given)
    outgoing.on("error", (error) => resume(Effect.die(error)))
    outgoing.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      response.on("error", (error) =>
        resume(isStream(response) && text !== "" ? Effect.succeed(answered(response, text)) : Effect.die(error))
      )
      response.on("end", () => resume(Effect.succeed(answered(response, text))))
    })
    return Effect.sync(() => outgoing.destroy())
  })

/** A streamed answer of which only the beginning is read. */
export interface Opened {
  readonly response: IncomingMessage
  /** The first piece of its body. */
  readonly first: string
  readonly hangUp: () => void
}

/** Sends a request and completes with the first piece of the answer's body. */
export const open = (url: string, given: Call): Effect.Effect<Opened> =>
  Effect.callback((resume) => {
    const outgoing = send(url, given)
    outgoing.on("error", (error) => resume(Effect.die(error)))
    outgoing.on("response", (response) => {
      response.on("error", () => {})
      response.once("data", (piece) => {
        resume(Effect.succeed({ response, first: String(piece), hangUp: () => outgoing.destroy() }))
      })
    })
  })

const send = (url: string, { body, headers, key, method = "POST", path }: Call) => {
  const { hostname, port } = new URL(url)
  const isJson = typeof body === "object" && !(body instanceof Uint8Array)
  const outgoing = httpRequest({
    hostname,
    port,
    method,
    path,
    agent: false,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(isJson ? { "content-type": "application/json" } : {}),
      ...headers
    }
  })
  return outgoing.end(isJson ? JSON.stringify(body) : (body as string | Uint8Array | undefined))
}

const answered = (response: IncomingMessage, text: string): Answered => ({
  status: response.statusCode ?? 0,
  headers: response.headers,
  trailers: response.trailers,
  text,
  isBroken: !response.complete,
  json: parsed(text)
})

const isStream = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"]?.startsWith("text/event-stream") === true

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The `data:` of each server-sent event, parsed; `[DONE]` stays as it is. */
// oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
export const eventsOf = (text: string): ReadonlyArray<any> =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: "))
    .map((frame) => frame.slice("data: ".length))
    .map((data) => (data === "[DONE]" ? data : JSON.parse(data)))
