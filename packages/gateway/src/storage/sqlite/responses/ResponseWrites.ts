/** The responses' part of the group commit. Overwrites what it deletes with zeros, as free pages would keep it. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { mostFreedFor, type Quota } from "../../../core/domain/Quota.ts"
import type { StoredResponse } from "../../../core/responses/ResponseRepository.ts"
import { withoutTraces } from "../writer/WriteOperation.ts"
import { holdings } from "./SqliteHoldings.ts"

/** The most rows that one commit deletes, in some milliseconds. Fewer if rows are long, but at least one. */
const MOST_ROWS = 64
const MOST_BYTES = 8 * 1024 * 1024

const NOT_STORED = { isStored: false, hasErased: false }

interface ResponseSizeRow {
  readonly id: number
  readonly bytes: number
}

export class ResponseWrites {
  private readonly db: DatabaseSync
  private readonly insertResponse: StatementSync
  private readonly insertItem: StatementSync
  private readonly isRevoked: StatementSync
  private readonly one: StatementSync
  private readonly ofKey: StatementSync
  private readonly before: StatementSync
  private readonly ofRevoked: StatementSync
  private readonly deleteRow: StatementSync

  private readonly excess: ReturnType<typeof holdings>
  private readonly hasRoom: (bytes: number) => boolean

  /** `hasRoom` returns whether the disk has room for this many bytes above its reserve. */
  constructor(db: DatabaseSync, hasRoom: (bytes: number) => boolean) {
    this.db = db
    this.hasRoom = hasRoom
    this.excess = holdings(db, "response")
    this.insertResponse = db.prepare(
      `INSERT INTO responses (key_id, response_id, parent, created_at, bytes, input, body)
        VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`
    )
    this.insertItem = db.prepare("INSERT OR IGNORE INTO response_items (key_id, item_id, response) VALUES (?, ?, ?)")
    this.isRevoked = db.prepare("SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NOT NULL")
    this.one = db.prepare("SELECT id, bytes FROM responses WHERE key_id = ? AND response_id = ?")
    this.ofKey = db.prepare(`SELECT id, bytes FROM responses WHERE key_id = ? ORDER BY id LIMIT ${MOST_ROWS}`)
    this.before = db.prepare(
      `SELECT id, bytes FROM (SELECT id, bytes, created_at FROM responses ORDER BY id LIMIT ${MOST_ROWS}) WHERE created_at < ?`
    )
    this.ofRevoked = db.prepare(
      `SELECT id, bytes FROM responses WHERE key_id IN (SELECT id FROM keys WHERE revoked_at IS NOT NULL) LIMIT ${MOST_ROWS}`
    )
    this.deleteRow = db.prepare("DELETE FROM responses WHERE id = ?")
  }

  /** Runs in a transaction, like all methods below. Returns whether the response is stored, and whether others were deleted for it. */
  insert(response: StoredResponse, itemIds: ReadonlyArray<string>, quota: Quota) {
    const { body, createdAt, id, input, isAgain = false, keyId, parent } = response
    const bytes = Buffer.byteLength(input) + Buffer.byteLength(body)
    // A request may end after its key was revoked.
    if (bytes > Math.min(quota.all, quota.perKey) || this.isRevoked.get(keyId) !== undefined) return NOT_STORED
    if (!this.hasRoom(bytes)) return NOT_STORED
    let hasErased = isAgain && this.remove(keyId, id)
    for (let left = mostFreedFor(bytes); left > 0;) {
      const excess = this.excess(quota, keyId, bytes)
      if (excess === undefined) break
      left -= this.free(rowsIn(this.ofKey.all(excess.keyId)), Math.min(excess.bytes, left))
      hasErased = true
    }
    withoutTraces(this.db, () => {
      const row = this.insertResponse.get(keyId, id, parent, createdAt, bytes, input, body)
      const rowId = Number(row?.["id"])
      for (const itemId of itemIds) this.insertItem.run(keyId, itemId, rowId)
    })
    return { isStored: true, hasErased }
  }

  remove(keyId: string, id: string): boolean {
    return this.delete(rowsIn(this.one.all(keyId, id)))
  }

  /** Deletes some of a key's responses. Returns false if there were none. */
  eraseSome(keyId: string): boolean {
    return this.delete(rowsIn(this.ofKey.all(keyId)))
  }

  /** Deletes some expired responses. Returns false if there were none. */
  pruneSome(cutoff: number, quota: Quota): boolean {
    if (this.delete(rowsIn(this.before.all(cutoff)))) return true
    const excess = this.excess(quota, "", 0)
    return (
      (excess !== undefined && this.delete(rowsIn(this.ofKey.all(excess.keyId)), excess.bytes)) ||
      this.delete(rowsIn(this.ofRevoked.all()))
    )
  }

  /** Deletes rows until this many bytes are free. Returns false if there are no rows. */
  private delete(rows: ReadonlyArray<ResponseSizeRow>, enough = MOST_BYTES): boolean {
    if (rows.length > 0) this.free(rows, enough)
    return rows.length > 0
  }

  /** Does the same and returns the number of bytes freed. */
  private free(rows: ReadonlyArray<ResponseSizeRow>, enough: number): number {
    let freed = 0
    withoutTraces(this.db, () => {
      for (const { bytes, id } of rows) {
        if (freed >= Math.min(enough, MOST_BYTES)) break
        this.deleteRow.run(id)
        freed += bytes
      }
    })
    return freed
  }
}

const rowsIn = (rows: ReadonlyArray<Record<string, unknown>>): ReadonlyArray<ResponseSizeRow> =>
  rows.map(({ bytes, id }) => ({ id: Number(id), bytes: Number(bytes) }))
