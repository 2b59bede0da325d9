/** What a store on Postgres is opened with. */
import type { Redacted } from "effect"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and the like as libpq has them. */
  readonly url: Redacted.Redacted
  /** PEM: the authority that the server's certificate is from. It makes TLS a must. */
  readonly ca?: string | undefined
  /** The schema that holds all tables; made if it is missing. Default `model_gateway`. */
  readonly schema?: string | undefined
  /** Whose store it is: one of another name is refused. Default: of a cluster without a name. */
  readonly cluster?: string | undefined
  /** Connections for reads and administration, beside the four that every gateway has. Default 4. */
  readonly connections?: number | undefined
  /** Milliseconds after which the server gives a statement up. Default 30 s. */
  readonly statementTimeoutMs?: number | undefined
  /** Milliseconds for which a gateway may work without hearing from the store. Default 10 s. */
  readonly leaseMs?: number | undefined
  /** `wait`: an attempt is made once its worst case is in the store; `behind`: while it is on its way there. Default `wait`. */
  readonly reserve?: "wait" | "behind" | undefined
  /** Who this is, in messages to others. Default: the host's name. */
  readonly name?: string | undefined
  /** Milliseconds; 0 keeps none. Default: 30 days. */
  readonly keepReceiptsMs?: number | undefined
}

export const defaults = {
  schema: "model_gateway",
  connections: 4,
  statementTimeoutMs: 30_000,
  leaseMs: 10_000
} as const
