/** Options for a store on Postgres. */
import type { Redacted } from "effect"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with libpq's parameters such as `sslmode`. */
  readonly url: Redacted.Redacted
  /** PEM of the authority that issued the server's certificate. Makes TLS mandatory. */
  readonly ca?: string | undefined
  /** The schema of all tables, created if it is missing. Default `model_gateway`. */
  readonly schema?: string | undefined
  /** The cluster that must own the store. Default: a cluster without a name. */
  readonly cluster?: string | undefined
  /** Connections for reads and administration, besides the four that every gateway has. Default 4. */
  readonly connections?: number | undefined
  /** Milliseconds after which the server cancels a statement. Default 30 s. */
  readonly statementTimeoutMs?: number | undefined
  /** Milliseconds that a gateway may work without a response from the store. Default 10 s. */
  readonly leaseMs?: number | undefined
  /** `wait`: an attempt starts once its worst case is stored. `behind`: while that is on its way. Default `wait`. */
  readonly reserve?: "wait" | "behind" | undefined
  /** The name of this gateway in messages to others. Default: the host's name. */
  readonly name?: string | undefined
  /** Milliseconds to keep receipts; 0 keeps none. Default: 30 days. */
  readonly keepReceiptsMs?: number | undefined
}

export const defaults = {
  schema: "model_gateway",
  connections: 4,
  statementTimeoutMs: 30_000,
  leaseMs: 10_000
} as const
