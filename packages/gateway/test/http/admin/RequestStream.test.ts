import { assert, describe, it } from "@effect/vitest"
import { Receipt } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { noUsage } from "../../../src/core/domain/Usage.ts"
import type { Receipt as CoreReceipt } from "../../../src/core/receipts/Receipt.ts"
import { call, open } from "../../support/RawHttp.ts"
import { masterKey } from "../../support/RunningGateway.ts"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const NOON = Date.UTC(2026, 10, 21, 12)

const receipt = (number: number, more: Partial<CoreReceipt> = {}): CoreReceipt => ({
  requestId: `req_${String(number).padStart(24, "0")}`,
  at: NOON,
  durationMs: 5,
  keyId: "key_a",
  team: null,
  endpoint: "/v1/chat/completions",
  requestedModel: "demo/mini",
  deployment: "demo/mini",
  provider: "demo",
  model: "mini",
  bucket: "none",
  score: 0,
  reasons: [],
  status: "ok",
  stream: false,
  priced: true,
  priceSource: null,
  priceVersion: null,
  tags: [],
  attempts: [
    {
      deployment: "demo/mini",
      provider: "demo",
      model: "mini",
      outcome: "ok",
      httpStatus: 200,
      startedMs: 0,
      firstTokenMs: null,
      durationMs: 5,
      cost: 7,
      usage: noUsage,
      estimated: false
    }
  ],
  ...more
})

const idOf = (number: number) => `rcpt_${String(number).padStart(24, "0")}`

interface Event {
  readonly event: string
  readonly id: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly data: any
}

const eventsIn = (text: string): ReadonlyArray<Event> =>
  text
    .split("\n\n")
    // The last one may not be whole yet.
    .slice(0, -1)
    .filter((frame) => frame.includes("event: "))
    .map((frame) => ({
      event: /^event: (.*)$/m.exec(frame)?.[1] ?? "",
      id: /^id: (.*)$/m.exec(frame)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "null")
    }))

/** A reader that listens, and what it was told so far. */
const watching = Effect.fnUntraced(function* (url: string, query = "", headers: Readonly<Record<string, string>> = {}) {
  const path = `/admin/requests/stream${query}`
  const own = "cookie" in headers ? {} : { key: masterKey }
  const opened = yield* open(url, { method: "GET", path, headers, ...own })
  let text = opened.first
  let isOver = false
  opened.response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
  opened.response.on("end", () => (isOver = true))
  yield* Effect.addFinalizer(() => Effect.sync(opened.hangUp))
  const until = (fits: () => boolean) =>
    Effect.promise(async () => {
      while (!fits()) await new Promise((resolve) => setImmediate(resolve))
    })
  return {
    response: opened.response,
    text: () => text,
    events: (count: number) =>
      Effect.map(
        until(() => eventsIn(text).length >= count),
        () => eventsIn(text)
      ),
    told: (part: string) => until(() => text.includes(part)),
    over: until(() => isOver)
  }
})

const start = Effect.gen(function* () {
  yield* TestClock.setTime(NOON)
  return yield* startAdmin
})

describe("a stream of requests", () => {
  it.effect("tells each receipt as it ends, as the archive has it", () =>
    Effect.gen(function* () {
      const { createKey, gateway, send } = yield* start
      const { key } = yield* createKey()
      const reader = yield* watching(gateway.url)
      assert.strictEqual(reader.response.headers["content-type"], "text/event-stream")
      assert.strictEqual(reader.response.headers["cache-control"], "no-store")
      const body = { model: "demo/mini", messages: [{ role: "user", content: "Hello" }] }
      const { headers } = yield* send("POST", "/v1/chat/completions", body, { key })
      const [event] = yield* reader.events(1)
      assert.deepStrictEqual([event?.event, event?.id], ["receipt", headers["x-gateway-receipt-id"]])
      conforms(Receipt, event?.data)
      assert.deepStrictEqual(event?.data, (yield* send("GET", `/admin/requests/${event?.id}`)).json)
    })
  )

  it.effect("tells those that are wanted, and no others", () =>
    Effect.gen(function* () {
      const { gateway } = yield* start
      const reader = yield* watching(gateway.url, "?status=failed&tag=nightly")
      gateway.requests.ended(receipt(1, { tags: ["nightly"] }))
      gateway.requests.ended(receipt(2, { status: "failed" }))
      gateway.requests.ended(receipt(3, { status: "failed", tags: ["batch", "nightly"] }))
      assert.deepStrictEqual(
        (yield* reader.events(1)).map(({ id }) => id),
        [idOf(3)]
      )
    })
  )

  it.effect("tells no more a second than its reader wants, and counts the rest", () =>
    Effect.gen(function* () {
      const { gateway } = yield* start
      const reader = yield* watching(gateway.url, "?max_per_second=2")
      for (let number = 1; number <= 5; number++) gateway.requests.ended(receipt(number))
      const first = yield* reader.events(3)
      assert.deepStrictEqual(
        first.map(({ event, id }) => [event, id]),
        [
          ["receipt", idOf(1)],
          ["receipt", idOf(2)],
          ["dropped", undefined]
        ]
      )
      assert.deepStrictEqual(first[2]?.data, { count: 3 })
      gateway.requests.ended(receipt(6))
      for (let asked = 0; asked < 50; asked++)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.strictEqual(eventsIn(reader.text()).length, 3)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* reader.events(4)).at(-1)?.id, idOf(6))
    })
  )

  it.effect("goes on after the last event that its reader saw, without a gap and without a double", () =>
    Effect.gen(function* () {
      const { gateway } = yield* start
      for (let number = 1; number <= 5; number++) gateway.requests.ended(receipt(number))
      const reader = yield* watching(gateway.url, "", { "last-event-id": idOf(2) })
      gateway.requests.ended(receipt(6))
      const events = yield* reader.events(4)
      assert.deepStrictEqual(
        events.map(({ event, id }) => [event, id]),
        [3, 4, 5, 6].map((number) => ["receipt", idOf(number)])
      )
      const lost = yield* watching(gateway.url, "", { "last-event-id": "rcpt_nobody" })
      const [first] = yield* lost.events(1)
      assert.deepStrictEqual([first?.event, first?.data], ["dropped", { count: null }])
    })
  )

  it.effect("tells a slow reader how many it missed", () =>
    Effect.gen(function* () {
      const { gateway } = yield* start
      const reader = yield* watching(gateway.url)
      // In one turn of the event loop nobody reads.
      for (let number = 1; number <= 1007; number++) gateway.requests.ended(receipt(number))
      const events = yield* reader.events(1001)
      assert.deepStrictEqual(events.filter(({ event }) => event === "receipt").length, 1000)
      assert.deepStrictEqual(events.find(({ event }) => event === "dropped")?.data, { count: 7 })
    })
  )

  it.effect("says every 15 seconds that it lives", () =>
    Effect.gen(function* () {
      const { gateway } = yield* start
      const reader = yield* watching(gateway.url)
      while (!reader.text().includes(": keep-alive")) {
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.deepStrictEqual(eventsIn(reader.text()), [])
    })
  )

  it.effect("ends with the session that opened it", () =>
    Effect.gen(function* () {
      const { gateway } = yield* start
      const opened = yield* call(gateway.url, { path: "/admin/session", body: { master_key: masterKey } })
      const reader = yield* watching(gateway.url, "", {
        cookie: opened.headers["set-cookie"]?.[0]?.split(";")[0] ?? "",
        "x-gateway-session": opened.json.token
      })
      yield* gateway.admin("DELETE", "/admin/sessions")
      yield* TestClock.adjust("1 second")
      yield* reader.over
    })
  )

  it.effect("is open for 20 readers, and for another one when one left", () =>
    Effect.gen(function* () {
      const { gateway, send } = yield* start
      for (let number = 0; number < 19; number++) yield* watching(gateway.url)
      const last = yield* watching(gateway.url)
      const refused = yield* send("GET", "/admin/requests/stream")
      assert.deepStrictEqual(rowOf(refused), [503, "server_error", "too_many_streams", null])
      assert.match(refused.headers["retry-after"] ?? "", /^\d+$/)
      last.response.destroy()
      // It is noticed when the connection is.
      const again = Effect.suspend(() =>
        open(gateway.url, { method: "GET", path: "/admin/requests/stream", key: masterKey })
      )
      const admitted = Effect.filterOrFail(again, ({ response }) => response.statusCode === 200)
      const { hangUp } = yield* Effect.retry(admitted, { while: () => Effect.as(Effect.yieldNow, true) })
      hangUp()
    })
  )

  it.effect("refuses conditions that it does not know", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      for (const [query, param] of [
        ["status=fine", "status"],
        ["min_cost_usd=-1", "min_cost_usd"],
        ["colour=red", "colour"],
        ["limit=5", "limit"]
      ]) {
        const answer = yield* send("GET", `/admin/requests/stream?${query}`)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", param])
      }
    })
  )
})
