/**
 * How a gateway becomes one of those that work on a store. One that is configured to be alone is: another that lives is named, and one that has
 * died is waited for until it may not work any more by its lease.
 */
import { Clock, Effect } from "effect"
import type { PgClient } from "@effect/sql-pg/PgClient"
import type { SqlError } from "effect/sql"
import { StoreLocked } from "../../records/OpenErrors.ts"
import { Fenced } from "./Fenced.ts"
import { mayLive, space } from "./Process.ts"

export interface Self {
  /** Random: a sequence could go back when a standby takes over. */
  readonly id: number
  readonly name: string
  readonly leaseMs: number
  /** No other gateway may work on the store. */
  readonly isAlone: boolean
}

interface Other {
  readonly id: number
  readonly name: string
  readonly space: string
  readonly pid: number
  readonly lease_ms: number
  readonly beats: number
  readonly alone: boolean
  readonly joined: string
}

/** A lease counts from before its beat was sent, so so much more is enough, whoever's clock runs slow. */
export const LEASE_MARGIN = 1.2

/** Looks at another that may be dead, in each of its leases. */
const LOOKS = 6

/** Those beside whom this one may not work. */
const inTheWay = Effect.fnUntraced(function* (sql: PgClient, { id, isAlone }: Self) {
  yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' nodes', 0))`
  return yield* sql<Other>`SELECT id, name, space, pid, lease_ms, beats, alone,
    to_char(joined_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS joined FROM nodes WHERE id <> ${id} AND (alone OR ${isAlone}::boolean)`
})

export const join = Effect.fnUntraced(function* (
  sql: PgClient,
  self: Self,
  place: string
): Effect.fn.Return<void, SqlError.SqlError | StoreLocked> {
  const { id, isAlone, leaseMs, name } = self
  /** Takes the place of those that are gone; who else is there, so that it could not. */
  const attempt = (gone: ReadonlyArray<Other>) =>
    Effect.gen(function* () {
      for (const other of gone) yield* sql`DELETE FROM nodes WHERE id = ${other.id} AND beats = ${other.beats}`
      const others = yield* inTheWay(sql, self)
      if (others.length === 0) {
        yield* sql`INSERT INTO nodes (id, name, space, pid, lease_ms, alone, seen)
          SELECT ${id}, ${name}, ${space()}, ${process.pid}, ${leaseMs}, ${isAlone}, coalesce(max(seq), 0) FROM changes`
      }
      return others
    }).pipe(sql.withTransaction)

  const began = yield* Clock.currentTimeMillis
  const first = new Map<number, Other>()
  let gone: ReadonlyArray<Other> = []
  while (true) {
    const others = yield* attempt(gone)
    if (others.length === 0) return
    const waited = (yield* Clock.currentTimeMillis) - began
    for (const other of others) {
      const known = first.get(other.id)
      if (known === undefined && mayLive(other)) {
        const longest = Math.ceil((other.lease_ms * LEASE_MARGIN) / 1000)
        yield* Effect.logInfo(`${place} is used by ${other.name}: waiting up to ${longest} s to see whether it lives.`)
      }
      if (known !== undefined && known.beats !== other.beats) return yield* usedBy(place, other)
      if (known === undefined) first.set(other.id, other)
    }
    gone = others.filter((other) => !mayLive(other) || waited >= other.lease_ms * LEASE_MARGIN)
    if (gone.length < others.length) yield* Effect.sleep(Math.min(...others.map(({ lease_ms }) => lease_ms)) / LOOKS)
  }
})

/**
 * As one that was taken for dead, in a transaction. It has written so many groups, and has `seen` changes up to that number. Not while another
 * works alone.
 */
export const joinAgain = Effect.fnUntraced(function* (
  sql: PgClient,
  self: Self,
  flushed: number,
  seen: number
): Effect.fn.Return<void, SqlError.SqlError | Fenced> {
  const { id, isAlone, leaseMs, name } = self
  const others = yield* inTheWay(sql, self)
  if (others.length > 0) return yield* new Fenced()
  yield* sql`INSERT INTO nodes (id, name, space, pid, lease_ms, alone, seen, flushed)
    VALUES (${id}, ${name}, ${space()}, ${process.pid}, ${leaseMs}, ${isAlone}, ${seen}, ${flushed}) ON CONFLICT DO NOTHING`
})

const usedBy = (place: string, { joined, name, pid }: Other) =>
  new StoreLocked({
    message: `${place} is in use by the gateway on ${name} (process ${pid}) since ${joined}: stop it, or name another database or store.postgres.schema. One gateway at a time works on a store, unless all of them say gateways: several.`
  })
