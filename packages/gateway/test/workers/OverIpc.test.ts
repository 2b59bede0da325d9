/** What crosses between an owner and its workers comes out as it went in. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { StoreUnavailable } from "../../src/core/domain/Errors.ts"
import { noRates } from "../../src/core/domain/pricing/Pricing.ts"
import { noUsage } from "../../src/core/domain/Usage.ts"
import type { ReservationRow, WindowCharge } from "../../src/core/ledger/LedgerJournal.ts"
import type { Closing } from "../../src/core/ledger/LedgerOwner.ts"
import type { Receipt } from "../../src/core/receipts/Receipt.ts"
import { Channel, type Failures, InWords, type Message } from "../../src/workers/Channel.ts"
import { type ReceiptLine, receiptLine, receiptOf } from "../../src/workers/ReceiptOverIpc.ts"
import {
  closingOf,
  type ReservationLine,
  reservationLine,
  reservationOf,
  type SettlementLine,
  settlementLine
} from "../../src/workers/RowsOverIpc.ts"
import { until } from "../support/Patience.ts"
import { attempt, receipt } from "../telemetry/Receipts.ts"

/** Two ends, each message a copy as between processes; `messages`: those from here to there. */
const ends = () => {
  const messages: Array<Message> = []
  const run = (effect: Effect.Effect<void>) => void Effect.runFork(effect)
  const here: Channel = new Channel((message, done) => {
    messages.push(structuredClone(message))
    there.received(structuredClone(message))
    done()
  }, run)
  const there: Channel = new Channel((message, done) => {
    here.received(structuredClone(message))
    done()
  }, run)
  return { here, there, messages }
}

const row = (fields: Partial<ReservationRow> = {}): ReservationRow => ({
  id: 7,
  requestId: "req_0123456789abcdefghijklmn",
  attempt: 1,
  at: 1_790_000_000_123,
  keyId: "key_a",
  team: null,
  provider: "up",
  model: "gpt",
  deployment: "up/gpt",
  operation: "chat",
  tags: "",
  reserved: 123_456_789_012,
  priceSource: null,
  priceVersion: null,
  isAuto: false,
  fixed: undefined,
  perSecond: undefined,
  ...fields
})

const month: WindowCharge = { scope: "key:key_a", window: "month@Europe/Berlin", start: 1_788_000_000_000 }
const total: WindowCharge = { scope: "team:red", window: "total", start: 0 }

const closing = (fields: Partial<Closing> = {}): Closing => ({
  settledAt: 1_790_000_001_000,
  cost: 20_000,
  baseline: 90_000,
  usage: { ...noUsage, input: 12, output: 4 },
  estimated: false,
  serviceTier: undefined,
  isUnpriced: false,
  priceVersion: undefined,
  status: "settled",
  counts: "request",
  charges: [],
  taken: undefined,
  ...fields
})

/** Under way at once. */
const begun = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const item = (text: string) => new InWords(() => text)

/** All of them through one channel, in one message. */
const sent = Effect.fnUntraced(function* <A, Line>(
  all: ReadonlyArray<A>,
  write: (one: A, name: (text: string | null) => number) => Line,
  read: (line: Line, names: Channel["names"]) => A
) {
  const { here, there } = ends()
  const got: Array<A> = []
  there.listen("line", (line: Line) => void got.push(read(line, there.names)))
  for (const one of all) here.tell("line", new InWords((name) => write(one, name)))
  yield* here.handedOver
  return got
})

describe("what workers send", () => {
  it.live("rows of the ledger come out as they went in", () =>
    Effect.gen(function* () {
      const rows = [
        row(),
        row({ team: "red", tags: "a,b", priceSource: "config", priceVersion: "2026-11-23", isAuto: true }),
        row({ operation: "embeddings", reserved: 0, fixed: 0, perSecond: 123 })
      ]
      assert.deepStrictEqual(yield* sent<ReservationRow, ReservationLine>(rows, reservationLine, reservationOf), rows)
      const closings = [
        closing(),
        closing({ charges: [month, total], taken: [month, total] }),
        closing({ charges: [month, total], taken: [month] }),
        closing({ charges: [month], taken: [] }),
        closing({ charges: [month], taken: [total, total] }),
        closing({
          usage: { ...noUsage, input: 1, cachedInput: 2, reasoning: 3, audioOutput: 4, images: 5, webSearches: 6 }
        }),
        closing({ priceVersion: "2026-11-27.1 as grok-4.3" }),
        closing({ cost: 0, status: "void", counts: "nothing", usage: noUsage }),
        closing({
          status: "abandoned",
          counts: "failed_request",
          estimated: true,
          isUnpriced: true,
          serviceTier: "flex"
        })
      ]
      assert.deepStrictEqual(yield* sent<Closing, SettlementLine>(closings, settlementLine, closingOf), closings)
    })
  )

  it.live("receipts come out as they went in", () =>
    Effect.gen(function* () {
      const rates = { ...noRates, input: 2_000_000, output: 8_000_000, images: Number.NaN }
      const considered = [
        { deployment: "openai/gpt-5-mini", fate: "chosen", why: null, isForbidden: false },
        { deployment: "b/b", fate: "filtered", why: "its context is too small", isForbidden: true }
      ] as const
      const full = { scope: "team", window: "day", limit: 10, used: 9, needed: 2 } as const
      const receipts: ReadonlyArray<Receipt> = [
        receipt(),
        receipt({ team: null, priceSource: null, priceVersion: null, tags: ["a", "b"], stream: true, priced: false }),
        receipt({
          attempts: [attempt({ rates, serviceTier: "flex", firstTokenMs: 7, estimated: true }), attempt({ rates })]
        }),
        receipt({
          considered,
          cutPoints: [0.2, 0.5],
          features: [{ name: "length", value: 0.3, added: 0.1234 }],
          baseline: 5
        }),
        receipt({
          considered,
          sessionId: "s-1",
          traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        }),
        receipt({ considered, baseline: 1_500, isIncomparable: true }),
        receipt({ considered, status: "refused", limit: "budget", fullBudget: full, attempts: [] })
      ]
      const told = (one: Receipt) => JSON.parse(JSON.stringify(one)) as object
      const got = yield* sent<Receipt, ReceiptLine>(receipts, receiptLine, receiptOf)
      // What is undefined is left out.
      assert.deepStrictEqual(got.map(told), receipts.map(told))
      assert.isNaN(got[2]?.attempts[0]?.rates?.images)
    })
  )

  it.live("texts cross once, and once more after so many that both sides begin anew", () =>
    Effect.gen(function* () {
      const { here, messages, there } = ends()
      const heard: Array<string | undefined> = []
      there.listen("text", (name: number) => void heard.push(there.names.texts[name]))
      const say = (text: string) => here.tell("text", new InWords((name) => name(text)))
      const expected: Array<string> = []
      for (let round = 0; round < 60; round++) {
        for (let index = 0; index < 100; index++) {
          const text = index % 2 === 0 ? "often" : `once-${round}-${index}`
          say(text)
          expected.push(text)
        }
        yield* here.handedOver
      }
      assert.deepStrictEqual(heard, expected)
      const fresh = messages.map((message) => (typeof message === "string" ? JSON.parse(message) : message)[1])
      const times = fresh.flatMap((some) => some?.texts ?? []).filter((text) => text === "often").length
      assert.isAtMost(times, 2)

      for (let index = 0; index < 40; index++) {
        say(`${index}${"x".repeat(32_000)}`)
        say("often")
        yield* here.handedOver
      }
      assert.strictEqual(heard.at(-1), "often")
      // What callers named at length is not kept.
      assert.isBelow(there.names.texts.join("").length, 1_100_000)
    })
  )
})

describe("a channel", () => {
  it.live("lets what is patient go along with what is not, in its order", () =>
    Effect.gen(function* () {
      const { here, messages, there } = ends()
      const heard: Array<unknown> = []
      there.listen("word", (word: string) => void heard.push(word))
      there.answer("rows", (rows: ReadonlyArray<string>) => Effect.sync(() => void heard.push(rows)))
      here.mention("word", "one")
      here.tell("word", "two")
      const booked = yield* begun(here.gathered("rows", item("three")))
      here.tell("word", "four")
      yield* here.handedOver
      assert.deepStrictEqual(heard, ["one", "two", ["three"], "four"])
      assert.strictEqual(messages.length, 1)
      yield* Fiber.join(booked)
    })
  )

  it.live("gathers what follows each other, and asks once for all that is waited for", () =>
    Effect.gen(function* () {
      const { here, messages, there } = ends()
      const heard: Array<unknown> = []
      there.listen("word", (word: string) => void heard.push(word))
      there.listen("rows", (rows: ReadonlyArray<string>) => void heard.push(rows))
      there.answer("rows", (rows: ReadonlyArray<string>) =>
        Effect.sync((): Failures => {
          heard.push(rows)
          return rows.includes("bad") ? [null, "no room"] : undefined
        })
      )
      here.gather("rows", item("begun"))
      const good = yield* begun(Effect.exit(here.gathered("rows", item("good"))))
      here.mention("word", "by the way")
      here.gather("rows", item("begun, too"))
      const bad = yield* begun(Effect.exit(here.gathered("rows", item("bad"))))
      here.tell("word", "between")
      here.gather("rows", item("last"))
      assert.deepStrictEqual(yield* Fiber.join(good), Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(bad), Exit.fail(new StoreUnavailable({ message: "no room" })))
      assert.deepStrictEqual(heard, [["begun", "good", "begun, too", "bad"], "by the way", "between", ["last"]])
      assert.strictEqual(messages.length, 1)
    })
  )

  it.live("fails what waits for an answer when there is no other side any more, sent or not", () =>
    Effect.gen(function* () {
      const { here, there } = ends()
      there.answer("rows", () => Effect.never)
      const sent = yield* begun(Effect.exit(here.gathered("rows", item("sent"))))
      yield* here.handedOver
      const unsent = yield* begun(Effect.exit(here.gathered("rows", item("unsent"))))
      here.close()
      for (const exit of [
        yield* Fiber.join(sent),
        yield* Fiber.join(unsent),
        yield* Effect.exit(here.gathered("rows", item("late")))
      ])
        assert.isTrue(Exit.isFailure(exit))
    })
  )

  it.live("sends JSON, unless something would not be the same after it", () =>
    Effect.gen(function* () {
      const { here, messages, there } = ends()
      const heard: Array<ReadonlyArray<unknown>> = []
      there.listen("told", (...given: ReadonlyArray<never>) => void heard.push(given))
      const told: ReadonlyArray<ReadonlyArray<unknown>> = [
        [7, "text"],
        [],
        [new Uint8Array([1, 2, 255])],
        [undefined, 1],
        [{ at: undefined }],
        [Number.POSITIVE_INFINITY],
        [Number.NaN],
        [2 ** 53],
        [0.5],
        [null],
        [true],
        [["a"]]
      ]
      for (const given of told) {
        here.tell("told", ...given)
        yield* here.handedOver
      }
      assert.deepStrictEqual(heard, told)
      const inJson = messages.flatMap((message, index) => (typeof message === "string" ? [index] : []))
      assert.deepStrictEqual(inJson, [0, 1])
    })
  )

  it.live("keeps what comes for a side that still starts, in its order", () =>
    Effect.gen(function* () {
      const { here, there } = ends()
      const heard: Array<string> = []
      here.tell("store", "away")
      here.tell("store", "back")
      const asked = yield* Effect.forkChild(here.call("ask"))
      yield* Effect.yieldNow
      yield* here.handedOver
      there.listen("store", (state: string) => void heard.push(state))
      there.answer("ask", () => Effect.succeed("told"))
      assert.strictEqual(yield* Fiber.join(asked), "told")
      assert.deepStrictEqual(heard, ["away", "back"])
      here.tell("store", "gone")
      yield* here.handedOver
      assert.deepStrictEqual(heard, ["away", "back", "gone"])
    })
  )

  it.live("sends what is patient by itself where nothing follows", () =>
    Effect.gen(function* () {
      const { here, there } = ends()
      const heard: Array<string> = []
      there.listen("word", (word: string) => void heard.push(word))
      here.mention("word", "alone")
      yield* until(() => heard.length === 1)
      there.answer("ask", () => Effect.fail(new StoreUnavailable({ message: "no" })))
      const exit = yield* Effect.exit(here.gathered("ask", item("alone")))
      assert.deepStrictEqual(exit, Exit.fail(new StoreUnavailable({ message: "no" })))
    })
  )
})
