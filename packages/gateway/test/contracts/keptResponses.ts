/** What every KeptResponses keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import {
  CachedResponses,
  KeptResponses,
  type KeptStore,
  type KeptAnswer,
  type KeptRecord,
  type NewRecord,
  RESPONSE_ID
} from "../../src/core/kept/KeptResponses.ts"
import { NOW } from "../storage/Support.ts"

const quota = { all: 1e9, perKey: 1e9 }

const record = (text: string, answer: Partial<KeptAnswer> = {}, keyId = "key_a"): NewRecord => ({
  keyId,
  request: `hash of what asks for ${text}`,
  answer: { kind: "json", headers: { "x-gateway-retries": "0" }, body: Buffer.from(text), ...answer }
})

const told = ({ answer, request }: KeptRecord) =>
  [request, answer.kind, answer.headers, Buffer.from(answer.body)] as const

type Both = KeptResponses | CachedResponses

/** `reopened`: a store that is there again each time the layer is provided; left out: it forgets. */
export const keptResponsesContract = <E>(
  name: string,
  service: typeof KeptResponses | typeof CachedResponses,
  layer: Layer.Layer<Both, E>,
  reopened?: Effect.Effect<Layer.Layer<Both, E>, E, Scope.Scope>
) => {
  const store: Effect.Effect<KeptStore, never, Both> = service

  /** Undefined: there is none, and it may be made. */
  const found = (id: string, since = NOW) =>
    Effect.flatMap(store, (repository) => Effect.tap(repository.claim(id, "hash", since), repository.release(id))).pipe(
      Effect.map((claimed) => {
        assert.notStrictEqual(claimed.kind, "running")
        return claimed.kind === "kept" ? told(claimed.record) : undefined
      })
    )

  describe(`${service.key} · ${name}`, () => {
    it.effect("gives back what was kept, byte for byte, and the latest of an id", () =>
      Effect.gen(function* () {
        const repository = yield* store
        const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
        const sound = record("sound", { kind: "bytes", headers: { "content-type": "audio/mpeg" }, body: bytes })
        const none = record("none", { kind: "too_large", headers: {}, body: new Uint8Array() })
        assert.isUndefined(yield* found("a"))
        yield* repository.keep("a", record("one"), NOW, quota)
        yield* repository.keep("b", sound, NOW, quota)
        yield* repository.keep("c", none, NOW, quota)
        assert.deepStrictEqual(yield* found("a"), told(record("one")))
        assert.deepStrictEqual(yield* found("b"), told(sound))
        assert.deepStrictEqual(yield* found("c"), told(none))
        yield* repository.keep("a", record("two"), NOW + 1, quota)
        assert.deepStrictEqual(yield* found("a"), told(record("two")))
      }).pipe(Effect.provide(layer))
    )

    it.effect("finds nothing that is too old, and deletes it, however much there is", () =>
      Effect.gen(function* () {
        const repository = yield* store
        for (let index = 0; index < 25; index++) yield* repository.keep(`old_${index}`, record("old"), NOW - 1, quota)
        yield* repository.keep("new", record("new"), NOW, quota)
        assert.isUndefined(yield* found("old_0"))
        assert.isDefined(yield* found("old_0", NOW - 1))
        assert.isTrue(yield* repository.prune(NOW))
        for (let index = 0; index < 25; index++) assert.isUndefined(yield* found(`old_${index}`, 0))
        assert.deepStrictEqual(yield* found("new"), told(record("new")))
        assert.isFalse(yield* repository.prune(NOW + 1))
      }).pipe(Effect.provide(layer))
    )

    it.effect("keeps no more than the quota: the oldest of a key beyond its own, then of the largest holder", () =>
      Effect.gen(function* () {
        const repository = yield* store
        const small = { all: 1_000, perKey: 600 }
        // Those of the cache have not expired, by the server's clock either.
        let at = service.key === KeptResponses.key ? NOW : NOW + 100 * 365 * 86_400_000
        const keep = (id: string, keyId: string, size: number) =>
          repository.keep(id, record("x".repeat(size), { headers: {} }, keyId), at++, small)
        const there = (...ids: ReadonlyArray<string>) =>
          Effect.map(
            Effect.forEach(ids, (id) => found(id)),
            (all) => ids.filter((_, index) => all[index] !== undefined)
          )
        for (const id of ["a1", "a2", "a3"]) assert.isTrue(yield* keep(id, "key_a", 190))
        assert.isTrue(yield* keep("a4", "key_a", 190))
        assert.deepStrictEqual(yield* there("a1", "a2", "a3", "a4"), ["a2", "a3", "a4"])
        assert.isTrue(yield* keep("b1", "key_b", 190))
        assert.isTrue(yield* keep("b2", "key_b", 190))
        assert.isTrue(yield* keep("c1", "key_c", 190))
        assert.deepStrictEqual(yield* there("a2", "a3", "a4", "b1", "b2", "c1"), ["a3", "a4", "b1", "b2", "c1"])
        assert.isTrue(yield* keep("b1", "key_b", 100))
        assert.isFalse(yield* keep("large", "key_c", 601))
        assert.deepStrictEqual(yield* there("a3", "a4", "b1", "b2", "c1", "large"), ["a3", "a4", "b1", "b2", "c1"])
      }).pipe(Effect.provide(layer))
    )

    // Others may sum up their entries less often.
    if (service.key === KeptResponses.key) {
      it.effect("deletes at most twice the size of an answer for it, after its quota was lowered", () =>
        Effect.gen(function* () {
          const repository = yield* store
          const lower = { all: 1_000, perKey: 1_000 }
          let at = NOW
          const keep = (id: string, given: typeof quota) =>
            repository.keep(id, record("x".repeat(190), { headers: {} }), at++, given)
          const old = Array.from({ length: 10 }, (_, index) => `old_${index}`)
          for (const id of old) yield* keep(id, quota)
          const left = Effect.map(
            Effect.forEach(old, (id) => found(id)),
            (all) => all.filter((one) => one).length
          )
          assert.isTrue(yield* keep("a", lower))
          assert.strictEqual(yield* left, 8)
          for (const id of ["b", "c", "d"]) assert.isTrue(yield* keep(id, lower))
          assert.strictEqual(yield* left, 2)
          for (const id of ["e", "f"]) assert.isTrue(yield* keep(id, lower))
          assert.strictEqual(yield* left, 0)
        }).pipe(Effect.provide(layer))
      )
    }

    it.effect("erases what is kept of one stored response of a key", () =>
      Effect.gen(function* () {
        const repository = yield* store
        const keep = (id: string, response: string, keyId = "key_a") =>
          repository.keep(id, record(id, { headers: { [RESPONSE_ID]: response } }, keyId), NOW, quota)
        yield* keep("a", "resp_1")
        yield* keep("b", "resp_1", "key_b")
        yield* keep("c", "resp_12")
        yield* repository.erase({ keyId: "key_a", responseId: "resp_1" })
        const there = yield* Effect.forEach(["a", "b", "c"], (id) => found(id))
        assert.deepStrictEqual(
          there.map((one) => one !== undefined),
          [false, true, true]
        )
      }).pipe(Effect.provide(layer))
    )

    it.effect("erases all of a key's, however many, and nobody else's", () =>
      Effect.gen(function* () {
        const repository = yield* store
        for (let index = 0; index < 25; index++) yield* repository.keep(`a_${index}`, record("a"), NOW, quota)
        yield* repository.keep("b", record("b", {}, "key_b"), NOW, quota)
        yield* repository.erase({ keyId: "key_a" })
        for (let index = 0; index < 25; index++) assert.isUndefined(yield* found(`a_${index}`, 0))
        assert.isDefined(yield* found("b"))
      }).pipe(Effect.provide(layer))
    )

    it.effect("says who holds how much, and erases by model, or all", () =>
      Effect.gen(function* () {
        const repository = yield* store
        const keep = (id: string, keyId: string, model: string) =>
          repository.keep(id, record("xx", { headers: { key: "key_x", model } }, keyId), NOW, quota)
        const bytes = 2 + JSON.stringify({ key: "key_x", model: "openai/m" }).length
        yield* keep("a", "key_a", "openai/m")
        yield* keep("b", "key_a", "openai/m")
        yield* keep("c", "team:t", "openai/n")
        yield* keep("d", "team:t", "other/m")
        assert.deepStrictEqual((yield* repository.held).map((one) => ({ ...one })).slice(0, 1), [
          { keyId: "key_a", entries: 2, bytes: 2 * bytes }
        ])
        const there = () =>
          Effect.map(
            Effect.forEach(["a", "b", "c", "d"], (id) => found(id)),
            (all) => all.map((one) => one !== undefined)
          )
        yield* repository.erase({ keyId: "key_a", model: "openai/*" })
        assert.deepStrictEqual(yield* there(), [false, false, true, true])
        yield* repository.erase({ model: "*/n" })
        assert.deepStrictEqual(yield* there(), [false, false, false, true])
        yield* repository.erase({})
        assert.deepStrictEqual(yield* there(), [false, false, false, false])
        assert.deepStrictEqual(yield* repository.held, [])
      }).pipe(Effect.provide(layer))
    )

    if (service.key === CachedResponses.key) {
      it.effect("deletes what has expired first, then what was used least recently", () =>
        Effect.gen(function* () {
          const cached = yield* CachedResponses
          const { at: now = 0 } = yield* cached.claim("none", "", NOW)
          const keep = (id: string, expires = now + 60_000) =>
            cached.keep(id, record("x".repeat(190), { headers: {} }), expires, { all: 600, perKey: 600 })
          const there = Effect.map(
            Effect.forEach(["a", "b", "c", "d", "e"], (id) => found(id, 0)),
            (all) => all.map((one) => one !== undefined)
          )
          yield* keep("a", now + 50_000)
          yield* keep("b")
          yield* keep("c", now - 1)
          yield* cached.touch(["a", "none"])
          yield* keep("d")
          assert.deepStrictEqual(yield* there, [true, true, false, true, false])
          yield* keep("e")
          assert.deepStrictEqual(yield* there, [true, false, false, true, true])
          const { expired, room } = cached.vitals
          assert.deepStrictEqual([expired, room], [1, 1])
        }).pipe(Effect.provide(layer))
      )

      it.effect("keeps nothing that began before its key, its team, its maker or all was erased", () =>
        Effect.gen(function* () {
          const repository = yield* store
          const claimed = yield* repository.claim("a", "", NOW)
          const before = claimed.at ?? 0
          for (const [erased, keyId, madeBy] of [
            ["key_a", "team:a", "key_a"],
            ["team:b", "team:b", "key_b"],
            [undefined, "team:c", "key_c"]
          ] as const) {
            const isKept = (began: number) =>
              repository.keep("a", { ...record("a", { headers: { key: madeBy } }, keyId), began, madeBy }, NOW, quota)
            assert.isTrue(yield* isKept(before))
            yield* repository.erase({ keyId: erased })
            assert.isUndefined(yield* found("a"))
            assert.isFalse(yield* isKept(before))
            assert.isTrue(yield* isKept(before + 60_000))
          }
        }).pipe(Effect.provide(layer))
      )
    }

    if (reopened !== undefined) {
      it.effect("remembers over restarts", () =>
        Effect.gen(function* () {
          const stored = yield* reopened
          const keep = Effect.flatMap(store, (repository) => repository.keep("a", record("one"), NOW, quota))
          yield* Effect.provide(keep, stored)
          assert.deepStrictEqual(yield* Effect.provide(found("a"), stored), told(record("one")))
        })
      )
    }
  })
}
