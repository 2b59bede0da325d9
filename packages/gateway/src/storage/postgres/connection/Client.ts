/** Connections to Postgres. */
import { rootCertificates } from "node:tls"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Result } from "effect"
import { defaults, type PostgresOptions } from "./PostgresOptions.ts"
import type { Sockets } from "./Sockets.ts"
import { withTypedTransactions } from "./Transactions.ts"

/** Eight-byte integers are numbers: times and amounts are safe. Sums may not be, and are requested as text. */
const types = PgTypes.makeRegistry()
types.register(PgTypes.OID.int8, {
  encode: (value: number | bigint) => {
    const bytes = Buffer.allocUnsafe(8)
    bytes.writeBigInt64BE(BigInt(value))
    return Result.succeed(bytes)
  },
  decode: (bytes) => Result.succeed(Number(viewOf(bytes).getBigInt64(0)))
})

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** A gateway with a connection idle in a transaction for longer has died or hangs. */
const IDLE_IN_TRANSACTION_MS = 30_000

interface Use {
  readonly isReadOnly?: boolean
  readonly sockets?: Sockets
}

/** Settings of each connection, whatever the server, the database or the role has as its default. */
export const sessionOf = (schema: string): Readonly<Record<string, string>> => ({
  search_path: quoted(schema),
  // Quota leases are counted from what other gateways committed, and recorded cost must be on disk.
  default_transaction_isolation: "read committed",
  synchronous_commit: "on",
  // Reports touch many partitions of a plan briefly, so compiling the plan takes longer than running it.
  jit: "off"
})

/** A pool of up to `connections`. It connects on first use, and reconnects when a connection is lost. */
export const makeClient = (
  options: PostgresOptions,
  connections: number,
  { isReadOnly = false, sockets = undefined }: Use = {}
) => {
  const stream = sockets?.to(options.url)
  const client = PgClient.make({
    ...(stream === undefined ? {} : { stream }),
    url: options.url,
    ...(options.ca === undefined ? {} : { ssl: { ca: [options.ca, ...rootCertificates] } }),
    applicationName: "model-gateway",
    startupParameters: {
      ...sessionOf(options.schema ?? defaults.schema),
      statement_timeout: String(options.statementTimeoutMs ?? defaults.statementTimeoutMs),
      idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
      timezone: "UTC",
      // Groups of a report fit, and are not sorted on disk.
      work_mem: "32MB",
      ...(isReadOnly ? { default_transaction_read_only: "on" } : {})
    },
    keepAlive: "10 seconds",
    minConnections: 0,
    maxConnections: connections,
    maxMessageSize: MOST_BYTES,
    types
  })
  return Effect.map(client, withTypedTransactions)
}

/** The largest row: a kept or stored response. */
const MOST_BYTES = 256 * 1024 * 1024

/** Quotes an SQL identifier. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
