/** Virtual keys, teams and the pepper of the secrets, in the store. */
import { randomBytes } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { Effect, Layer, Stream } from "effect"
import type { Budget } from "../../../core/domain/Budget.ts"
import { KeyRepository, type StoredKey, type TeamRecord } from "../../../core/keys/KeyRepository.ts"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { entryWriter, layer as statements } from "../administration/StatementsSqlite.ts"
import { FOLLOW_PERSON, makeKeyReads, OWN_KEYS } from "../../records/KeyReads.ts"
import { columns, keptWindows, PUT_PERSONAL_KEYS, PUT_TEAM, teamRow, toRow } from "../../records/KeyRows.ts"
import { type Statement, Statements } from "../../records/Statements.ts"
import { makeTeamReads } from "../../records/TeamRows.ts"
import { UnawaitedWrite } from "../writer/WriteOperation.ts"
import { Writer } from "../writer/Writer.ts"

/** The statement can be prepared once, because its columns are fixed. */
const insertKey = `INSERT INTO keys (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})`

const kept = new Set(["id", "created_at", "last_used_at", "suspended"])
const changed = columns.filter((name) => !kept.has(name))
const updateKey = `UPDATE keys SET ${changed.map((name) => `${name} = :${name}`).join(", ")} WHERE id = :id`

/** The index of IDs and names finds texts from this many characters on. */
const INDEXED_LENGTH = 3

const NAMING = "SELECT count(*) AS count FROM keys WHERE team = ? AND revoked_at IS NULL"

/** As many keys are sorted in a few milliseconds. */
const RARE = 5000

/** Drops the windows of budgets that are not in force before and after the change: `ledger verify` needs complete windows. */
const forgetWindows = (db: DatabaseSync, scope: string, before: unknown, after: ReadonlyArray<Budget>): void => {
  const forget = `DELETE FROM budget_windows WHERE scope = ? AND "window" NOT IN (SELECT value FROM json_each(?))`
  db.prepare(forget).run(scope, keptWindows(before, after))
}

/** `changes`: what is written of a team that exists. */
const putTeamRow = (db: DatabaseSync, team: TeamRecord, changes: string): void => {
  const row = teamRow(team)
  const names = Object.keys(row)
  db.prepare(
    `INSERT INTO teams (${names.join(", ")}) VALUES (${names.map((name) => `:${name}`).join(", ")})
      ON CONFLICT (name) DO UPDATE SET ${changes}, updated_at = excluded.updated_at`
  ).run(row)
}

const keyRepository = Layer.effect(
  KeyRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const records = yield* Statements
    const note = entryWriter(writer.db)

    // Created when the store is first opened, so that later openings need no write.
    const pepper = yield* writer.write((db) => {
      const known = db.prepare("SELECT value FROM meta WHERE name = 'pepper'").get()
      if (known !== undefined) return known["value"] as Uint8Array
      const made = new Uint8Array(randomBytes(32))
      db.prepare("INSERT INTO meta VALUES ('pepper', ?)").run(made)
      return made
    })

    const insert = Effect.fn("KeyRepository.insert")((key: StoredKey, entry?: NewAuditEntry, most?: number) =>
      writer.write((db) => {
        const row = toRow(key)
        const before = most === undefined ? undefined : db.prepare(OWN_KEYS).get(row.owner, row.team)
        if (Number(before?.["count"] ?? 0) >= (most ?? Infinity)) return false
        db.prepare(insertKey).run(row)
        if (row.owner !== null) db.prepare(FOLLOW_PERSON).all(row.owner)
        if (entry !== undefined) note(entry)
        return true
      })
    )

    const insertWorkload = Effect.fn("KeyRepository.insertWorkload")((key: StoredKey, most: number) =>
      writer.write((db) => {
        if (db.prepare("SELECT id FROM keys WHERE id = ?").get(key.id) !== undefined) return true
        const made = db.prepare("SELECT count(*) AS keys FROM keys WHERE rule = ?").get(key.holder?.rule ?? null)
        if (Number(made?.["keys"]) >= most) return false
        db.prepare(insertKey).run(toRow(key))
        return true
      })
    )

    const update = Effect.fn("KeyRepository.update")((key: StoredKey, entry?: NewAuditEntry, readAt?: number) =>
      writer.write((db) => {
        const row = toRow(key)
        const before = db.prepare("SELECT budgets, updated_at FROM keys WHERE id = ?").get(key.id)
        if (readAt !== undefined && before?.["updated_at"] !== readAt) return false
        if (before?.["budgets"] !== row.budgets) forgetWindows(db, `key:${key.id}`, before?.["budgets"], key.budgets)
        db.prepare(updateKey).run(Object.fromEntries([...changed, "id" as const].map((name) => [name, row[name]])))
        if (entry !== undefined) note(entry)
        return true
      })
    )

    const touching = writer.db.prepare("UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?")
    const touch = (id: string, usedAt: number) =>
      Effect.sync(() => writer.add(new UnawaitedWrite(() => touching.run(usedAt, id), false)))

    /** The index finds rare texts; common ones are found quickly by reading keys. */
    const matching = Effect.fnUntraced(function* (text: string) {
      const found = records.contains("search", text)
      // A query of the index ends at a NUL, even inside its text.
      if ([...text].length < INDEXED_LENGTH || text.includes("\0")) return [found]
      const indexed = "SELECT rowid FROM keys_search WHERE search MATCH ?"
      const phrase = `"${text.replaceAll('"', '""')}"`
      const [most] = yield* records.read<{ readonly count: number }>(
        `SELECT count(*) AS count FROM (${indexed} LIMIT ${RARE + 1})`,
        phrase
      )
      // The index folds case by different rules.
      return most!.count > RARE ? [found] : [[`seq IN (${indexed})`, phrase] satisfies Statement, found]
    })

    const putTeam = Effect.fn("KeyRepository.putTeam")((team: TeamRecord, entry?: NewAuditEntry) =>
      writer.write((db) => {
        const before = db.prepare("SELECT budgets FROM teams WHERE name = ?").get(team.name)
        forgetWindows(db, `team:${team.name}`, before?.["budgets"], team.budgets)
        putTeamRow(db, team, PUT_TEAM)
        if (entry !== undefined) note(entry)
      })
    )

    const putPersonalKeys = Effect.fn("KeyRepository.putPersonalKeys")((team: TeamRecord, entry?: NewAuditEntry) =>
      writer.write((db) => {
        putTeamRow(db, team, PUT_PERSONAL_KEYS)
        if (entry !== undefined) note(entry)
      })
    )

    const deleteTeam = Effect.fn("KeyRepository.deleteTeam")((name: string, force: boolean, entry?: NewAuditEntry) =>
      writer.write((db) => {
        const keys = Number(db.prepare(NAMING).get(name)?.["count"] ?? 0)
        if (keys > 0 && !force) return { isDeleted: false, keys }
        const before = db.prepare("SELECT budgets FROM teams WHERE name = ?").get(name)
        forgetWindows(db, `team:${name}`, before?.["budgets"], [])
        const isDeleted = Number(db.prepare("DELETE FROM teams WHERE name = ?").run(name).changes) > 0
        if (isDeleted && entry !== undefined) note(entry)
        return { isDeleted, keys }
      })
    )

    return {
      pepper: Effect.succeed(pepper),
      insert,
      insertWorkload,
      update,
      touch,
      ...makeKeyReads(records, matching),
      putTeam,
      putPersonalKeys,
      deleteTeam,
      ...makeTeamReads(records, "lower(named.name)"),
      // One process owns the file, so there are no changes by others.
      changes: Stream.empty
    }
  })
)

export const layer = Layer.provide(keyRepository, statements)
