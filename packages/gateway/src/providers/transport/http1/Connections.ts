/**
 * The connections to one origin, kept alive between calls. A call gets the one that was used last, or a new one: there are as many
 * as there are calls, and those are counted, and refused beyond their bound, before one gets here.
 *
 * A used one gets its request behind the reads of this turn of the event loop: what came unasked behind the last answer must not become
 * the answer to the next call, and a request must not meet a close that is here already (GHSA-35p6-xmwp-9g52).
 */
import { Connect } from "./Connect.ts"
import { Connection, type Owner } from "./Connection.ts"
import type { Call } from "../Call.ts"

export class Connections implements Owner {
  private readonly connect: Connect
  private readonly all = new Set<Connection>()
  /** The last one was used last. */
  private readonly free: Array<Connection> = []
  /** Those that get their request in this turn of the event loop, and the calls that have them. */
  private next: Array<{ readonly connection: Connection; readonly call: Call }> = []

  constructor(origin: string) {
    this.connect = new Connect(origin)
  }

  /** What requests say whom they ask. */
  get host(): string {
    return this.connect.host
  }

  /** Sends the call's request. */
  carry(call: Call): void {
    const connection = this.free.pop()
    if (connection === undefined) return this.open(call)
    if (this.next.push({ connection, call }) === 1) setImmediate(this.send)
  }

  giveBack(connection: Connection): void {
    this.free.push(connection)
  }

  /** It was closed. */
  forget(connection: Connection): void {
    this.all.delete(connection)
    const place = this.free.indexOf(connection)
    if (place >= 0) this.free.splice(place, 1)
  }

  close(): void {
    const dropped = "was dropped: the gateway is closing its connections"
    for (const { call } of this.next) call.onLost(dropped)
    for (const connection of this.all) connection.lose(dropped)
  }

  private open(call: Call): void {
    this.all.add(new Connection(this.connect, this, call))
  }

  private readonly send = (): void => {
    const { next } = this
    this.next = []
    for (const { connection, call } of next) {
      if (connection.isClosed) {
        if (!call.isOver) this.open(call)
      } else if (call.isOver) this.free.push(connection)
      else connection.carry(call)
    }
  }
}
