/** Virtual keys, teams and the pepper of the secrets, in the store. */
import { randomBytes } from "node:crypto"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type KeyFilter, KeyRepository, type StoredKey, type TeamRecord } from "../../core/Store.ts"
import { forgetWindows } from "./BudgetChange.ts"
import { columns, fromRow, type KeyRow, teamFromRow, type TeamRow, toRow } from "./KeyRows.ts"
import { orUnavailable } from "./Reads.ts"
import { Writer } from "./Writer.ts"

/** A write that names a key can be prepared once: its columns are fixed. */
const insertKey = `INSERT INTO keys (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})`

const kept = new Set(["id", "created_at", "last_used_at"])
const changed = columns.filter((name) => !kept.has(name))
const updateKey = `UPDATE keys SET ${changed.map((name) => `${name} = :${name}`).join(", ")} WHERE id = :id`

interface Page {
  readonly keys: ReadonlyArray<StoredKey>
  readonly hasMore: boolean
}

export const layer = Layer.effect(
  KeyRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient

    // Made with the store's first opening, so that later ones need no write.
    const pepper = yield* writer.write((db) => {
      const known = db.prepare("SELECT value FROM meta WHERE name = 'pepper'").get()
      if (known !== undefined) return known["value"] as Uint8Array
      const made = new Uint8Array(randomBytes(32))
      db.prepare("INSERT INTO meta VALUES ('pepper', ?)").run(made)
      return made
    })

    const insert = Effect.fn("KeyRepository.insert")((key: StoredKey) =>
      writer.write((db) => {
        db.prepare(insertKey).run(toRow(key))
      })
    )

    const update = Effect.fn("KeyRepository.update")((key: StoredKey) =>
      writer.write((db) => {
        const row = toRow(key)
        const before = db.prepare("SELECT budgets FROM keys WHERE id = ?").get(key.id)
        if (before?.["budgets"] !== row.budgets) forgetWindows(db, `key:${key.id}`, before?.["budgets"], key.budgets)
        db.prepare(updateKey).run(Object.fromEntries([...changed, "id" as const].map((name) => [name, row[name]])))
      })
    )

    const touch = (id: string, usedAt: number) =>
      writer.write((db) => {
        db.prepare("UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?").run(usedAt, id)
      })

    const find = Effect.fn("KeyRepository.find")(function* (id: string) {
      const rows = yield* orUnavailable(sql<KeyRow>`SELECT * FROM keys WHERE id = ${id}`)
      return rows[0] === undefined ? Option.none<StoredKey>() : Option.some(yield* fromRow(rows[0]))
    })

    const ids = writer.write((db) =>
      db
        .prepare("SELECT id FROM keys")
        .all()
        .map(({ id }) => String(id))
    )

    /** In the order of `core/KeyStore.statusOf`. */
    const withStatus = (status: NonNullable<KeyFilter["status"]>, now: number) => {
      const expired = sql`(expires_at IS NOT NULL AND expires_at <= ${now})`
      switch (status) {
        case "revoked":
          return sql`revoked_at IS NOT NULL`
        case "expired":
          return sql`revoked_at IS NULL AND ${expired}`
        case "disabled":
          return sql`revoked_at IS NULL AND NOT ${expired} AND disabled = 1`
        case "active":
          return sql`revoked_at IS NULL AND NOT ${expired} AND disabled = 0`
      }
    }

    const list = Effect.fn("KeyRepository.list")(function* (filter: KeyFilter) {
      const conditions = [sql`TRUE`]
      if (filter.after !== undefined) {
        const last = yield* orUnavailable(
          sql<{ created_at: number; seq: number }>`SELECT created_at, seq FROM keys WHERE id = ${filter.after}`
        )
        if (last[0] === undefined) return Option.none<Page>()
        conditions.push(sql`(created_at, seq) < (${last[0].created_at}, ${last[0].seq})`)
      }
      if (filter.team !== undefined) conditions.push(sql`team = ${filter.team}`)
      if (filter.status !== undefined) conditions.push(withStatus(filter.status, filter.now))
      if (filter.search !== undefined) conditions.push(sql`instr(search, ${filter.search.toLowerCase()}) > 0`)
      const rows = yield* orUnavailable(
        sql<KeyRow>`SELECT * FROM keys WHERE ${sql.and(conditions)} ORDER BY created_at DESC, seq DESC LIMIT ${filter.limit + 1}`
      )
      const keys = yield* Effect.forEach(rows.slice(0, filter.limit), fromRow)
      return Option.some<Page>({ keys, hasMore: rows.length > filter.limit })
    })

    const findTeam = Effect.fn("KeyRepository.findTeam")(function* (name: string) {
      const rows = yield* orUnavailable(sql<TeamRow>`SELECT * FROM teams WHERE name = ${name}`)
      return rows[0] === undefined ? Option.none<TeamRecord>() : Option.some(yield* teamFromRow(rows[0]))
    })

    const putTeam = Effect.fn("KeyRepository.putTeam")((team: TeamRecord) =>
      writer.write((db) => {
        const before = db.prepare("SELECT budgets FROM teams WHERE name = ?").get(team.name)
        forgetWindows(db, `team:${team.name}`, before?.["budgets"], team.budgets)
        db.prepare("INSERT OR REPLACE INTO teams (name, limits, budgets, updated_at) VALUES (?, ?, ?, ?)").run(
          team.name,
          JSON.stringify(team.limits),
          JSON.stringify(team.budgets),
          team.updatedAt
        )
      })
    )

    return { pepper: Effect.succeed(pepper), insert, update, touch, find, ids, list, findTeam, putTeam }
  })
)
