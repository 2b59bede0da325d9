/** Responds to what Node's HTTP parser refuses before there is a request, with the usual error body, and closes. */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { type RequestListener, responseUnderWayOn } from "./ConnectionState.ts"
import { STATUS_CODES } from "./NodeHttp.ts"
import type { Duplex } from "node:stream"
import { BadRequest, MethodNotAllowed } from "../errors/RequestErrors.ts"
import { newRequestId } from "../shared/RequestId.ts"
import { type EndpointError, wireError } from "../errors/WireError.ts"

/** `now`: epoch milliseconds, for the ids of the responses. */
export const refuseUnreadable = (server: Server, now: () => number): void => {
  const refused = new WeakSet<Duplex>()
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // Bytes after the refusal are discarded. Cutting the connection while the client sends would lose the response.
    if (refused.has(socket) && (socket as Connection).bytesRead < MOST_READ_IN_VAIN) return
    // An error can't be written into another response, nor in its place: clients could not tell the two apart.
    const before = responseUnderWayOn(socket)
    // A request that is late after a completed answer has already been answered.
    const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT" && (socket as Connection).bytesWritten > 0
    if (late || error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    refused.add(socket)
    if (before !== undefined) return closeAfter(socket as Connection, before)
    refuse(socket, unreadable(error.code ?? ""), now())
  })
  server.on("connect", ({ url = "" }: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy())
    refuse(socket, new MethodNotAllowed({ method: "CONNECT", path: url, allow: METHODS }), now())
  })
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    answer(response, new BadRequest({ status: 417, code: "expectation_failed", message: ONLY_CONTINUE }), now())
  })
}

/** HTTP/1.1 requires one `Host`. The gateway does not use its value. */
export const wellFormed =
  (now: () => number, listener: RequestListener): RequestListener =>
  (request, response) => {
    const error = malformedIn(request)
    return error === undefined ? listener(request, response) : answer(response, error, now())
  }

export const malformedIn = ({ headers, httpVersion, rawHeaders }: IncomingMessage): BadRequest | undefined => {
  // `headers` has each name once: equal numbers mean that none is repeated.
  const twice = rawHeaders.length === 2 * Object.keys(headers).length ? undefined : repeatedHeader(rawHeaders)
  if (twice !== undefined) return malformed(`the request has two ${twice} headers`)
  if (headers.host !== undefined || httpVersion !== "1.1") return undefined
  return malformed("an HTTP/1.1 request needs a Host header")
}

/** Headers that come once. Node keeps the first of two or joins them; a proxy in front may use the other one. */
const ONCE: ReadonlySet<string> = new Set([
  "host",
  "authorization",
  "x-api-key",
  "api-key",
  "content-type",
  "content-encoding",
  "idempotency-key",
  "origin"
])

/** The name of a header that is there twice and may not be. `raw`: names and values in turn. */
const repeatedHeader = (raw: ReadonlyArray<string>): string | undefined => {
  let seen = ""
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase()
    if (!ONCE.has(name)) continue
    if (seen.includes(`;${name};`)) return name
    seen += `;${name};`
  }
  return undefined
}

/** Bytes read, and milliseconds of silence, after which a refused client is cut off. */
const MOST_READ_IN_VAIN = 16 * 1024 * 1024
const LAST_WORDS_MS = 1_000

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
const ONLY_CONTINUE = "the only expectation that can be met is 100-continue"

interface Connection extends Duplex {
  readonly bytesRead: number
  readonly bytesWritten: number
  readonly setTimeout: (ms: number, end: () => void) => void
  readonly destroySoon: () => void
}

const malformed = (message: string) => new BadRequest({ status: 400, code: "malformed_request", message })

const unreadable = (code: string): BadRequest => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new BadRequest({ status: 431, code: "headers_too_large", message: "the request's headers are too large" })
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new BadRequest({ status: 408, code: "request_timeout", message: "the request did not arrive in time" })
    default:
      return malformed("this is not an HTTP request that can be read")
  }
}

const written = (error: EndpointError, now: number) => {
  const { body, headers, status } = wireError(error, now)
  const text = JSON.stringify(body)
  const all: Record<string, string> = {
    "x-request-id": newRequestId(now),
    ...headers,
    "cache-control": "no-store",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close"
  }
  return { status, headers: all, text }
}

/** The response to the request before goes out to its end: what is wrong came after that request. */
const closeAfter = (socket: Connection, answer: ServerResponse): void => {
  if (answer.writableFinished) socket.destroySoon()
  else answer.once("finish", () => socket.destroySoon())
}

const answer = (response: ServerResponse, error: EndpointError, now: number): void => {
  const { headers, status, text } = written(error, now)
  response.writeHead(status, headers).end(text)
}

const refuse = (socket: Duplex, error: EndpointError, now: number): void => {
  const { headers, status, text } = written(error, now)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const connection = socket as Connection
  connection.setTimeout(LAST_WORDS_MS, () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`)
}
