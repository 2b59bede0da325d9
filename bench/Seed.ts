/**
 * A store as it looks after a year of work: keys, and ledger rows with their rollups, written in bulk through the product's own
 * schema and by its own rules. The same sizes always give the same store, but for the pepper of the secrets.
 */
import { hash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import { Effect, Layer } from "effect"
import { hash as secretHash } from "../packages/gateway/src/core/keys/Credential.ts"
import { sums } from "../packages/gateway/src/storage/records/Columns.ts"
import * as SqliteStore from "../packages/gateway/src/storage/sqlite/file/SqliteStore.ts"
import { say } from "./Bench.ts"

export interface Sizes {
  readonly keys: number
  readonly rows: number
  /** Rows of the hour before `now`, beside those. */
  readonly recent?: number
  /** Keys that the ledger's rows are of: the first of them have most, as Zipf says. */
  readonly callers: number
}

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const TEAMS = 50
const MODELS = 20

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const checksum = (text: string): string => {
  let rest = crc32(text)
  let digits = ""
  for (let i = 0; i < 6; i++) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const publicId = (number: number): string => String(number).padStart(12, "0")

/** The text of the key with that number, from 1. */
export const credentialOf = (number: number): string => {
  const body = `mgw_${publicId(number)}_${hash("sha256", `bench ${number}`).slice(0, 43)}`
  return body + checksum(body)
}

export const keyIdOf = (number: number): string => `key_${publicId(number)}`

/** Limits that are counted and never reached. */
const LIMITS = JSON.stringify({ rpm: 1_000_000, tpm: 1_000_000_000_000 })
const BUDGETS = JSON.stringify([{ limit: 1_000_000_000_000_000, window: "month", timeZone: "UTC" }])

/** Makes the store at `path`, whose last ledger row is of `now` (epoch ms). */
export const seed = async (path: string, sizes: Sizes, now: number): Promise<void> => {
  await Effect.runPromise(Effect.scoped(Layer.build(SqliteStore.layer({ filename: path }))))
  const db = new DatabaseSync(path)
  // What is half made when the power fails is made again.
  db.exec(
    "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -500000; PRAGMA temp_store = MEMORY"
  )
  seedKeys(db, sizes, now)
  if (sizes.rows > 0) seedLedger(db, sizes, now)
  db.exec("PRAGMA journal_mode = WAL")
  db.close()
  if (sizes.rows > 0) await sumUp(path)
}

/** Has the gateway make the blocks of days and months, as it does while it runs. */
const sumUp = async (path: string): Promise<void> => {
  say("letting the gateway sum up days and months")
  const waiting = Effect.gen(function* () {
    yield* Layer.build(SqliteStore.layer({ filename: path, synchronous: "normal" }))
    const db = new DatabaseSync(path, { readOnly: true })
    const listed = () => Number(db.prepare("SELECT count(*) AS count FROM blocks WHERE listed").get()!["count"])
    let before = -1
    while (listed() !== before) {
      before = listed()
      yield* Effect.sleep("2 seconds")
    }
    db.close()
  })
  await Effect.runPromise(Effect.scoped(waiting))
}

const seedKeys = (db: DatabaseSync, { keys }: Sizes, now: number): void => {
  say(`writing ${keys} keys`)
  const pepper = db.prepare("SELECT value FROM meta WHERE name = 'pepper'").get()!["value"] as Uint8Array
  const insert =
    db.prepare(`INSERT INTO keys (id, name, team, models, limits, budgets, tags, metadata, on_unknown_price,
    disabled, created_at, updated_at, secrets, search) VALUES (?, ?, ?, '[]', ?, ?, '[]', '{}', 'deny', 0, ?, ?, ?, ?)`)
  db.exec("BEGIN")
  for (let number = 1; number <= keys; number++) {
    const id = keyIdOf(number)
    const name = `service ${number}`
    const made = now - YEAR_MS - (keys - number)
    const secrets = JSON.stringify([{ hash: secretHash(pepper, credentialOf(number)), validUntil: null }])
    insert.run(id, name, teamOf(number), LIMITS, BUDGETS, made, made, secrets, `${id.toLowerCase()}\n${name}`)
  }
  db.exec("COMMIT")
}

const teamOf = (number: number): string => `team_${number % TEAMS}`

/**
 * Rows at even distances over a year, and more in its last hour. Each key has a model that it asks four times out of five and another one; most have no tags,
 * some one, some two. One request in a hundred failed, one in fifty was counted here.
 */
const seedLedger = (db: DatabaseSync, { callers, recent = 0, rows }: Sizes, now: number): void => {
  say(`writing ${rows + recent} ledger rows`)
  const indexes = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE tbl_name = 'rollup' AND sql LIKE 'CREATE INDEX%'")
    .all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${String(name)}`)
  db.exec("BEGIN")
  insertRows(db, callers, { first: 1, count: rows, start: now - YEAR_MS, ms: YEAR_MS - HOUR_MS })
  insertRows(db, callers, { first: rows + 1, count: recent, start: now - HOUR_MS, ms: HOUR_MS })
  db.exec("COMMIT")
  say("summing them up")
  db.exec("BEGIN")
  db.exec(rollUp)
  for (const { sql } of indexes) db.exec(String(sql))
  db.prepare("INSERT INTO meta VALUES ('open_from', CAST(? AS INTEGER))").run(rows + recent + 1)
  db.exec("COMMIT")
}

interface Rows {
  /** The id of the first. */
  readonly first: number
  readonly count: number
  /** Epoch ms, and the time over which they are spread. */
  readonly start: number
  readonly ms: number
}

const insertRows = (db: DatabaseSync, callers: number, { count, first, ms, start }: Rows): void => {
  if (count === 0) return
  db.exec(`INSERT INTO ledger (id, request_id, attempt, at, key_id, team, provider, model, deployment, tags, reserved,
      price_source, price_version, status, settled_at, cost, estimated, counts, input, cached_input, output)
    WITH RECURSIVE
      numbers (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM numbers LIMIT ${count}),
      drawn AS (SELECT n, ${start} + CAST((n - ${first} + 1) * ${ms / count} AS INTEGER) AS at,
        CAST(pow(${callers}, ((n * 2654435761) & 4294967295) / 4294967296.0) AS INTEGER) AS caller,
        (n * 40503 + n / 65536 * 7919) & 65535 AS chance FROM numbers),
      asked AS (SELECT *, ((caller * 2654435761) / 1024 + iif(chance % 5 = 0, 3, 0)) % ${MODELS} AS m, chance % 100 = 1 AS failed,
        50 + chance % 900 AS input, 20 + chance / 7 % 400 AS output FROM drawn)
    SELECT n, printf('req_%012d', n), 0, at, printf('key_%012d', caller), 'team_' || (caller % ${TEAMS}), 'up', 'model-' || m,
      'up/model-' || m, CASE caller * 40503 / 64 % 8 WHEN 0 THEN 'env:prod' WHEN 1 THEN 'env:prod' WHEN 2 THEN 'batch,env:test' ELSE '' END,
      5000000, 'configuration', '1', 'settled', at + 1500, iif(failed, 0, input * 2000 + output * 8000), chance % 50 = 2,
      iif(failed, 2, 1), iif(failed, 0, input), iif(failed, 0, input / 4), iif(failed, 0, output) FROM asked`)
}

const dimensions = "hour, key_id, team, provider, model, tags"

const rollUp = `INSERT INTO rollup (${dimensions}, ${sums.join(", ")}, last_at, first_id, last_id, last_cost_id)
  SELECT ${dimensions}, ${sums.map((name) => `sum(${name})`).join(", ")}, max(last_at), min(first_id), max(last_id),
    max(last_cost_id) FROM booked GROUP BY ${dimensions}`
