/**
 * One connection, with one call at a time. Closing it is how a vendor hears that nobody listens any more, and a lost one loses one answer:
 * over HTTP/2 (undici 8.12.4, tried with 300 calls) it loses a hundred, and a call that is given up ends as if it had been read.
 */
import type { Socket } from "node:net"
import type { PiecedBody } from "../../../core/pool/Transport.ts"
import type { Call, Line } from "../Call.ts"
import type { Connect } from "./Connect.ts"
import { failureOf } from "../TransportFailures.ts"
import { isBlank, ResponseParser } from "./ResponseParser.ts"
import { isPieced } from "../UpstreamBody.ts"

/** Copying more than that costs more than a second write. */
const LARGEST_COPIED = 64 * 1024

/** Who has it between calls. */
export interface Owner {
  /** Its call is over, and it can take another. */
  giveBack(connection: Connection): void
  /** It was closed. */
  forget(connection: Connection): void
}

export class Connection implements Line {
  isClosed = false
  private readonly owner: Owner
  private readonly socket: Socket
  private readonly parser = new ResponseParser()
  private call: Call | undefined
  /** The request is not out yet. */
  private isSending = false

  /** Opens it, for a call. */
  constructor(connect: Connect, owner: Owner, call: Call) {
    this.owner = owner
    this.call = call
    call.line = this
    this.socket = connect.open(
      () => this.opened(),
      (bytes, size) => this.read(bytes, size)
    )
    this.socket.on("timeout", () => {
      if (this.call === undefined) this.close()
    })
    this.socket.on("error", (error) => this.broke(error))
    this.socket.on("end", () => this.ended())
    this.socket.on("close", () => this.broke(new Error("the connection was closed")))
  }

  /** Sends the call's request. */
  carry(call: Call): void {
    this.call = call
    call.line = this
    this.send(call)
  }

  /** Whoever has a call on it is told nothing. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.call = undefined
    this.owner.forget(this)
    this.socket.destroy()
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  private opened(): void {
    if (this.call !== undefined) this.send(this.call)
  }

  private send(call: Call): void {
    const { head, body } = call.sending
    call.onSent()
    if (body === undefined) this.socket.write(head, "latin1")
    else if (isPieced(body)) {
      this.socket.write(head, "latin1")
      void this.sendPieces(call, body)
    } else if (body.length > LARGEST_COPIED) {
      this.socket.cork()
      this.socket.write(head, "latin1")
      this.socket.write(body)
      this.socket.uncork()
    } else {
      const all = Buffer.allocUnsafe(head.length + body.length)
      all.write(head, "latin1")
      all.set(body, head.length)
      this.socket.write(all)
    }
  }

  private async sendPieces(call: Call, body: PiecedBody): Promise<void> {
    this.isSending = true
    try {
      let size = 0
      for await (const piece of body.pieces()) {
        if (this.call !== call) return
        size += piece.length
        // What is too much would be read as another request.
        if (size > body.length) break
        if (!this.socket.write(piece)) await this.drained()
      }
      if (size !== body.length) {
        const than = size > body.length ? "more" : `${size}`
        throw new Error(`it has ${than} bytes where ${body.length} were announced`)
      }
      this.isSending = false
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (this.call === call) this.lose(`can't be sent all of the request: ${reason}`)
    }
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.socket.off("drain", done)
        this.socket.off("close", done)
        resolve()
      }
      this.socket.on("drain", done)
      this.socket.on("close", done)
    })
  }

  private read(bytes: Buffer, size: number): void {
    const { call, parser } = this
    // What comes unasked is the answer to nothing.
    if (call === undefined) return isBlank(bytes, 0, size) ? undefined : this.close()
    const end = parser.read(bytes, size, call)
    // The call may have ended by what it read.
    if (this.call !== call) return
    if (parser.flaw !== undefined) this.lose(`responded with something that is not HTTP: ${parser.flaw}`)
    else if (parser.isOver) this.over(call, isBlank(bytes, end, size))
    else call.onRead()
  }

  /** `isAll`: nothing came behind the answer. */
  private over(call: Call, isAll: boolean): void {
    const { keptAliveMs } = this.parser
    this.call = undefined
    call.line = undefined
    this.parser.reset()
    if (!isAll || this.isSending || this.socket.writableLength > 0 || keptAliveMs === 0) {
      this.close()
      return call.onEnd()
    }
    // The last of the answer may have been too much for its reader.
    if (this.socket.isPaused()) this.socket.resume()
    this.closeWhenIdleFor(keptAliveMs)
    call.onEnd()
    // Not before: whoever goes on at once to another call would have it, and what came behind this answer is not read yet.
    if (!this.isClosed) this.owner.giveBack(this)
  }

  /** Node counts from the last bytes on. */
  private closeWhenIdleFor(ms: number): void {
    if (ms !== this.socket.timeout) this.socket.setTimeout(ms)
  }

  /** The other end sends nothing more. */
  private ended(): void {
    const { call } = this
    // Node says by an error what became of the connection.
    if (call !== undefined && !call.isSent) return
    if (call !== undefined && this.parser.close()) return this.over(call, true)
    this.lose("broke the connection before the response was complete")
  }

  /** Closes it; the call that has it breaks. */
  lose(what: string): void {
    const { call } = this
    this.close()
    call?.onLost(what)
  }

  private broke(error: Error): void {
    const { call } = this
    this.close()
    call?.onBroken(failureOf(error, call.origin.name, call.isSent))
  }
}
