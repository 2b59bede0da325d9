/** What every IdempotencyRepository keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import {
  IdempotencyRepository,
  type KeptAnswer,
  type KeptRecord
} from "../../src/core/idempotency/IdempotencyRepository.ts"
import { NOW } from "../storage/Support.ts"

const record = (text: string, answer: Partial<KeptAnswer> = {}): KeptRecord => ({
  request: `hash of what asks for ${text}`,
  answer: { kind: "json", headers: { "x-gateway-retries": "0" }, body: Buffer.from(text), ...answer }
})

/** Undefined: there is none, and it may be made. */
const found = (id: string, since = NOW) =>
  Effect.flatMap(IdempotencyRepository, (repository) =>
    Effect.tap(repository.claim(id, "hash", since), repository.release(id))
  ).pipe(
    Effect.map((claimed) => {
      assert.notStrictEqual(claimed.kind, "running")
      return claimed.kind === "kept" ? told(claimed.record) : undefined
    })
  )

const told = ({ answer, request }: KeptRecord) =>
  [request, answer.kind, answer.headers, Buffer.from(answer.body)] as const

/** `reopened`: a store that is there again each time the layer is provided. Left out: nothing outlives the layer. */
export const idempotencyContract = <E>(
  name: string,
  layer: Layer.Layer<IdempotencyRepository, E>,
  reopened?: Effect.Effect<Layer.Layer<IdempotencyRepository, E>, E, Scope.Scope>
) =>
  describe(`IdempotencyRepository · ${name}`, () => {
    it.effect("gives back what was kept, byte for byte, and the latest of an id", () =>
      Effect.gen(function* () {
        const repository = yield* IdempotencyRepository
        const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
        const sound = record("sound", { kind: "bytes", headers: { "content-type": "audio/mpeg" }, body: bytes })
        const none = record("none", { kind: "too_large", headers: {}, body: new Uint8Array() })
        assert.isUndefined(yield* found("a"))
        yield* repository.keep("a", record("one"), NOW)
        yield* repository.keep("b", sound, NOW)
        yield* repository.keep("c", none, NOW)
        assert.deepStrictEqual(yield* found("a"), told(record("one")))
        assert.deepStrictEqual(yield* found("b"), told(sound))
        assert.deepStrictEqual(yield* found("c"), told(none))
        yield* repository.keep("a", record("two"), NOW + 1)
        assert.deepStrictEqual(yield* found("a"), told(record("two")))
      }).pipe(Effect.provide(layer))
    )

    it.effect("finds nothing that is too old, and deletes it, however much there is", () =>
      Effect.gen(function* () {
        const repository = yield* IdempotencyRepository
        for (let index = 0; index < 25; index++) yield* repository.keep(`old_${index}`, record("old"), NOW - 1)
        yield* repository.keep("new", record("new"), NOW)
        assert.isUndefined(yield* found("old_0"))
        assert.isDefined(yield* found("old_0", NOW - 1))
        assert.isTrue(yield* repository.prune(NOW))
        for (let index = 0; index < 25; index++) assert.isUndefined(yield* found(`old_${index}`, 0))
        assert.deepStrictEqual(yield* found("new"), told(record("new")))
        assert.isFalse(yield* repository.prune(NOW + 1))
      }).pipe(Effect.provide(layer))
    )

    if (reopened === undefined) return
    it.effect("remembers over restarts", () =>
      Effect.gen(function* () {
        const store = yield* reopened
        const keep = Effect.flatMap(IdempotencyRepository, (repository) => repository.keep("a", record("one"), NOW))
        yield* Effect.provide(keep, store)
        assert.deepStrictEqual(yield* Effect.provide(found("a"), store), told(record("one")))
      })
    )
  })
