/** The table of failure classes in docs/failover.md, row by row: what a failure does to a request, a deployment and the ledger. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ProviderPool } from "../../../src/core/pool/ProviderPool.ts"
import { Script } from "../../../src/testing/Script.ts"
import type { Step } from "../../../src/testing/ScriptStep.ts"
import { inTime } from "./InTime.ts"
import { ask, books, input, read, saidIn, streaming } from "./Talk.ts"
import { deployment, gatewayLayer, settleDown } from "./Support.ts"

interface Row {
  readonly what: string
  /** What the upstream does, always. */
  readonly does: Step
  readonly stream?: boolean
  readonly protocol?: "anthropic-messages"
  /** How often the same deployment is asked again where nothing else serves the model. */
  readonly again: number
  /** Another deployment answers. */
  readonly over: boolean
  /** `counted`: one failure against it. `open`: its circuit is open at once. `waits`: not asked before its time. */
  readonly health: "unharmed" | "counted" | "open" | "waits"
  /** What the failed attempt costs is booked as an estimate. */
  readonly billed: boolean
}

const words = { "content-type": "text/event-stream" }
const sse = (...data: ReadonlyArray<string>): Step =>
  Script.raw({ headers: words, body: data.map((one) => `data: ${one}\n\n`) })
const chunk = (delta: object, finish: string | null = null) =>
  JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "a",
    choices: [{ index: 0, delta, finish_reason: finish }]
  })
const role = chunk({ role: "assistant", content: "" })
const word = chunk({ content: "one " })
const malformed = (times: number) => Array.from({ length: times }, () => "{nonsense")
const three = Script.stream(["one ", "two ", "three"])

const outage = { again: 1, over: true, health: "counted", billed: false } as const
const silence = { again: 0, over: true, health: "counted", billed: true } as const
const cut = { again: 0, over: false, health: "counted", billed: true, stream: true } as const
const dismissed = { again: 0, over: true, health: "open", billed: false } as const
const limited = { over: true, health: "unharmed", billed: false } as const
const callers = { again: 0, over: false, health: "unharmed", billed: false } as const

const credit = "Your credit balance is too low to access the Anthropic API."
const rows: ReadonlyArray<Row> = [
  {
    what: "429 for 10 s",
    does: Script.status(429, { retryAfter: "10 seconds" }),
    ...limited,
    again: 2,
    health: "waits"
  },
  {
    what: "429 for longer",
    does: Script.status(429, { retryAfter: "11 seconds" }),
    ...limited,
    again: 0,
    health: "waits"
  },
  { what: "429, nobody says for how long", does: Script.status(429), ...limited, again: 0 },
  { what: "429 insufficient_quota", does: Script.status(429, { code: "insufficient_quota" }), ...dismissed },
  { what: "402", does: Script.status(402), ...dismissed },
  { what: "400 for want of credit", does: Script.status(400, { message: credit }), ...dismissed },
  {
    what: "400 for want of credit, Anthropic",
    does: Script.status(400, { message: credit }),
    protocol: "anthropic-messages",
    ...dismissed
  },
  { what: "401", does: Script.status(401), ...dismissed },
  { what: "403 for a bad key", does: Script.status(403, { code: "invalid_api_key" }), ...dismissed },
  { what: "403", does: Script.status(403), ...dismissed, health: "unharmed" },
  {
    what: "403, Anthropic",
    does: Script.status(403),
    protocol: "anthropic-messages",
    ...dismissed,
    health: "unharmed"
  },
  { what: "500", does: Script.status(500), ...outage },
  { what: "502", does: Script.status(502), ...outage },
  { what: "503", does: Script.status(503), ...outage },
  { what: "529", does: Script.status(529), ...outage },
  { what: "529, Anthropic", does: Script.status(529), protocol: "anthropic-messages", ...outage },
  { what: "connection refused", does: Script.failure("refused"), ...outage },
  { what: "connection reset", does: Script.failure("reset"), ...outage },
  {
    what: "an error event before the first content",
    does: sse(role, `{"error":{"message":"x","type":"server_error"}}`),
    stream: true,
    ...outage
  },
  // There was no connection, so nothing was sent that could cost.
  { what: "no connection in time", does: Script.failure("connect_timeout"), ...silence, billed: false },
  { what: "no response in time", does: Script.hang, ...silence },
  { what: "no first byte in time", does: Script.hang, stream: true, ...silence },
  { what: "no first content in time", does: Script.stream(["one"], { every: "61 seconds" }), stream: true, ...silence },
  { what: "silence before the first content", does: Script.silentAfter(1), stream: true, ...silence },
  { what: "a cut before the first content", does: Script.cutAfter(1), stream: true, ...silence },
  { what: "an end before the first content", does: sse(role), stream: true, ...silence },
  { what: "half an answer", does: Script.cutAfter(1), ...silence },
  { what: "a 200 that is no answer", does: Script.raw({ body: "<html>" }), ...silence },
  { what: "silence after it", does: Script.silentAfter(3, three), ...cut },
  { what: "a cut after it", does: Script.cutAfter(3, three), ...cut },
  { what: "an end after it", does: sse(role, word), ...cut },
  { what: "nine malformed events before it", does: sse(role, ...malformed(9)), stream: true, ...silence },
  { what: "nine malformed events after it", does: sse(role, word, ...malformed(9)), ...cut },
  { what: "context length, nothing larger", does: Script.status(400, { code: "context_length_exceeded" }), ...callers },
  {
    what: "prompt too long, Anthropic",
    does: Script.status(400, { message: "prompt is too long: 9 tokens" }),
    protocol: "anthropic-messages",
    ...callers
  },
  { what: "content filter", does: Script.status(400, { code: "content_filter" }), ...callers },
  { what: "400", does: Script.status(400), ...callers },
  { what: "409", does: Script.status(409), ...callers },
  { what: "422", does: Script.status(422), ...callers }
]

const worldOf = ({ does, protocol }: Pick<Row, "does" | "protocol">, window = 100_000) =>
  gatewayLayer(
    { openai: [does], backup: [Script.answer("fine")] },
    {
      deployments: [
        deployment("openai/a", protocol === undefined ? {} : { protocol, vendor: "anthropic" }),
        deployment("backup/b", { contextWindow: window })
      ],
      aliases: new Map([["both", ["openai/a", "backup/b"]]])
    }
  )

/** What the caller of a stream saw; undefined for a whole answer. */
const asked = Effect.fnUntraced(function* ({ stream = false }: Pick<Row, "stream">, fields: object = {}) {
  if (stream) return yield* read(streaming({}, fields))
  yield* ask(input({ ...fields }))
  return undefined
}, Effect.result)

const healthOf = Effect.gen(function* () {
  const pool = yield* ProviderPool
  const [{ health } = assert.fail("no deployment")] = yield* pool.status
  if (!pool.isReady("openai/a", 299_000)) return "open"
  if (health.consecutiveFailures > 0) return "counted"
  return pool.isReady("openai/a", 0) ? "unharmed" : "waits"
})

describe("failure classes", () => {
  for (const row of rows) {
    it.effect(row.what, () =>
      Effect.gen(function* () {
        const script = yield* Script
        yield* inTime(asked(row))
        const alone = yield* script.requestsTo("openai")
        assert.strictEqual(alone.length, 1 + row.again, "asked again")
        const billed = (yield* books).rows["a"]!
        assert.strictEqual(billed.cost > 0, row.billed, "billed")
        assert.strictEqual(billed.estimated, billed.cost)
      }).pipe(Effect.provide(worldOf(row)))
    )

    it.effect(`${row.what}, where another deployment serves the model`, () =>
      Effect.gen(function* () {
        const script = yield* Script
        const result = yield* inTime(asked(row, { model: "both" }))
        const first = yield* script.requestsTo("openai")
        const second = yield* script.requestsTo("backup")
        assert.lengthOf(first, 1)
        assert.lengthOf(second, row.over ? 1 : 0, "failed over")
        assert.strictEqual((yield* books).reserved, 0)
        if (row.over) assert.strictEqual(result._tag, "Success")
        else if (row.stream === true && result._tag === "Success" && result.success !== undefined) {
          const { events, failure, text } = result.success
          assert.include(["one ", "one two "], saidIn(events))
          assert.strictEqual(failure?._tag, "ProviderFailure")
          assert.notInclude(text, "[DONE]")
        } else assert.strictEqual(result._tag, "Failure")
      }).pipe(Effect.provide(worldOf(row)))
    )

    it.effect(`${row.what}: what it says of the deployment`, () =>
      Effect.gen(function* () {
        yield* inTime(asked(row, { model: "both" }))
        assert.strictEqual(yield* healthOf, row.health)
      }).pipe(Effect.provide(worldOf(row)))
    )
  }

  it.effect("context length goes to a larger window", () =>
    Effect.gen(function* () {
      const { report } = yield* ask(input({ model: "both" }))
      assert.strictEqual(report.deployment.id, "backup/b")
      assert.strictEqual(yield* healthOf, "unharmed")
    }).pipe(Effect.provide(worldOf({ does: Script.status(400, { code: "context_length_exceeded" }) }, 200_000)))
  )

  it.effect("eight malformed events are skipped", () =>
    Effect.gen(function* () {
      const { events, failure } = yield* read(streaming())
      assert.isUndefined(failure)
      assert.strictEqual(saidIn(events), "one ")
      assert.strictEqual(yield* healthOf, "unharmed")
    }).pipe(Effect.provide(worldOf({ does: sse(role, ...malformed(8), word, chunk({}, "stop"), "[DONE]") })))
  )

  for (const stream of [false, true]) {
    it.effect(`a client that goes says nothing of the deployment, ${stream ? "streamed" : "plain"}, and pays`, () =>
      Effect.gen(function* () {
        for (let time = 0; time < 6; time++) {
          const asking = yield* Effect.forkChild(asked({ stream }, { model: "both" }))
          yield* settleDown
          yield* Fiber.interrupt(asking)
        }
        const script = yield* Script
        assert.lengthOf(yield* script.requestsTo("openai"), 6)
        assert.lengthOf(yield* script.requestsTo("backup"), 0)
        assert.strictEqual(yield* healthOf, "unharmed")
        const { reserved, rows } = yield* books
        assert.strictEqual(reserved, 0)
        assert.isAbove(rows["a"]!.cost, 0)
        assert.strictEqual(rows["a"]!.estimated, rows["a"]!.cost)
      }).pipe(Effect.provide(worldOf({ does: stream ? Script.silentAfter(3, three) : Script.hang })))
    )
  }
})
