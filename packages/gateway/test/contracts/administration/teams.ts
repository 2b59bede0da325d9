/** What every KeyRepository keeps to where it looks over many keys and teams, and deletes a team. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { type Budgeted, KeyRepository, type TeamRecord } from "../../../src/core/keys/KeyRepository.ts"
import { key, NOW } from "../../storage/Support.ts"

const budget = { limit: 5_000_000_000, window: "day", timeZone: "UTC" } as const

const team = (name: string, more: Partial<TeamRecord> = {}): TeamRecord => ({
  name,
  limits: { rpm: 5, tpm: undefined, maxParallel: undefined },
  budgets: [],
  rules: undefined,
  updatedAt: NOW,
  ...more
})

export const teamsContract = <E>(name: string, layer: Layer.Layer<KeyRepository, E>) =>
  describe(`KeyRepository, teams · ${name}`, () => {
    it.effect("lists teams by name, in pages, by a part of the name, with their keys that are not revoked", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        for (const one of ["red", "BLUE", "green"]) yield* keys.putTeam(team(one))
        yield* keys.insert(key({ id: "a", team: "red" }))
        yield* keys.insert(key({ id: "b", team: "red", disabled: true, expiresAt: NOW - 1 }))
        yield* keys.insert(key({ id: "c", team: "red", revokedAt: NOW }))
        yield* keys.insert(key({ id: "d", team: "unknown" }))
        const page = (filter: { readonly after?: string; readonly search?: string }, limit = 2) =>
          Effect.map(
            keys.teams({ visibility: "all", limit, after: filter.after, search: filter.search }),
            ({ hasMore, teams: found }) => [found.map((one) => [one.team.name, one.keys]), hasMore]
          )
        assert.deepStrictEqual(yield* page({}), [
          [
            ["BLUE", 0],
            ["green", 0]
          ],
          true
        ])
        const afterGreen = [
          ["red", 2],
          ["unknown", 1]
        ]
        assert.deepStrictEqual(yield* page({ after: "green" }), [afterGreen, false])
        assert.deepStrictEqual(
          (yield* keys.teams({ visibility: "all", limit: 1, after: "red", search: undefined })).teams[0]?.team,
          {
            name: "unknown",
            limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
            budgets: [],
            updatedAt: null
          }
        )
        assert.deepStrictEqual(yield* page({ search: "bLu" }), [[["BLUE", 0]], false])
        assert.deepStrictEqual(yield* page({ search: "%" }), [[], false])
        assert.deepStrictEqual(
          (yield* keys.teams({ visibility: "all", limit: 1, after: "green", search: undefined })).teams[0]?.team,
          team("red")
        )
        assert.strictEqual(yield* keys.keysOf("red"), 2)
        assert.strictEqual(yield* keys.keysOf("unknown"), 1)
        assert.strictEqual(yield* keys.keysOf("nobody"), 0)
        assert.strictEqual(yield* keys.count, 3)
      }).pipe(Effect.provide(layer))
    )

    it.effect("deletes no team that keys name, unless forced, and says how many do", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        yield* keys.putTeam(team("red"))
        yield* keys.insert(key({ id: "a", team: "red" }))
        assert.deepStrictEqual(yield* keys.deleteTeam("red", false), { isDeleted: false, keys: 1 })
        assert.deepStrictEqual(yield* keys.findTeam("red"), Option.some(team("red")))
        assert.deepStrictEqual(yield* keys.deleteTeam("red", true), { isDeleted: true, keys: 1 })
        assert.deepStrictEqual(yield* keys.findTeam("red"), Option.none())
        assert.strictEqual(Option.getOrThrow(yield* keys.find("a")).team, "red")
        assert.deepStrictEqual(yield* keys.deleteTeam("red", true), { isDeleted: false, keys: 1 })
        yield* keys.putTeam(team("blue"))
        yield* keys.insert(key({ id: "b", team: "blue", revokedAt: NOW }))
        assert.deepStrictEqual(yield* keys.deleteTeam("blue", false), { isDeleted: true, keys: 0 })
      }).pipe(Effect.provide(layer))
    )

    it.effect("visits all that have budgets, and no key that is revoked", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        yield* keys.insert(key({ id: "none" }))
        yield* keys.insert(key({ id: "over", budgets: [budget], revokedAt: NOW }))
        // More than one read takes.
        for (let count = 0; count < 501; count++) {
          yield* keys.insert(key({ id: `k${count}`, name: `name ${count}`, budgets: [budget], disabled: count === 0 }))
        }
        yield* keys.putTeam(team("red", { budgets: [budget, { ...budget, window: "total" }] }))
        yield* keys.putTeam(team("blue"))
        const seen: Array<Budgeted> = []
        yield* keys.budgeted((some) => Effect.sync(() => void seen.push(...some)))
        assert.strictEqual(new Set(seen.map(({ id, scope }) => `${scope}:${id}`)).size, 502)
        assert.strictEqual(seen.length, 502)
        const found = (id: string) => seen.find((one) => one.id === id)
        assert.deepStrictEqual(found("k500"), {
          scope: "key",
          id: "k500",
          name: "name 500",
          team: null,
          budgets: [budget]
        })
        assert.deepStrictEqual(found("red"), {
          scope: "team",
          id: "red",
          name: null,
          team: "red",
          budgets: [budget, { ...budget, window: "total" }]
        })
      }).pipe(Effect.provide(layer))
    )

    it.effect("knows the ids of all keys, in order", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        for (const id of ["c", "a", "b"]) yield* keys.insert(key({ id, revokedAt: id === "b" ? NOW : null }))
        const page = yield* keys.ids("")
        assert.deepStrictEqual([page.ids, page.hasMore], [["a", "b", "c"], false])
        assert.isAtLeast(page.most, 3)
        assert.deepStrictEqual((yield* keys.ids("b")).ids, ["c"])
      }).pipe(Effect.provide(layer))
    )
  })
