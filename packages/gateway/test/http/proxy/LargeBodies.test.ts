import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { scanned } from "../../../src/http/proxy/JsonGuard.ts"
import { parseLarge, TurnsByKey } from "../../../src/http/proxy/LargeBodies.ts"
import { seeded } from "../../core/call/Support.ts"

/** What a string of JSON may hold: escapes of both lengths, characters of one to four bytes, halves of pairs, marks. */
const morsels = [
  "a",
  "ü",
  "漢",
  "🜁",
  "\\n",
  '\\"',
  "\\\\",
  "\\u6f22",
  "\\ud83d\\ude00",
  "\\ud800",
  " ",
  ":",
  '\\":\\"',
  "/"
]

describe("a large body", () => {
  it.effect("is the same in slices as in one piece, to read and to send on", () =>
    Effect.gen(function* () {
      const chance = seeded(7)
      for (let round = 0; round < 12; round++) {
        // Of one kind in a row, so that a slice often ends in the middle of one.
        const long = () => {
          const unit = Array.from({ length: 1 + chance.below(3) }, () => chance.pick(morsels)).join("")
          return chance.pick(["", "x", "xy"]) + unit.repeat(Math.ceil((70_000 + chance.below(900_000)) / unit.length))
        }
        const members = [
          `"first":"${long()}"`,
          `"short":"a\\u0041"`,
          `"${long()}" : [1,{"__proto__":"${long()}","x":null}]`,
          `"__proto__":{"deep":"${long()}"}`,
          `"last"\n:\t"${long()}"`
        ]
        const text = `{${members.join(" , ")}}`
        const bytes = Buffer.from(text)
        const { long: masked, value } = yield* parseLarge(bytes)
        assert.isTrue(JSON.stringify(value) === JSON.stringify(JSON.parse(text)), `read, round ${round}`)
        const sent = Buffer.from(masked!.splice(JSON.stringify({ ...masked!.body, more: 1 }))).toString()
        assert.isTrue(
          JSON.stringify(JSON.parse(sent)) === JSON.stringify({ ...JSON.parse(text), more: 1 }),
          `sent, ${round}`
        )
      }
    })
  )

  it.effect("is refused for what it would be refused for in one piece", () =>
    Effect.gen(function* () {
      const padding = "x".repeat(300_000)
      for (const wrong of [
        `{"a":"${padding}\n"}`,
        `{"a":"${padding}\\q"}`,
        `{"a":"${padding}\\u12"}`,
        `{"a":"${padding}`,
        `{"a":"${padding}",}`,
        `{"a":"${padding}"}}`,
        `{"a":"${padding}" "b"}`,
        `"${padding}`,
        `{"a":${"[".repeat(65)}"${padding}"`,
        `{"a":"${padding}","b":[${"1,".repeat(1_000_001)}1]}`
      ]) {
        assert.throws(() => {
          const scan = scanned(Buffer.from(wrong))
          const excess = typeof scan === "string" ? scan : undefined
          if (excess !== undefined) throw new Error(excess)
          JSON.parse(wrong)
        })
        const result = yield* Effect.result(parseLarge(Buffer.from(wrong)))
        assert.isTrue(Result.isFailure(result), wrong.slice(-20))
      }
      // Names that differ, which a small body may hold as many of as it has room for.
      const names = Array.from({ length: 10_001 }, (_, at) => `"${at}":"${"x".repeat(30)}"`)
      const refused = yield* Effect.flip(parseLarge(Buffer.from(`{${names.join(",")}}`)))
      assert.include(refused.message, "10000 different names")
      yield* parseLarge(Buffer.from(`{"list":[{${names.slice(2).join(",")}},{${names.slice(2).join(",")}}]}`))
      const bytes = Buffer.from(`{"a":"${padding}"}`)
      bytes[1_000] = 0x80
      assert.isTrue(Result.isFailure(yield* Effect.result(parseLarge(bytes))))
    })
  )

  it.effect("lets others have turns while it is read", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from(JSON.stringify({ a: "line\n".repeat(2_000_000) }))
      let turns = 0
      const others = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        )
      )
      yield* parseLarge(bytes)
      yield* Fiber.interrupt(others)
      assert.isAtLeast(turns, 20)
    })
  )
})

describe("turns", () => {
  /** Work that waits to be let go, and notes that it began. */
  const works = (turns: TurnsByKey, begun: Array<string>) =>
    Effect.fnUntraced(function* (key: string, name: string) {
      const go = Deferred.makeUnsafe<void>()
      const work = Effect.andThen(
        Effect.sync(() => begun.push(name)),
        Deferred.await(go)
      )
      const fiber = yield* Effect.forkChild(turns.take(key, work), { startImmediately: true })
      return { finish: Effect.andThen(Deferred.succeed(go, undefined), Fiber.join(fiber)), fiber }
    })

  it.effect("are taken one at a time, by each key in turn", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const start = works(new TurnsByKey(), begun)
      const all = [
        yield* start("greedy", "g1"),
        yield* start("greedy", "g2"),
        yield* start("greedy", "g3"),
        yield* start("modest", "m1"),
        yield* start("other", "o1")
      ]
      assert.deepStrictEqual(begun, ["g1"])
      for (const index of [0, 1, 3, 4, 2]) yield* all[index]!.finish
      assert.deepStrictEqual(begun, ["g1", "g2", "m1", "o1", "g3"])
    })
  )

  it.effect("pass to the next when one fails, or leaves while it works or waits", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const turns = new TurnsByKey()
      const start = works(turns, begun)
      const first = yield* start("a", "first")
      const waiting = yield* start("b", "waiting")
      const second = yield* start("b", "second")
      yield* Fiber.interrupt(waiting.fiber)
      yield* Fiber.interrupt(first.fiber)
      assert.deepStrictEqual(begun, ["first", "second"])
      yield* second.finish
      yield* Effect.flip(turns.take("c", Effect.fail("no")))
      yield* (yield* start("c", "last")).finish
      assert.deepStrictEqual(begun, ["first", "second", "last"])
    })
  )
})
