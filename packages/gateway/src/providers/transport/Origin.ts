/** One address that is called: its connections, and the calls that are under way there. */
import type { UpstreamLoad } from "../../core/pool/Transport.ts"
import { Connections } from "./Connections.ts"

export class Origin implements UpstreamLoad {
  /** Scheme, host and port. */
  readonly name: string
  open = 0
  waiting = 0
  private readonly connections = new Map<number, Connections>()

  constructor(name: string) {
    this.name = name
  }

  isFull(maxConnections: number): boolean {
    return this.open + this.waiting >= maxConnections
  }

  /** The limit for connecting belongs to the connections: deployments that differ in it share none. */
  connectedWithin(connectTimeout: number): Connections {
    const known = this.connections.get(connectTimeout)
    if (known !== undefined) return known
    const made = new Connections(this.name, connectTimeout)
    this.connections.set(connectTimeout, made)
    return made
  }

  destroy(): Promise<unknown> {
    return Promise.all([...this.connections.values()].map((connections) => connections.destroy()))
  }
}
