/** What every SessionRepository keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, type Scope } from "effect"
import { type SessionRecord, SessionRepository } from "../../../src/core/admin/SessionRepository.ts"
import { NOW } from "../../storage/Support.ts"

export const session = (name: string, more: Partial<SessionRecord> = {}): SessionRecord => ({
  id: `sess_${name}`,
  cookieHash: `hash of the cookie of ${name}`,
  tokenHash: `hash of the token of ${name}`,
  binding: `binding of ${name}`,
  role: "admin",
  createdAt: NOW,
  lastUsedAt: NOW,
  expiresAt: NOW + 1000,
  address: "192.0.2.1",
  person: null,
  ...more
})

/** `reopened`: a store that is there again each time the layer is provided, as after a restart. */
export const sessionsContract = <E>(
  name: string,
  layer: Layer.Layer<SessionRepository, E>,
  reopened: Effect.Effect<Layer.Layer<SessionRepository, E>, E, Scope.Scope>
) =>
  describe(`SessionRepository · ${name}`, () => {
    it.effect("finds a session by its cookie's hash and by its id, as it was added", () =>
      Effect.gen(function* () {
        const repository = yield* SessionRepository
        const [a, b] = [session("a"), session("b", { createdAt: NOW + 1, address: "" })]
        yield* repository.add(a)
        yield* repository.add(b)
        assert.deepStrictEqual(yield* repository.find(a.cookieHash), Option.some(a))
        assert.deepStrictEqual(yield* repository.get(b.id), Option.some(b))
        assert.deepStrictEqual(yield* repository.find(a.tokenHash), Option.none())
        assert.deepStrictEqual(yield* repository.get("sess_none"), Option.none())
        assert.deepStrictEqual(yield* repository.list, [b, a])
      }).pipe(Effect.provide(layer))
    )

    it.effect("notes the latest use only, and brings back nothing that was removed", () =>
      Effect.gen(function* () {
        const repository = yield* SessionRepository
        for (const name of ["a", "b", "c"]) yield* repository.add(session(name))
        yield* repository.touch("sess_a", NOW + 5)
        yield* repository.touch("sess_a", NOW + 3)
        assert.deepStrictEqual(yield* repository.get("sess_a"), Option.some(session("a", { lastUsedAt: NOW + 5 })))
        assert.strictEqual(yield* repository.remove(["sess_a", "sess_b", "sess_none"]), 2)
        assert.strictEqual(yield* repository.remove(["sess_a"]), 0)
        yield* repository.touch("sess_a", NOW + 9)
        assert.deepStrictEqual(yield* repository.list, [session("c")])
      }).pipe(Effect.provide(layer))
    )

    it.effect("remembers over restarts", () =>
      Effect.gen(function* () {
        const store = yield* reopened
        yield* Effect.provide(
          Effect.flatMap(SessionRepository, ({ add }) => add(session("a"))),
          store
        )
        const found = Effect.flatMap(SessionRepository, ({ list }) => list)
        assert.deepStrictEqual(yield* Effect.provide(found, store), [session("a")])
      })
    )
  })
