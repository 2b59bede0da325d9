/** How a provider is reached, where that differs from a direct connection that trusts the system's certificates. */
import type { Redacted } from "effect"

export interface UpstreamConnection {
  /** An `http:` or `https:` address, which may hold a user name and password. Left out: as `HTTPS_PROXY` and its like say. */
  readonly proxy?: Redacted.Redacted<string> | undefined
  readonly tls?: UpstreamTls | undefined
}

/** Texts in PEM. */
export interface UpstreamTls {
  /** Trusted as well as the system's certificates. */
  readonly ca?: string | undefined
  /** The client certificate and its key. */
  readonly cert?: string | undefined
  readonly key?: Redacted.Redacted<string> | undefined
}
