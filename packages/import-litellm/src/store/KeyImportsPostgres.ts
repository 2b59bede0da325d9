/** Keys and teams of another gateway into Postgres: with their spending and the audit log's entries, all or none. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import type { NewAuditEntry } from "@model-gateway/gateway/internal/core/domain/AuditRepository"
import { type Imported, type ImportedKey, type ImportedTeam, KeyImports } from "./KeyImports.ts"
import { ofKey, ofTeam, spendingRow } from "./ImportedSpend.ts"
import { columns, toRow } from "@model-gateway/gateway/internal/storage/records/KeyRows"
import { orUnavailable } from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresErrors"
import { storable } from "@model-gateway/gateway/internal/storage/postgres/connection/Texts"
import { whole } from "@model-gateway/gateway/internal/storage/postgres/ledger/PostgresRows"
import * as Statements from "@model-gateway/gateway/internal/storage/postgres/ledger/Statements"
import * as Database from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresDatabase"
import * as PostgresStore from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresStore"
import { Changes } from "@model-gateway/gateway/internal/storage/postgres/nodes/Changes"
import { Node } from "@model-gateway/gateway/internal/storage/postgres/nodes/Node"

/** Rows that go in one statement: some megabytes of JSON. */
const AT_ONCE = 1_000

const names = columns.join(", ")
const insertKeys = `INSERT INTO keys (${names}) SELECT ${names} FROM json_populate_recordset(NULL::keys, $1::json)
  ON CONFLICT (id) DO NOTHING RETURNING id AS added`

const teamNames = "name, limits, budgets, rules, updated_at, search"
const insertTeams = `INSERT INTO teams (${teamNames})
  SELECT ${teamNames} FROM json_populate_recordset(NULL::teams, $1::json) ON CONFLICT (name) DO NOTHING RETURNING name AS added`

const entryNames = "at, actor_kind, actor, address, action, target, before, after"
const insertEntries = `INSERT INTO audit (${entryNames}) SELECT ${entryNames} FROM json_populate_recordset(NULL::audit, $1::json)`

const keyRow = ({ key }: ImportedKey) => stored(toRow(key))

const teamRow = ({ team }: ImportedTeam) =>
  stored({
    name: team.name,
    limits: JSON.stringify(team.limits),
    budgets: JSON.stringify(team.budgets),
    rules: JSON.stringify(team.rules ?? null),
    updated_at: team.updatedAt,
    search: team.name.toLowerCase()
  })

const entryRow = ({ action, actor, after, at, before, target }: NewAuditEntry) =>
  stored({
    at,
    actor_kind: actor.kind,
    actor: actor.id,
    address: actor.address,
    action,
    target,
    before: JSON.stringify(before ?? null),
    after: JSON.stringify(after ?? null)
  })

const stored = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "string" ? storable(value) : value])
  )

export const layer = Layer.effect(
  KeyImports,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const node = yield* Node
    const changes = yield* Changes

    /** Rows are made where they are sent: one that can't be is a failure of the whole. */
    const inPages = <A>(statement: string, all: ReadonlyArray<A>, row: (one: A) => object, ...first: Array<number>) =>
      Effect.gen(function* () {
        const added = new Set<string>()
        for (let from = 0; from < all.length; from += AT_ONCE) {
          const rows = JSON.stringify(all.slice(from, from + AT_ONCE).map(row))
          const found = yield* sql.unsafe<{ added: string }>(statement, [...first, rows])
          for (const one of found) added.add(one.added)
        }
        return added
      })

    const add = Effect.fn("KeyImports.add")(function* ({ keys, teams }: Imported, at: number) {
      const { added, seq } = yield* Effect.gen(function* () {
        const added = {
          teams: yield* inPages(insertTeams, teams, teamRow),
          keys: yield* inPages(insertKeys, keys, keyRow)
        }
        const ours = {
          teams: teams.filter(({ team }) => added.teams.has(storable(team.name))),
          keys: keys.filter(({ key }) => added.keys.has(key.id))
        }
        yield* inPages(insertEntries, [...ours.teams, ...ours.keys], ({ entry }) => entryRow(entry))
        const spendings = [...ours.teams.map(ofTeam), ...ours.keys.map(ofKey)].filter(({ spent }) => spent > 0)
        const [last] = yield* sql<{ id: number }>`SELECT coalesce(max(id), 0) AS id FROM ledger WHERE node = ${node.id}`
        let id = last?.id ?? 0
        yield* inPages(Statements.book, spendings, (one) => whole(spendingRow(++id, one, at)), node.id)
        const isAny = added.keys.size + added.teams.size > 0
        return { added, seq: isAny ? yield* changes.note(sql, { what: "all" }) : undefined }
      }).pipe(sql.withTransaction, orUnavailable)
      if (seq !== undefined) yield* changes.inForce(seq)
      return added
    })
    return { add }
  })
)

/** A store in a database with it, for a process that brings keys and serves nobody. */
export const storeWith = (options: Parameters<typeof Database.layer>[0]) =>
  Layer.provide(Layer.merge(PostgresStore.repositories, layer), Database.layer(options))
