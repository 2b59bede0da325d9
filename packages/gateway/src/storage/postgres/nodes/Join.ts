/**
 * How a gateway becomes the one that works on a store. Limits and budgets are held in its memory, so there is one at a time: another that
 * lives is named, and one that has died is waited for until nobody may work by its lease any more.
 */
import { Clock, Effect } from "effect"
import type { PgClient } from "@effect/sql-pg/PgClient"
import type { SqlError } from "effect/sql"
import { StoreLocked } from "../../records/OpenErrors.ts"
import { mayLive, space } from "./Process.ts"

export interface Self {
  /** Random: a sequence could go back when a standby takes over. */
  readonly id: number
  readonly name: string
  readonly leaseMs: number
}

interface Other {
  readonly id: number
  readonly name: string
  readonly space: string
  readonly pid: number
  readonly lease_ms: number
  readonly beats: number
  readonly joined: string
}

/** A lease counts from before its beat was sent, so so much more is enough, whoever's clock runs slow. */
export const LEASE_MARGIN = 1.2

/** Looks at another that may be dead, in each of its leases. */
const LOOKS = 6

const insert = (sql: PgClient, { id, leaseMs, name }: Self) =>
  sql`INSERT INTO nodes (id, name, space, pid, lease_ms, seen)
    SELECT ${id}, ${name}, ${space()}, ${process.pid}, ${leaseMs}, coalesce(max(seq), 0) FROM changes`

/** As one of many. */
export const joinOthers = (sql: PgClient, self: Self): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(insert(sql, self))

/** As the only one. */
export const joinAlone = Effect.fnUntraced(function* (
  sql: PgClient,
  self: Self,
  place: string
): Effect.fn.Return<void, SqlError.SqlError | StoreLocked> {
  /** Takes the place of those that are gone; who else is there, so that it could not. */
  const attempt = (gone: ReadonlyArray<Other>) =>
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' nodes', 0))`
      for (const { beats, id } of gone) yield* sql`DELETE FROM nodes WHERE id = ${id} AND beats = ${beats}`
      const others = yield* sql<Other>`SELECT id, name, space, pid, lease_ms, beats,
        to_char(joined_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS joined FROM nodes`
      if (others.length === 0) yield* insert(sql, self)
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

const usedBy = (place: string, { joined, name, pid }: Other) =>
  new StoreLocked({
    message: `${place} is in use by the gateway on ${name} (process ${pid}) since ${joined}: stop it, or name another database or store.postgres.schema. One gateway at a time works on a store.`
  })
