/**
 * The response of `node:http`, where a whole answer is written as one text, and each piece of a stream too. Node looks at each header by
 * itself, name and value, and holds the connection back until the answer has ended; and it writes a piece as four, its length, itself and
 * the ends of both lines.
 */
import type { IncomingMessage } from "node:http"
import type { AnswerHeaders } from "../routing/Endpoint.ts"
import { linger } from "./LingeringClose.ts"
import { ServerResponse, STATUS_CODES } from "./NodeHttp.ts"

type Encoding = "latin1" | "utf8"

/** Milliseconds without traffic between the last bytes of a broken stream and the close: for usual readers, and for slow ones. */
const GRACE_MS = 1_000
const SLOW_READER_MS = 10_000

/** What a header can't hold: it could end the head, or begin another header. */
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/

export class Outgoing<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Node's own: the head, once it is known. It goes out with the first of the body. */
  declare protected _header: string | null
  declare protected readonly _headerSent: boolean
  /** The body may be written. */
  declare protected readonly _hasBody: boolean
  /** The client waits for leave to send its body. */
  declare protected readonly _expect_continue: boolean
  declare protected readonly _keepAliveTimeout: number
  /** Writes what is framed already, behind all that was written before. */
  declare protected readonly _send: (framed: string, encoding: Encoding, written?: () => void) => boolean
  /** Tells the connection how many more bytes wait for responses before theirs. */
  declare protected readonly _onPendingData: (bytes: number) => void
  /** The connection has not taken the last piece yet, and says when it has. */
  private waits = false
  /** The reader was slower than the stream at some time. */
  private wasFull = false

  /** The reader has not taken everything yet: `drain` tells when it has. */
  get isFull(): boolean {
    return this.waits || this.writableNeedDrain
  }

  /**
   * Handles the requests of a connection one at a time. Node would begin all that a client sent ahead, and keep each response in
   * memory until those before it are written. Node reads no further requests while one waits here.
   */
  inTurn(request: Request, handle: (request: Request, response: this) => void): void {
    if (this.socket !== null) return handle(request, this)
    const { writableHighWaterMark } = this
    this._onPendingData(writableHighWaterMark)
    this.once("socket", () => {
      this._onPendingData(-writableHighWaterMark)
      handle(request, this)
    })
  }

  /**
   * Writes a whole answer, whose headers are complete but for those of the connection. Their names are the gateway's own. False, and
   * nothing is done, where Node has more to consider: headers from elsewhere, older clients, connections that end with this answer, no
   * body, a value that is none. `now`: epoch ms.
   */
  whole(status: number, headers: AnswerHeaders, text: string, now: number): boolean {
    const isUsual = this.shouldKeepAlive && this.useChunkedEncodingByDefault && !this._expect_continue && this._hasBody
    const isOfConnection = headers["connection"] !== undefined
    if (!isUsual || isOfConnection || status === 204 || this._header || this.getHeaderNames().length > 0) return false
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
    let values = ""
    for (const name in headers) {
      const value = headers[name]!
      head += `${name}: ${value}\r\n`
      values += value
    }
    if (UNFIT.test(values)) return false
    this.statusCode = status
    this._header = `${head}Date: ${dateOf(now)}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(this._keepAliveTimeout / 1000)}\r\n\r\n`
    this._send(text, encodingOf(text, headers["content-length"]))
    this.end()
    return true
  }

  /** Writes a piece of a body in pieces, not an empty one. False: wait for `drain` before writing more. */
  piece(text: string): boolean {
    const bytes = Buffer.byteLength(text)
    const encoding = encodingOf(text, bytes)
    const { socket } = this
    const isFramedHere = this._headerSent && this.chunkedEncoding && this._hasBody && socket !== null
    if (!isFramedHere || this.destroyed || this.writableEnded) {
      const isTaken = this.write(text, encoding)
      this.wasFull ||= !isTaken
      return isTaken
    }
    if (this._send(`${bytes.toString(16)}\r\n${text}\r\n`, encoding)) return true
    this.wasFull = true
    if (!this.waits) {
      this.waits = true
      socket.once("drain", () => {
        this.waits = false
        this.emit("drain")
      })
    }
    return false
  }

  /**
   * Closes the connection behind all that was written, without the last chunk. The gateway's side is only half closed, as a reset
   * would discard what is still on its way. Clients also discard what waits in their own buffers when a body breaks off, so the close
   * follows some time after the last bytes. In HTTP/1.0 a close is the body's end: only a reset says that it is incomplete, and a
   * slow reader does without it. A client that takes nothing for `stalledMs` is cut off.
   */
  breakOff(stalledMs: number): void {
    const isReset = !this.chunkedEncoding && !this.wasFull
    const cut = () => void this.destroy()
    const close = () => {
      if (this.socket === null) return
      if (isReset) this.socket.resetAndDestroy()
      else linger(this.socket)
    }
    this.once("timeout", cut).setTimeout(stalledMs)
    this._send("", "latin1", () => {
      this.off("timeout", cut)
        .once("timeout", close)
        .setTimeout(this.wasFull ? SLOW_READER_MS : GRACE_MS)
    })
  }
}

/** A text of as many bytes as characters is ASCII, which Node writes faster, and needs not count again, when it knows. */
export const encodingOf = ({ length }: string, bytes: unknown): Encoding => (length === bytes ? "latin1" : "utf8")

/** The date of the last second that was asked for. */
let second = Number.NaN
let date = ""

const dateOf = (now: number): string => {
  const asked = Math.floor(now / 1000)
  if (asked !== second) {
    second = asked
    date = new Date(asked * 1000).toUTCString()
  }
  return date
}
