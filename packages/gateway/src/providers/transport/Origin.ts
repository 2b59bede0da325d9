/** One address that is called: its connections, and the calls that are under way there. */
import { Pool } from "undici"
import type { UpstreamLoad } from "../../core/pool/Transport.ts"

/** How long an idle connection is kept, in ms, where the upstream does not say how long it keeps it. */
const KEEP_ALIVE_MS = 30_000

export class Origin implements UpstreamLoad {
  /** Scheme, host and port. */
  readonly name: string
  open = 0
  waiting = 0
  private readonly pools = new Map<number, Pool>()

  constructor(name: string) {
    this.name = name
  }

  isFull(maxConnections: number): boolean {
    return this.open + this.waiting >= maxConnections
  }

  /** The limit for connecting belongs to the pool: deployments that differ in it don't share one. */
  pool(connectTimeout: number): Pool {
    const known = this.pools.get(connectTimeout)
    if (known !== undefined) return known
    const pool = new Pool(this.name, {
      // As many as there are calls: those are counted, and refused beyond their bound, before one gets here.
      connections: null,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectTimeout,
      // One connection per call: closing it tells the vendor that nobody listens any more, and a lost one loses one answer. Over
      // HTTP/2 (undici 8.12.4, tried with 300 calls) it loses a hundred, which open the circuit, and a call that is given up
      // ends with NO_ERROR as if it had been read.
      allowH2: false
    })
    this.pools.set(connectTimeout, pool)
    return pool
  }

  destroy(): Promise<unknown> {
    return Promise.all([...this.pools.values()].map((pool) => pool.destroy()))
  }
}
