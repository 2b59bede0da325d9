/** Keys and teams in a repository of the embedder's own, behind the `KeyStore` of the product. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Stream } from "effect"
import { KeyRepository, KeyStore, type StoredKey, type TeamRecord } from "../../src/index.ts"
import { Script, TestGateway } from "../../src/testing/index.ts"

class Database {
  readonly keys = new Map<string, StoredKey>()
  readonly teams = new Map<string, TeamRecord>()

  members(team: string): number {
    return this.current.filter((key) => key.team === team).length
  }

  get current(): ReadonlyArray<StoredKey> {
    return [...this.keys.values()].filter(({ revokedAt }) => revokedAt === null)
  }
}

const inDatabase = (database: Database): KeyRepository["Service"] => ({
  pepper: Effect.succeed(new Uint8Array(32).fill(7)),
  insert: (key) => Effect.sync(() => database.keys.set(key.id, key).has(key.id)),
  // It has no rules for tokens.
  insertWorkload: () => Effect.succeed(false),
  update: (key, _entry, readAt) =>
    Effect.sync(() => {
      const before = database.keys.get(key.id)
      if (readAt !== undefined && before?.updatedAt !== readAt) return false
      database.keys.set(key.id, { ...key, lastUsedAt: before?.lastUsedAt ?? null })
      return true
    }),
  touch: (id, lastUsedAt) =>
    Effect.sync(() => {
      const key = database.keys.get(id)
      if (key !== undefined) database.keys.set(id, { ...key, lastUsedAt })
    }),
  find: (id) => Effect.sync(() => Option.fromUndefinedOr(database.keys.get(id))),
  ids: (after) =>
    Effect.sync(() => {
      const ids = [...database.keys.keys()].filter((id) => id > after).toSorted()
      return { ids, hasMore: false, most: database.keys.size }
    }),
  names: (ids) =>
    Effect.sync(() => ids.flatMap((id) => (database.keys.has(id) ? [{ id, name: database.keys.get(id)!.name }] : []))),
  list: ({ limit }) =>
    Effect.sync(() => {
      const keys = [...database.keys.values()].toReversed()
      return Option.some({ keys: keys.slice(0, limit), hasMore: keys.length > limit })
    }),
  findTeam: (name) => Effect.sync(() => Option.fromUndefinedOr(database.teams.get(name))),
  putTeam: (team) => Effect.sync(() => void database.teams.set(team.name, team)),
  putPersonalKeys: (team) => Effect.sync(() => void database.teams.set(team.name, team)),
  owned: () => Effect.succeed([]),
  teams: ({ limit }) =>
    Effect.sync(() => {
      const teams = [...database.teams.values()].map((team) => ({ team, keys: database.members(team.name) }))
      return { teams: teams.slice(0, limit), hasMore: teams.length > limit }
    }),
  keysOf: (team) => Effect.sync(() => database.members(team)),
  deleteTeam: (name, force) =>
    Effect.sync(() => {
      const keys = database.members(name)
      return { isDeleted: (keys === 0 || force) && database.teams.delete(name), keys }
    }),
  budgeted: (visit) =>
    Effect.suspend(() =>
      visit(database.current.map(({ budgets, id, name, team }) => ({ scope: "key", id, name, team, budgets })))
    ),
  count: Effect.sync(() => database.current.length),
  // No other process writes to this database.
  changes: Stream.empty
})

const options = { deployments: ["openai/gpt-5-mini"], scripts: { openai: [Script.answer("Hi there")] } }

/** A gateway with a new store, over the keys of the database. */
const over = (database: Database) => {
  const keys = Layer.provide(KeyStore.layer, Layer.succeed(KeyRepository, inDatabase(database)))
  return TestGateway.layerOpen(options).pipe(
    Layer.provideMerge(keys),
    Layer.provideMerge(TestGateway.defaults(options))
  )
}

describe("a KeyStore over a repository of the embedder's own", () => {
  it.effect("accepts its keys in every gateway over that repository, until they are revoked", () =>
    Effect.gen(function* () {
      const database = new Database()
      const secret = yield* Effect.provide(
        Effect.gen(function* () {
          const gateway = yield* TestGateway
          const created = yield* gateway.createKey({ name: "reader" })
          assert.strictEqual((yield* gateway.chat(created, "openai/gpt-5-mini", "Hello")).status, 200)
          return created
        }),
        over(database)
      )
      const [key = assert.fail("the repository has no key")] = database.current
      assert.strictEqual(key.name, "reader")
      assert.notInclude(JSON.stringify(key), secret)
      yield* Effect.provide(
        Effect.gen(function* () {
          const gateway = yield* TestGateway
          assert.strictEqual((yield* gateway.chat(secret, "openai/gpt-5-mini", "Hello")).status, 200)
          yield* (yield* KeyStore).revoke(key.id)
          assert.strictEqual((yield* gateway.chat(secret, "openai/gpt-5-mini", "Hello")).status, 401)
        }),
        over(database)
      )
      assert.isNotNull(database.keys.get(key.id)?.revokedAt)
    })
  )

  it.effect("enforces the limits of the teams in it", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const keys = yield* KeyStore
      yield* keys.putTeam("research", { limits: { rpm: 1, tpm: undefined, maxParallel: undefined }, budgets: [] })
      const secret = yield* gateway.createKey({ team: "research" })
      assert.strictEqual((yield* gateway.chat(secret, "openai/gpt-5-mini", "Hello")).status, 200)
      assert.strictEqual((yield* gateway.chat(secret, "openai/gpt-5-mini", "Hello")).status, 429)
    }).pipe(Effect.provide(over(new Database())))
  )
})
