/**
 * The connections to one address that share a limit for connecting, kept alive between calls. A call takes the one that was used last,
 * or makes another. Undici's own pool looks through all of its connections twice for each call and tells itself who is busy by events:
 * 1.3 µs of CPU more with 32 calls at once, 3 with 256, 7 with 1,500.
 */
import type { buildConnector, Client } from "undici"
import { inOneWrite } from "./OneWrite.ts"
import * as Undici from "./Undici.ts"

/** How long an idle connection is kept, in ms, where the upstream does not say how long it keeps it. */
const KEEP_ALIVE_MS = 30_000

export class Connections {
  private readonly origin: string
  /** One for all, so that a new connection resumes the TLS session of an earlier one. */
  private readonly connect: buildConnector.connector
  private readonly all = new Set<Connection>()
  /** The last one was used last. */
  private readonly free: Array<Connection> = []

  constructor(origin: string, connectTimeout: number) {
    this.origin = origin
    this.connect = inOneWrite(Undici.buildConnector({ allowH2: false, timeout: connectTimeout }))
  }

  /** One that no other call has. */
  take(): Connection {
    const known = this.free.pop()
    if (known !== undefined) return known
    // As many as there are calls: those are counted, and refused beyond their bound, before one gets here.
    const client = new Undici.Client(this.origin, {
      connect: this.connect,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // One connection per call: closing it tells the vendor that nobody listens any more, and a lost one loses one answer. Over
      // HTTP/2 (undici 8.12.4, tried with 300 calls) it loses a hundred, which open the circuit, and a call that is given up
      // ends with NO_ERROR as if it had been read.
      allowH2: false
    })
    const made = new Connection(client, this)
    this.all.add(made)
    client.on("disconnect", () => this.forget(made))
    return made
  }

  giveBack(connection: Connection): void {
    this.free.push(connection)
  }

  /** It was closed. Where a call has it, undici opens it again if it must. */
  private forget(connection: Connection): void {
    // Those that were idle for the longest time come first.
    const place = this.free.indexOf(connection)
    if (place < 0) return
    this.free.splice(place, 1)
    this.drop(connection)
  }

  /** For one whose call failed: whatever it waits for, no other call waits for it. */
  drop(connection: Connection): void {
    this.all.delete(connection)
    // Undici is still busy with the failure.
    queueMicrotask(() => void connection.client.destroy())
  }

  destroy(): Promise<unknown> {
    return Promise.all([...this.all].map(({ client }) => client.destroy()))
  }
}

export class Connection {
  readonly client: Client
  private readonly connections: Connections

  constructor(client: Client, connections: Connections) {
    this.client = client
    this.connections = connections
  }

  giveBack(): void {
    this.connections.giveBack(this)
  }

  drop(): void {
    this.connections.drop(this)
  }
}
