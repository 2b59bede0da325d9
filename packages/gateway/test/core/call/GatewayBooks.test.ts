import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { chat } from "../../../src/core/operations/chat/Chat.ts"
import { Gateway } from "../../../src/core/call/Gateway.ts"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import { gatewayCore } from "../../../src/GatewayCore.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { Script, type Scripts } from "../../../src/testing/Script.ts"
import { inTime } from "./InTime.ts"
import { fleetLayer, settleDown } from "./Support.ts"
import { aliases, ask, eventsOf, input, read, saidIn, streaming } from "./Talk.ts"

describe("Gateway, when the books can't be written", () => {
  /** A store whose settlements fail once `isDown`, and what happened in which order. */
  const world = (scripts: Scripts) => {
    const seen: Array<string> = []
    const state = { isDown: false, seen }
    const journal = Layer.effect(
      LedgerJournal,
      Effect.gen(function* () {
        const real = yield* LedgerJournal
        const script = yield* Script
        const settle: typeof real.settle = Effect.fnUntraced(function* (row) {
          const requests = yield* script.requests
          seen.push(`settle, upstream ${requests.at(-1)?.outcome}`)
          if (state.isDown) return yield* new StoreUnavailable({ message: "down" })
          return yield* real.settle(row)
        })
        return { ...real, settle }
      })
    )
    const layer = gatewayCore.pipe(
      Layer.provideMerge(journal),
      Layer.provideMerge(Layer.mergeAll(fleetLayer({ aliases }), Script.layer(scripts), SqliteStore.layerMemory)),
      Layer.orDie
    )
    return { state, layer }
  }

  it.effect("lets no whole answer out unbooked", () => {
    const { layer, state } = world({ "*": [Script.answer("hello")] })
    return Effect.gen(function* () {
      state.isDown = true
      const error = yield* Effect.flip(ask(input()))
      assert.strictEqual(error._tag, "StoreUnavailable")
      state.isDown = false
      assert.strictEqual((yield* ask(input())).report.cost, 20)
    }).pipe(Effect.provide(layer))
  })

  it.effect("lets no stream end well unbooked", () => {
    const { layer, state } = world({ "*": [Script.stream(["one ", "two"])] })
    return Effect.gen(function* () {
      state.isDown = true
      const { events, failure, settled, text } = yield* read(streaming())
      assert.strictEqual(saidIn(events), "one two")
      assert.strictEqual(failure?._tag, "StoreUnavailable")
      assert.isUndefined(settled)
      assert.notInclude(text, "[DONE]")
      assert.notInclude(text, `"finish_reason":"stop"`)
    }).pipe(Effect.provide(layer))
  })

  it.effect("settles before the last event leaves", () => {
    const { layer, state } = world({ "*": [Script.stream(["one ", "two"])] })
    return Effect.gen(function* () {
      const gateway = yield* Gateway
      yield* Effect.scoped(
        Effect.gen(function* () {
          const answer = yield* gateway.call(chat, streaming())
          if (answer.kind !== "stream") return assert.fail("no stream")
          yield* Stream.runForEach(answer.events, (text) =>
            Effect.sync(() => {
              for (const event of eventsOf(text)) {
                state.seen.push(
                  event === "[DONE]" ? "end" : event.choices[0].finish_reason === null ? "word" : "finish"
                )
              }
            })
          )
        })
      )
      assert.deepStrictEqual(
        state.seen.map((one) => one.split(",")[0]).filter((one, index, all) => one !== all[index - 1]),
        ["word", "settle", "finish", "end"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("closes the upstream before it counts and books what a caller left behind", () => {
    const { layer, state } = world({ "*": [Script.silentAfter(3)] })
    return Effect.gen(function* () {
      const reading = yield* Effect.forkChild(read(streaming()))
      yield* settleDown
      yield* Fiber.interrupt(reading)
      assert.deepStrictEqual(state.seen, ["settle, upstream abandoned"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks no further provider when what the first one cost can't be booked", () => {
    const { layer, state } = world({ openai: [Script.cutAfter(1)], backup: [Script.stream(["fine"])] })
    return Effect.gen(function* () {
      state.isDown = true
      const error = yield* Effect.flip(inTime(read(streaming({}, { model: "both" }))))
      assert.strictEqual(error._tag, "StoreUnavailable")
      const script = yield* Script
      assert.lengthOf(yield* script.requests, 1)
    }).pipe(Effect.provide(layer))
  })
})
