/** The number of rows and bytes that each key has of one kind. Triggers keep the counts. */
import type { DatabaseSync } from "node:sqlite"
import { excessOf, type Quota } from "../../../core/domain/Quota.ts"

/** Whose oldest rows must be deleted, and how many bytes of them, before a key has room for `more` bytes. */
export const holdings = (db: DatabaseSync, kind: "response" | "answer") => {
  const held = db.prepare("SELECT bytes FROM holdings WHERE kind = ? AND key_id = ?")
  const most = db.prepare("SELECT key_id, bytes FROM holdings WHERE kind = ? ORDER BY bytes DESC LIMIT 2")
  const bytesOf = (kind: string, keyId: string) => Number(held.get(kind, keyId)?.["bytes"] ?? 0)
  return (quota: Quota, keyId: string, more: number) => {
    const largest = most.all(kind).map((row) => ({ keyId: String(row["key_id"]), bytes: Number(row["bytes"]) }))
    return excessOf({ own: bytesOf(kind, keyId), all: bytesOf("all", kind), largest }, quota, keyId, more)
  }
}
