/** Writes the proxy's answers to a `node:http` response. */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Effect } from "effect"
import { openAiErrors } from "../errors/ErrorShape.ts"
import type { AnswerHeaders } from "../routing/Endpoint.ts"
import type { WireReply } from "../routing/WireReply.ts"

/** Milliseconds without traffic between the last bytes of a broken stream and the close: for usual readers, and for slow ones. */
const GRACE_MS = 1_000
const SLOW_READER_MS = 10_000
/** How long the client may take to close its side after that. */
const CLOSING_MS = 2_000

export class NodeReply implements WireReply {
  errors = openAiErrors
  isStream = false
  /** Nothing more is written, although a response may end later than that. */
  private isOver = false
  /** The reader was slower than the stream at some time. */
  private wasFull = false
  private readonly response: ServerResponse
  private readonly stalledMs: number

  /** `stalledMs`: how long a client may take nothing of what was written. */
  constructor(response: ServerResponse, stalledMs: number) {
    this.response = response
    this.stalledMs = stalledMs
  }

  get isBegun(): boolean {
    return this.response.headersSent
  }

  get isEnded(): boolean {
    return this.isOver || this.response.writableEnded
  }

  get isGone(): boolean {
    return this.response.destroyed
  }

  /** Without chunked encoding, which came with HTTP/1.1, there are no trailers. Node writes other versions as it writes HTTP/1.0. */
  private get isChunked(): boolean {
    return this.response.req.httpVersion === "1.1"
  }

  get isFull(): boolean {
    return this.response.writableNeedDrain
  }

  whole(status: number, headers: AnswerHeaders, body: string | Uint8Array | undefined): void {
    const { response } = this
    this.isOver = true
    response.writeHead(status, headers)
    if (typeof body === "string") response.end(body, encodingOf(body, headers["content-length"]))
    else response.end(body)
  }

  open(headers: AnswerHeaders, announced: string): void {
    if (this.isChunked && announced !== "") headers["trailer"] = announced
    this.isStream = true
    this.response.writeHead(200, headers)
  }

  write(text: string): boolean {
    const isTaken = this.response.write(text, encodingOf(text, Buffer.byteLength(text)))
    this.wasFull ||= !isTaken
    return isTaken
  }

  get taken(): Effect.Effect<void> {
    return taken(this.response, this.stalledMs)
  }

  get flushed(): Effect.Effect<void> {
    return flushed(this.response)
  }

  end(trailers: Record<string, string> | undefined): void {
    this.isOver = true
    if (trailers !== undefined) this.response.addTrailers(trailers)
    this.response.end()
  }

  /**
   * Closes the connection behind all that was written, without the last chunk. It is half closed, as a reset would discard what
   * is on its way, and some time later, as clients discard their buffers when a body breaks off. HTTP/1.0 needs a reset. A
   * client that takes nothing for `stalledMs` is cut off.
   */
  breakOff(): void {
    this.isOver = true
    const { isChunked, response, wasFull } = this
    const { socket } = response
    if (socket === null) return
    // A stream that breaks before its first event has only its head.
    response.flushHeaders()
    const cut = () => void response.destroy()
    const close = () => {
      if (!isChunked && !wasFull) return void socket.resetAndDestroy()
      socket.end()
      response.once("timeout", cut).setTimeout(CLOSING_MS)
    }
    response.once("timeout", cut).setTimeout(this.stalledMs)
    // Behind all that was written before.
    socket.write("", () => {
      response
        .off("timeout", cut)
        .once("timeout", close)
        .setTimeout(wasFull ? SLOW_READER_MS : GRACE_MS)
    })
  }

  cutIfStalled(): void {
    cutIfStalled(this.response, this.stalledMs)
  }

  destroy(): void {
    this.response.destroy()
  }
}

/** A text of as many bytes as characters is ASCII, which Node writes faster. */
const encodingOf = ({ length }: string, bytes: unknown): "latin1" | "utf8" => (length === bytes ? "latin1" : "utf8")

// Cuts off clients that stop reading: Node's socket timeout restarts whenever the kernel takes some of the bytes.
/** Waits until the client has taken what was written, or is gone. A client that takes nothing for `stalledMs` is cut off. */
export const taken = (response: ServerResponse | Socket, stalledMs: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const onDrain = () => resume(Effect.andThen(stop, Effect.void))
    // From here on the caller counts as gone.
    const onTimeout = () =>
      resume(
        Effect.andThen(
          stop,
          Effect.sync(() => void response.destroy())
        )
      )
    const stop = Effect.sync(() =>
      response.off("drain", onDrain).off("close", onDrain).off("timeout", onTimeout).setTimeout(0)
    )
    response.on("drain", onDrain).on("close", onDrain).setTimeout(stalledMs, onTimeout)
    return stop
  })

/** Waits until a response that was written to its end has left, or the client has disconnected. */
const flushed = (response: ServerResponse): Effect.Effect<void> =>
  response.writableLength === 0
    ? Effect.void
    : Effect.callback((resume) => {
        const onClose = () => resume(Effect.void)
        response.on("close", onClose)
        return Effect.sync(() => void response.off("close", onClose))
      })

/** For a response that was written to its end: cuts the connection if the client does not take the rest. */
const cutIfStalled = (response: ServerResponse, stalledMs: number): void => {
  if (response.writableLength > 0) response.setTimeout(stalledMs, () => response.destroy())
}
