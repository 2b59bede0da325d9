/**
 * One HTTP call as a handler of undici's dispatcher: the layer below `request`, without its stream and abort signal. Shared by
 * answers read completely and answers read as they come: the head, the time limits, the end of a call.
 */
import type { Dispatcher } from "undici"
import { TransportFailure, type UpstreamHead, type UpstreamRequest } from "../../core/pool/Transport.ts"
import { NOWHERE } from "../../core/collections/Roster.ts"
import type { Connection } from "./Connections.ts"
import type { Deadlines, Watched } from "./Deadlines.ts"
import { failureOf } from "./Failures.ts"
import type { Origin } from "./Origin.ts"

type Controller = Dispatcher.DispatchController

/** Ends a call of its own accord; undici wants an error as the reason, nobody sees it. */
const ended = new Error("the call has ended")

/** The largest answer that is read, in bytes. */
export const LARGEST_BODY = 64 * 1024 * 1024

export abstract class Call implements Dispatcher.DispatchHandler, Watched {
  place = NOWHERE
  protected controller: Controller | undefined
  protected over = false
  /** The reader is slower than the upstream, so silence is not the upstream's fault. */
  protected paused = false
  /** Undici has not yet said that the request is over. */
  private connection: Connection | undefined
  private readonly origin: Origin
  private readonly timeouts: UpstreamRequest["timeouts"]
  private readonly deadlines: Deadlines
  private readonly startedAt: number
  /** When the request went out, then when the last piece came; undefined until there is a connection. */
  private lastAt: number | undefined
  private anyPiece = false
  /** The head of the answer has come. */
  private begun = false

  constructor(origin: Origin, timeouts: UpstreamRequest["timeouts"], deadlines: Deadlines) {
    this.origin = origin
    origin.waiting++
    this.timeouts = timeouts
    this.deadlines = deadlines
    this.startedAt = deadlines.now()
    deadlines.watch(this)
  }

  protected abstract onHead(head: UpstreamHead): void
  protected abstract onPiece(piece: Buffer): void
  protected abstract onEnd(): void
  protected abstract onFailure(failure: TransportFailure): void

  /** Sends the request. The connection is this call's until undici is done with it, which may be after the call has ended. */
  goesOver(connection: Connection, options: Dispatcher.DispatchOptions): void {
    this.connection = connection
    connection.client.dispatch(options, this)
  }

  onRequestStart(controller: Controller): void {
    if (this.over) return controller.abort(ended)
    this.controller = controller
    if (this.lastAt === undefined) {
      this.origin.waiting--
      this.origin.open++
    }
    this.lastAt = this.deadlines.now()
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>
  ): void {
    // 1xx are notices; the answer is still to come.
    if (this.over || status < 200) return
    this.begun = true
    this.onHead({ status, headers: joined(headers) })
  }

  onResponseData(_controller: Controller, piece: Buffer): void {
    if (this.over) return
    this.anyPiece = true
    this.touch()
    this.onPiece(piece)
  }

  onResponseEnd(): void {
    if (this.finish()) this.onEnd()
    // Not before: undici looks whether anything came unasked before it sends over a connection that was idle, and only then.
    this.connection?.giveBack()
    this.connection = undefined
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    this.connection?.drop()
    this.connection = undefined
    if (!this.finish()) return
    const failure = failureOf(error, this.origin.name, this.controller !== undefined)
    const isCut = this.begun && failure.kind === "reset"
    this.onFailure(isCut ? new TransportFailure({ kind: "cut", message: failure.message }) : failure)
  }

  check(now: number): void {
    const { connect, firstToken, idle, total } = this.timeouts
    const spent = now - this.startedAt
    if (spent >= total) return this.fail("idle_timeout", `took longer than ${total} ms`)
    if (this.lastAt === undefined) {
      if (spent >= connect) this.fail("connect_timeout", `had no connection within ${connect} ms`)
      return
    }
    if (this.paused) return
    const silence = now - this.lastAt
    if (!this.anyPiece && silence >= firstToken) {
      return this.fail("first_byte_timeout", `did not begin to answer within ${firstToken} ms`)
    }
    if (this.anyPiece && silence >= idle) this.fail("idle_timeout", `sent nothing for ${idle} ms`)
  }

  /** Closes the connection unless the answer is complete. Safe at any time, any number of times. */
  close(): void {
    this.fail("reset", "was hung up on: nobody reads its answer any more")
  }

  protected fail(kind: TransportFailure["kind"], what: string): void {
    if (!this.finish()) return
    this.controller?.abort(ended)
    this.onFailure(new TransportFailure({ kind, message: `${this.origin.name} ${what}` }))
  }

  /** Something moved: the time of silence starts anew. */
  protected touch(): void {
    this.lastAt = this.deadlines.now()
  }

  /** False when the call had ended before. */
  private finish(): boolean {
    if (this.over) return false
    this.over = true
    if (this.lastAt === undefined) this.origin.waiting--
    else this.origin.open--
    this.deadlines.forget(this)
    return true
  }
}

const joined = (headers: Record<string, string | string[] | undefined>): UpstreamHead["headers"] => {
  for (const name in headers) {
    const value = headers[name]
    if (Array.isArray(value)) headers[name] = value.join(", ")
  }
  return headers as UpstreamHead["headers"]
}
