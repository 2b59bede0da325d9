/** A table of kept responses in a SQLite database, and the store that it makes. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { mostFreedFor, type Quota } from "../../../core/domain/Quota.ts"
import {
  bytesOf,
  type CacheVitals,
  type Claimed,
  ERASED_MS,
  type Erasure,
  type HeldByKey,
  headerOfResponse,
  type KeptAnswer,
  type KeptStore,
  likeModel,
  MADE_BY,
  type NewRecord
} from "../../../core/kept/KeptResponses.ts"
import { holdings } from "../responses/SqliteHoldings.ts"

/** The most records that one transaction deletes: each may have 4 MiB. */
const PRUNED_AT_ONCE = 10

interface KeptRow {
  readonly request: string
  readonly kind: KeptAnswer["kind"]
  readonly headers: string
  readonly body: Uint8Array
}

/** The id of the row that says when records of a key were erased; "": of any key. No other id has a space. */
const erased = (keyId: string): string => `erased ${keyId}`

/** Each function is one step that nothing can come between. `vitals`: of a cache, which makes room by expiry and use, not by age. */
export const keptTable = (
  db: DatabaseSync,
  hasRoom: (bytes: number) => boolean,
  isRevoked: (keyId: string) => boolean = () => false,
  vitals?: CacheVitals
) => {
  const excess = holdings(db, "answer")
  const find = db.prepare("SELECT request, kind, headers, body FROM kept_answers WHERE id = ? AND kept_at >= ?")
  const byUse = vitals !== undefined
  const order = byUse ? "used" : "kept_at"
  const oldestOf = db.prepare(`SELECT rowid AS id, bytes FROM kept_answers WHERE key_id = ? ORDER BY ${order} LIMIT 1`)
  const touched = byUse ? db.prepare("UPDATE kept_answers SET used = ? WHERE id = ?") : undefined
  let uses = byUse ? Number(db.prepare("SELECT max(used) AS uses FROM kept_answers").get()!["uses"] ?? 0) : 0
  const remove = db.prepare("DELETE FROM kept_answers WHERE rowid = ?")
  const replaced = db.prepare("DELETE FROM kept_answers WHERE id = ?")
  const erasedSince = db.prepare("SELECT 1 FROM kept_answers WHERE id IN (?, ?, ?) AND kept_at >= ?")
  const put = db.prepare(
    "INSERT INTO kept_answers (id, request, kept_at, kind, headers, body, key_id, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
  )
  const held = db.prepare(
    `SELECT key_id AS keyId, bytes, (SELECT count(*) FROM kept_answers AS k WHERE k.key_id = h.key_id) AS entries
      FROM holdings AS h WHERE kind = 'answer' AND bytes > 0 ORDER BY bytes DESC`
  )
  const isErased = ({ began, keyId, madeBy = "" }: NewRecord): boolean =>
    began !== undefined && erasedSince.get(erased(keyId), erased(madeBy), erased(""), began + ERASED_MS) !== undefined
  /** Some rows for which a condition holds; how many. */
  const deleteSome = (condition: string, given: ReadonlyArray<string | number>): number => {
    const some = `SELECT rowid FROM kept_answers WHERE ${condition} LIMIT ${PRUNED_AT_ONCE}`
    return Number(db.prepare(`DELETE FROM kept_answers WHERE rowid IN (${some})`).run(...given).changes)
  }

  const pruneSome = (before: number): number => {
    const count = deleteSome("kept_at < ? ORDER BY kept_at", [before])
    if (byUse) vitals.expired += count
    return count
  }

  return {
    claim: (id: string, since: number, now: number): Claimed => {
      const row = find.get(id, since) as (KeptRow & Record<string, unknown>) | undefined
      if (row === undefined) return { kind: "first", at: now }
      const { body, kind, request } = row
      return { kind: "kept", record: { request, answer: { kind, headers: JSON.parse(row.headers), body } }, at: now }
    },
    keep: (id: string, record: NewRecord, at: number, quota: Quota, now: number): boolean => {
      const { answer, keyId, request } = record
      const bytes = bytesOf(record)
      replaced.run(id)
      const fits = bytes <= Math.min(quota.all, quota.perKey)
      if (!fits || !hasRoom(bytes) || isRevoked(keyId) || isErased(record)) return false
      for (let left = mostFreedFor(bytes); left > 0;) {
        const more = excess(quota, keyId, bytes)
        if (more === undefined) break
        if (byUse && pruneSome(now) > 0) continue
        const oldest = oldestOf.get(more.keyId)!
        remove.run(oldest["id"]!)
        if (byUse) vitals.room++
        left -= Number(oldest["bytes"])
      }
      put.run(id, request, at, answer.kind, JSON.stringify(answer.headers), answer.body, keyId, bytes)
      touched?.run(++uses, id)
      return true
    },
    touch: (ids: ReadonlyArray<string>): void => ids.forEach((id) => touched?.run(++uses, id)),
    /** From now (epoch milliseconds) on, what began before is not kept. */
    refuseOlder: ({ keyId = "" }: Erasure, now: number): void => {
      replaced.run(erased(keyId))
      put.run(erased(keyId), "", now + ERASED_MS, "erased", "{}", new Uint8Array(), "", 0)
    },
    eraseSome: ({ keyId, model, responseId }: Erasure): number => {
      const conditions: Array<readonly [string, ...ReadonlyArray<string>]> = [["kind <> 'erased'"]]
      if (responseId !== undefined) conditions.push(["instr(headers, ?) > 0", headerOfResponse(responseId)])
      if (model !== undefined) conditions.push(["headers LIKE ? ESCAPE '\\'", likeModel(model)])
      if (keyId !== undefined) {
        const shared = "key_id >= 'team:' AND key_id < 'team;' AND instr(headers, ?) > 0"
        conditions.push([`(key_id = ? OR (${shared}))`, keyId, `"${MADE_BY}":${JSON.stringify(keyId)}`])
      }
      return deleteSome(
        conditions.map(([one]) => one).join(" AND "),
        conditions.flatMap(([, ...given]) => given)
      )
    },
    pruneSome,
    deleteRevoked: (): number => deleteSome("key_id IN (SELECT id FROM keys WHERE revoked_at IS NOT NULL)", []),
    held: () => held.all() as unknown as ReadonlyArray<HeldByKey>
  }
}

export type KeptTable = ReturnType<typeof keptTable>

type TableStep = <A>(step: (table: KeptTable) => A) => Effect.Effect<A, StoreUnavailable>

/** `change`: a step in a transaction. `now`: epoch milliseconds. */
export const keptStore = (read: TableStep, change: TableStep, now: () => number) => {
  /** Until a step deletes less than it could. */
  const repeatedly = Effect.fnUntraced(function* (some: (table: KeptTable) => number) {
    while ((yield* change(some)) === PRUNED_AT_ONCE) yield* Effect.yieldNow
  })
  const held = read((table) => table.held())
  return {
    repeatedly,
    claim: (id: string, _: string, since: number) => read((table) => table.claim(id, since, now())),
    release: () => Effect.void,
    keep: (id: string, record: NewRecord, at: number, quota: Quota) =>
      change((table) => table.keep(id, record, at, quota, now())),
    erase: (what: Erasure) =>
      Effect.andThen(
        change((table) => table.refuseOlder(what, now())),
        repeatedly((table) => table.eraseSome(what))
      ),
    prune: (before: number) =>
      Effect.andThen(
        repeatedly((table) => table.pruneSome(before)),
        Effect.map(held, ({ length }) => length > 0)
      ),
    held
  } satisfies KeptStore & { readonly repeatedly: unknown }
}
