/** A gateway of other people, as their users install it, and set up as its documents say for production. */
import type { ServerProcess } from "../ServerProcess.ts"

export interface Peer {
  readonly name: string
  /** What it is, at which version, and what it does for a request: for those who read the figures. */
  readonly setUp: string
  /** Installs it, once for all runs. `upstream`: the origin of the provider; `folder`: for what it writes. */
  readonly prepare: (upstream: string, folder: string) => Promise<PreparedPeer>
}

export interface PreparedPeer {
  readonly start: () => Promise<ServerProcess>
  /** The credential that it wants. */
  readonly key: string
  /** Sent with each request beside it. */
  readonly headers?: Readonly<Record<string, string>>
}
