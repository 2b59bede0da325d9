/** How a gateway becomes a member of a store. Any gateway removes those that have died. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { LATEST } from "../../migrations/PostgresMigrations.ts"
import { space } from "./Process.ts"

export interface Self {
  /** Random, because a sequence could go back when a standby takes over. */
  readonly id: number
  readonly name: string
  readonly leaseMs: number
}

/** A lease counts from before its heartbeat was sent, so this factor is enough, even with a slow clock. */
export const LEASE_MARGIN = 1.2

export const join = Effect.fnUntraced(function* (sql: PgClient, { id, leaseMs, name }: Self, place: string) {
  yield* sql`INSERT INTO nodes (id, name, space, pid, lease_ms, schema, seen)
    SELECT ${id}, ${name}, ${space()}, ${process.pid}, ${leaseMs}, ${LATEST}, coalesce(max(seq), 0) FROM changes`
  const others = yield* sql<{ name: string }>`SELECT name FROM nodes WHERE id <> ${id} ORDER BY joined_at, id`
  if (others.length === 0) return
  // Shows an operator who named the wrong database.
  yield* Effect.logInfo(`${place} is also used by the gateways on ${others.map((other) => other.name).join(", ")}.`)
})

/** Joins again, in a transaction, after it was declared dead, with `flushed` groups and `seen` changes. */
export const joinAgain = (within: PgClient, { id, leaseMs, name }: Self, flushed: number, seen: number) =>
  Effect.asVoid(within`INSERT INTO nodes (id, name, space, pid, lease_ms, schema, seen, flushed)
    VALUES (${id}, ${name}, ${space()}, ${process.pid}, ${leaseMs}, ${LATEST}, ${seen}, ${flushed}) ON CONFLICT DO NOTHING`)
