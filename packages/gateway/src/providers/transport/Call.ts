/** One HTTP call, from its request to the end of its response, as undici's handler. */
import type { IncomingHttpHeaders } from "node:http"
import type { Dispatcher } from "undici"
import { NOWHERE } from "../../core/collections/Roster.ts"
import {
  TransportFailure,
  type UpstreamHead,
  type UpstreamLoad,
  type UpstreamRequest
} from "../../core/pool/Transport.ts"
import type { Deadlines, Watched } from "./Deadlines.ts"
import type { Way } from "./Dispatchers.ts"
import { sentBody } from "./RequestBody.ts"
import { failureOf } from "./TransportFailures.ts"

/** Headers that only the two ends of a connection may send to each other. */
const OF_CONNECTION = new Set(
  (
    "accept-encoding connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer " +
    "transfer-encoding upgrade"
  ).split(" ")
)

/** Names and values in turn. `length`: bytes of the body, where undici can't see it. */
const requestHeaders = (headers: UpstreamRequest["headers"], length?: number): Array<string> => {
  const sent = ["accept-encoding", "identity"]
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !OF_CONNECTION.has(name.toLowerCase())) sent.push(name, value)
  }
  if (length !== undefined) sent.push("content-length", String(length))
  return sent
}

export class Origin implements UpstreamLoad {
  /** Scheme, host and port. */
  readonly name: string
  open = 0
  waiting = 0

  constructor(name: string) {
    this.name = name
  }

  isFull(maxConnections: number): boolean {
    return this.open + this.waiting >= maxConnections
  }
}

/** The largest answer that is read, in bytes. */
export const LARGEST_BODY = 64 * 1024 * 1024

export interface Destination extends Way {
  readonly origin: Origin
  /** The base URL's path, without a trailing slash. */
  readonly prefix: string
}

type Controller = Dispatcher.DispatchController

/** Undici gives it back to the call that it ends, which knows why it ended. */
const GIVEN_UP = new Error("the call was given up")

export abstract class Call implements Dispatcher.DispatchHandler, Watched {
  place = NOWHERE
  isOver = false
  /** The reader is slower than the upstream, so silence is not the upstream's fault. */
  protected paused = false
  private readonly destination: Destination
  private readonly timeouts: UpstreamRequest["timeouts"]
  private readonly deadlines: Deadlines
  private readonly startedAt: number
  /** Undefined until the request goes out. */
  private controller: Controller | undefined
  /** When the request went out, then when the last piece came; undefined until there is a connection. */
  private lastAt: number | undefined
  private anyPiece = false
  private begun = false

  constructor(destination: Destination, timeouts: UpstreamRequest["timeouts"], deadlines: Deadlines) {
    this.destination = destination
    destination.origin.waiting++
    this.timeouts = timeouts
    this.deadlines = deadlines
    this.startedAt = deadlines.now()
    deadlines.watch(this)
  }

  protected abstract headCame(head: UpstreamHead): void
  /** The piece is the reader's to keep. */
  protected abstract pieceCame(piece: Buffer): void
  protected abstract ended(): void
  protected abstract failed(failure: TransportFailure): void

  send(request: UpstreamRequest): void {
    const { dispatcher, origin, prefix } = this.destination
    const { content, length } = sentBody(request)
    const options: Dispatcher.DispatchOptions = {
      origin: origin.name,
      path: prefix + request.path,
      method: request.method ?? "POST",
      headers: requestHeaders(request.headers, length),
      // The limits are those of `check`.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Undici's types leave out the iterables that its documents allow.
      body: (content as Buffer | undefined) ?? null
    }
    dispatcher.dispatch(options, this)
  }

  onRequestStart(controller: Controller): void {
    // It was given up before there was a connection.
    if (this.isOver) return controller.abort(GIVEN_UP)
    this.controller = controller
    const { origin } = this.destination
    origin.waiting--
    origin.open++
    this.lastAt = this.deadlines.now()
  }

  onResponseStart(_controller: Controller, status: number, given: IncomingHttpHeaders): void {
    // A notice (1xx) is no response.
    if (this.isOver || status < 200) return
    this.begun = true
    this.headCame({ status, headers: joined(given) })
  }

  onResponseData(_controller: Controller, piece: Buffer): void {
    if (this.isOver) return
    this.anyPiece = true
    this.touch()
    this.pieceCame(piece)
  }

  onResponseEnd(): void {
    if (this.finish()) this.ended()
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    const isSent = this.lastAt !== undefined
    if (!this.finish()) return
    const { origin, proxy } = this.destination
    const failure = failureOf(error, { name: origin.name, proxy }, isSent)
    const isCut = this.begun && failure.kind === "reset"
    this.failed(isCut ? new TransportFailure({ kind: "cut", message: failure.message }) : failure)
  }

  check(now: number): void {
    const { connect, firstToken, idle, total } = this.timeouts
    const spent = now - this.startedAt
    if (spent >= total) return this.fail("total_timeout", `took longer than ${total} ms`)
    if (this.lastAt === undefined) {
      if (spent >= connect) this.fail("connect_timeout", `had no connection within ${connect} ms`)
      return
    }
    if (this.paused) return
    const silence = now - this.lastAt
    if (!this.anyPiece && silence >= firstToken) {
      return this.fail("first_byte_timeout", `did not begin to respond within ${firstToken} ms`)
    }
    if (this.anyPiece && silence >= idle) this.fail("idle_timeout", `sent nothing for ${idle} ms`)
  }

  /** Closes the connection unless the response is complete. Safe at any time, any number of times. */
  close(): void {
    this.fail("reset", "was disconnected: the client no longer reads the response")
  }

  /** Reads nothing until `resume`. */
  protected pause(): void {
    this.paused = true
    this.controller?.pause()
  }

  protected resumeReading(): void {
    this.paused = false
    this.touch()
    this.controller?.resume()
  }

  protected fail(kind: TransportFailure["kind"], what: string): void {
    if (!this.finish()) return
    this.controller?.abort(GIVEN_UP)
    this.failed(new TransportFailure({ kind, message: `${this.destination.origin.name} ${what}` }))
  }

  private touch(): void {
    this.lastAt = this.deadlines.now()
  }

  private finish(): boolean {
    if (this.isOver) return false
    this.isOver = true
    const { origin } = this.destination
    if (this.lastAt !== undefined) origin.open--
    else origin.waiting--
    this.deadlines.forget(this)
    return true
  }
}

/** Several values of a name are joined by commas. */
const joined = (given: IncomingHttpHeaders): UpstreamHead["headers"] => {
  for (const name in given) {
    const value = given[name]
    if (typeof value === "object") given[name] = value.join(", ")
  }
  return given as UpstreamHead["headers"]
}
