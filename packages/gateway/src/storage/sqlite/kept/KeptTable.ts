/** A table of kept responses in a SQLite database. Each function is one step that nothing can come between. */
import type { DatabaseSync } from "node:sqlite"
import { mostFreedFor, type Quota } from "../../../core/domain/Quota.ts"
import {
  bytesOf,
  type Claimed,
  ERASED_MS,
  type Erasure,
  type HeldByKey,
  headerOfResponse,
  type KeptAnswer,
  likeModel,
  MADE_BY,
  type NewRecord
} from "../../../core/kept/KeptResponses.ts"
import { holdings } from "../responses/SqliteHoldings.ts"

/** The most records that one transaction deletes: each may have 4 MiB. */
export const PRUNED_AT_ONCE = 10

/** `refuses`: besides those that were erased since they began. */
export const keptTable = (
  db: DatabaseSync,
  hasRoom: (bytes: number) => boolean,
  refuses: (record: NewRecord) => boolean = () => false
) => {
  const excess = holdings(db, "answer")
  const find = db.prepare("SELECT request, kind, headers, body FROM kept_answers WHERE id = ? AND kept_at >= ?")
  const oldestOf = db.prepare("SELECT rowid AS id, bytes FROM kept_answers WHERE key_id = ? ORDER BY kept_at LIMIT 1")
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
  const deleteSome = (condition: string, given: ReadonlyArray<string | number>, order = ""): number => {
    const some = `SELECT rowid FROM kept_answers WHERE ${condition} ${order} LIMIT ${PRUNED_AT_ONCE}`
    return Number(db.prepare(`DELETE FROM kept_answers WHERE rowid IN (${some})`).run(...given).changes)
  }

  return {
    find: (id: string, since: number): Claimed | undefined => {
      const row = find.get(id, since) as (KeptRow & Record<string, unknown>) | undefined
      if (row === undefined) return undefined
      const headers = JSON.parse(row.headers) as KeptAnswer["headers"]
      return { kind: "kept", record: { request: row.request, answer: { kind: row.kind, headers, body: row.body } } }
    },

    keep: (id: string, record: NewRecord, at: number, quota: Quota): boolean => {
      const { answer, keyId, request } = record
      const bytes = bytesOf(record)
      replaced.run(id)
      const fits = bytes <= Math.min(quota.all, quota.perKey)
      if (!fits || !hasRoom(bytes) || refuses(record) || isErased(record)) return false
      for (let left = mostFreedFor(bytes); left > 0;) {
        const more = excess(quota, keyId, bytes)
        if (more === undefined) break
        const oldest = oldestOf.get(more.keyId)!
        remove.run(oldest["id"]!)
        left -= Number(oldest["bytes"])
      }
      put.run(id, request, at, answer.kind, JSON.stringify(answer.headers), answer.body, keyId, bytes)
      return true
    },

    /** From now (epoch ms) on, what began before is not kept. */
    refuseOlder: ({ keyId = "" }: Erasure, now: number): void => {
      replaced.run(erased(keyId))
      put.run(erased(keyId), "", now + ERASED_MS, "erased", "{}", new Uint8Array(), "", 0)
    },

    eraseSome: ({ keyId, model, responseId }: Erasure): number => {
      const conditions: Array<string> = ["kind <> 'erased'"]
      const given: Array<string> = []
      if (keyId !== undefined) {
        const madeBy = "(key_id >= 'team:' AND key_id < 'team;' AND instr(headers, ?) > 0)"
        conditions.push(responseId === undefined ? `(key_id = ? OR ${madeBy})` : "key_id = ?")
        given.push(keyId)
        if (responseId === undefined) given.push(`"${MADE_BY}":${JSON.stringify(keyId)}`)
      }
      if (responseId !== undefined) {
        conditions.push("instr(headers, ?) > 0")
        given.push(headerOfResponse(responseId))
      }
      if (model !== undefined) {
        conditions.push("headers LIKE ? ESCAPE '\\'")
        given.push(likeModel(model))
      }
      return deleteSome(conditions.join(" AND "), given)
    },

    pruneSome: (before: number): number => deleteSome("kept_at < ?", [before], "ORDER BY kept_at"),
    deleteRevoked: (): number => deleteSome("key_id IN (SELECT id FROM keys WHERE revoked_at IS NOT NULL)", []),
    held: () => held.all() as unknown as ReadonlyArray<HeldByKey>
  }
}

export type KeptTable = ReturnType<typeof keptTable>

interface KeptRow {
  readonly request: string
  readonly kind: KeptAnswer["kind"]
  readonly headers: string
  readonly body: Uint8Array
}

/** The id of the row that says when records of a key were erased; "": of any key. No other id has a space. */
const erased = (keyId: string): string => `erased ${keyId}`
