/** A request of a WebSocket connection, and its response: the frame of a `response.create`, and the frames that response it. */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import { Departure } from "../../core/call/Departure.ts"
import type { HeldBytes } from "../../core/limits/BytesInFlight.ts"
import type { ConnectionMemory } from "../../core/responses/ConnectionMemory.ts"
import { BodyTooLarge } from "../errors/RequestErrors.ts"
import { openAiErrors } from "../errors/ErrorShape.ts"
import type { AnswerHeaders, HttpRequest, RequestHeaders } from "../routing/Endpoint.ts"
import type { WireReply } from "../routing/WireReply.ts"
import { taken } from "./NodeReply.ts"

/** Headers of the handshake that say nothing of a frame. */
const OF_HANDSHAKE = ["content-type", "content-encoding", "content-length", "idempotency-key", "x-request-id"]

export const turnHeaders = ({ headers }: IncomingMessage): RequestHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_HANDSHAKE.includes(name)))

export class SocketRequest implements HttpRequest {
  readonly method = "GET"
  readonly target = "/v1/responses"
  readonly params = {}
  readonly departure = new Departure()
  key: HttpRequest["key"]
  held: HttpRequest["held"]
  readonly headers: RequestHeaders
  readonly remoteAddress: string | undefined
  readonly requestId: string
  readonly echoedId: string
  readonly connection: ConnectionMemory
  readonly isGone: () => boolean
  private readonly frame: Buffer

  constructor(
    frame: string | Uint8Array,
    reply: WireReply,
    from: Pick<HttpRequest, "headers" | "remoteAddress" | "requestId"> & { readonly connection: ConnectionMemory }
  ) {
    this.frame = Buffer.from(frame as string)
    this.headers = from.headers
    this.remoteAddress = from.remoteAddress
    this.requestId = from.requestId
    this.echoedId = from.requestId
    this.connection = from.connection
    this.isGone = () => reply.isGone
  }

  bytes(maxBytes: number, held?: HeldBytes): ReturnType<HttpRequest["bytes"]> {
    const { frame } = this
    if (frame.length > maxBytes) return Effect.fail(new BodyTooLarge({ limitBytes: maxBytes }))
    const refused = held?.take(frame.length)
    return refused === undefined ? Effect.succeed(frame) : Effect.fail(refused)
  }

  pieces(): Effect.Effect<never> {
    return Effect.die("a frame is no form")
  }
}

export class SocketReply implements WireReply {
  errors = openAiErrors
  isBegun = false
  isStream = false
  isEnded = false
  private readonly socket: Duplex
  private readonly stalledMs: number
  private readonly send: (frame: string) => void
  /** The status of an error without a stream. */
  status: number | undefined

  /** `socket`: what the frames are written to in the end. `stalledMs`: how long a client may take nothing of them. */
  constructor(socket: Duplex, stalledMs: number, send: (frame: string) => void) {
    this.socket = socket
    this.stalledMs = stalledMs
    this.send = send
  }

  get isGone(): boolean {
    return this.socket.destroyed
  }

  get isFull(): boolean {
    return this.socket.writableNeedDrain
  }

  get taken(): Effect.Effect<void> {
    return taken(this.socket as Parameters<typeof taken>[0], this.stalledMs)
  }

  readonly flushed = Effect.void

  /** Only errors are answered whole. */
  whole(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void {
    this.isEnded = true
    this.status = status
    const shown = Object.fromEntries(SHOWN.flatMap((name) => (name in headers ? [[name, String(headers[name])]] : [])))
    const { error } = JSON.parse(String(body)) as { readonly error: unknown }
    this.send(JSON.stringify({ type: "error", status, error, headers: shown }))
  }

  /** The last event has what headers would say. */
  open(): void {
    this.isBegun = true
    this.isStream = true
  }

  /** `text`: server-sent events. The data of each is one frame; comments are left out. */
  write(text: string): boolean {
    for (const line of text.split("\n")) if (line.startsWith(DATA)) this.send(line.slice(DATA.length))
    return !this.isFull
  }

  end(): void {
    this.isEnded = true
  }

  /** The connection goes on: the error event has said that this response does not. */
  breakOff(): void {
    this.isEnded = true
  }

  cutIfStalled(): void {}

  destroy(): void {
    this.isEnded = true
  }
}

const DATA = "data: "
const SHOWN = ["retry-after", "retry-after-ms", "x-should-retry", "x-request-id"]
