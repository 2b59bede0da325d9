/** One address that is called, and how many calls are under way there. */
import type { UpstreamLoad } from "../../core/pool/Transport.ts"

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
