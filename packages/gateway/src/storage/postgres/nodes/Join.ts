/** How a gateway becomes one of those that work on a store. Those that have died are taken off by whoever finds them dead. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { LATEST } from "../migrations/PostgresMigrations.ts"
import { space } from "./Process.ts"

export interface Self {
  /** Random: a sequence could go back when a standby takes over. */
  readonly id: number
  readonly name: string
  readonly leaseMs: number
}

/** A lease counts from before its beat was sent, so so much more is enough, whoever's clock runs slow. */
export const LEASE_MARGIN = 1.2

export const join = Effect.fnUntraced(function* (sql: PgClient, { id, leaseMs, name }: Self, place: string) {
  yield* sql`INSERT INTO nodes (id, name, space, pid, lease_ms, schema, seen)
    SELECT ${id}, ${name}, ${space()}, ${process.pid}, ${leaseMs}, ${LATEST}, coalesce(max(seq), 0) FROM changes`
  const others = yield* sql<{ name: string }>`SELECT name FROM nodes WHERE id <> ${id} ORDER BY joined_at, id`
  if (others.length === 0) return
  // Who has named the wrong database sees it here.
  yield* Effect.logInfo(`${place} is also used by the gateways on ${others.map((other) => other.name).join(", ")}.`)
})

/** As one that was taken for dead, in a transaction. It has written so many groups, and has `seen` changes up to that number. */
export const joinAgain = (within: PgClient, { id, leaseMs, name }: Self, flushed: number, seen: number) =>
  Effect.asVoid(within`INSERT INTO nodes (id, name, space, pid, lease_ms, schema, seen, flushed)
    VALUES (${id}, ${name}, ${space()}, ${process.pid}, ${leaseMs}, ${LATEST}, ${seen}, ${flushed}) ON CONFLICT DO NOTHING`)
