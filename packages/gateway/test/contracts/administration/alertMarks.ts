/** What every AlertMarks keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import { AlertMarks, type RaisedAlert } from "../../../src/core/admin/AlertMarks.ts"
import { NOW } from "../../storage/Support.ts"

const alert = (id: string, more: Partial<RaisedAlert> = {}): RaisedAlert => ({
  id,
  raisedAt: NOW,
  alert: "alert:0123456789abcdef",
  body: `{"id":"${id}"}`,
  ...more
})

/** `reopened`: a store that is there again each time the layer is provided, as after a restart. */
export const alertMarksContract = <E>(
  name: string,
  layer: Layer.Layer<AlertMarks, E>,
  reopened: Effect.Effect<Layer.Layer<AlertMarks, E>, E, Scope.Scope>
) =>
  describe(`AlertMarks · ${name}`, () => {
    it.effect("one that was raised before is not raised again, delivered or not, and stays as it was", () =>
      Effect.gen(function* () {
        const marks = yield* AlertMarks
        assert.isTrue(yield* marks.raise(alert("a")))
        assert.isFalse(yield* marks.raise(alert("a", { raisedAt: NOW + 1, body: "{}" })))
        assert.deepStrictEqual(yield* marks.pending, [alert("a")])
        yield* marks.done("a", NOW + 2)
        assert.isFalse(yield* marks.raise(alert("a")))
        assert.deepStrictEqual(yield* marks.pending, [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("of many at once each is raised by one", () =>
      Effect.gen(function* () {
        const marks = yield* AlertMarks
        const ids = ["a", "b", "a", "b", "a"]
        const raised = yield* Effect.forEach(ids, (id) => marks.raise(alert(id)), { concurrency: "unbounded" })
        const times = (id: string) => ids.filter((one, index) => one === id && raised[index]).length
        assert.deepStrictEqual([times("a"), times("b")], [1, 1])
      }).pipe(Effect.provide(layer))
    )

    it.effect("those that wait come oldest first, also after a restart", () =>
      Effect.gen(function* () {
        const store = yield* reopened
        const before = Effect.gen(function* () {
          const marks = yield* AlertMarks
          for (const [id, raisedAt] of [
            ["late", NOW + 5],
            ["b", NOW],
            ["a", NOW],
            ["told", NOW]
          ] as const) {
            yield* marks.raise(alert(id, { raisedAt }))
          }
          yield* marks.done("told", NOW + 1)
          yield* marks.done("unknown", NOW + 1)
        })
        yield* Effect.provide(before, store)
        const pending = yield* Effect.provide(
          Effect.flatMap(AlertMarks, (marks) => marks.pending),
          store
        )
        assert.deepStrictEqual(
          pending.map(({ id }) => id),
          ["a", "b", "late"]
        )
      })
    )

    it.effect("forgets what was raised before a time, whatever became of it", () =>
      Effect.gen(function* () {
        const marks = yield* AlertMarks
        yield* marks.raise(alert("old", { raisedAt: NOW - 1 }))
        yield* marks.raise(alert("told", { raisedAt: NOW - 1 }))
        yield* marks.done("told", NOW)
        yield* marks.raise(alert("new"))
        yield* marks.prune(NOW)
        assert.deepStrictEqual(yield* marks.pending, [alert("new")])
        assert.isTrue(yield* marks.raise(alert("told")))
        assert.isFalse(yield* marks.raise(alert("new")))
      }).pipe(Effect.provide(layer))
    )
  })
