import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Receipt } from "../../../gateway/src/core/receipts/Receipt.ts"
import { ReceiptEvents } from "../../../gateway/src/core/receipts/ReceiptEvents.ts"
import type { LogSettings } from "../../../gateway/src/core/domain/Settings.ts"
import { fields } from "../../src/telemetry/logs/LogFields.ts"
import * as RequestLines from "../../src/telemetry/logs/RequestLines.ts"
import { Logged, logged } from "./Logged.ts"
import { attempt, failed, receipt } from "../../../gateway/test/telemetry/Receipts.ts"

/** The lines that these requests leave. */
const linesOf = (settings: LogSettings, ...receipts: ReadonlyArray<Receipt>) =>
  Effect.gen(function* () {
    const log = yield* ReceiptEvents
    for (const one of receipts) log.ended(one)
    yield* TestClock.adjust("50 millis")
    return (yield* Logged).lines()
  }).pipe(
    Effect.provide(
      RequestLines.layer(settings).pipe(
        Layer.provideMerge(Layer.mergeAll(Layer.fresh(ReceiptEvents.layer), Layer.fresh(logged)))
      )
    )
  )

const statuses = ["ok", "failed", "cut", "client_gone", "refused"] as const

describe("RequestLines", () => {
  it.effect("a line tells who, what, where, how long, and what it cost", () =>
    Effect.gen(function* () {
      const second = attempt({ deployment: "anthropic/claude", firstTokenMs: 120 })
      const [line] = yield* linesOf({ requests: "all", format: "json" }, receipt({ attempts: [failed(), second] }))
      assert.deepStrictEqual(JSON.parse(line!), {
        timestamp: "2026-03-01T10:20:00.320Z",
        level: "INFO",
        message: "request",
        request_id: "req_0123456789abcdefghijklmn",
        key_id: "key_AAAAAAAAAAAA",
        endpoint: "/v1/chat/completions",
        status: "ok",
        bucket: "simple",
        stream: false,
        retries: 1,
        cost_usd: 0.0000015,
        input_tokens: 120,
        output_tokens: 55,
        duration_ms: 320,
        team: "red",
        deployment: "anthropic/claude",
        upstream_status: 200,
        first_token_ms: 120
      })
    })
  )

  it.effect("a refusal's line has its error, status and count, and no figures of a call", () =>
    Effect.gen(function* () {
      const refusal = { method: "POST", httpStatus: 429, code: "rate_limit_exceeded", message: "wait", count: 7 }
      const one = receipt({ attempts: [], status: "refused", keyName: "a\u202eb\n<i>", refusal })
      const [json] = yield* linesOf({ requests: "errors", format: "json" }, one)
      assert.deepStrictEqual(JSON.parse(json!), {
        timestamp: "2026-03-01T10:20:00.320Z",
        level: "WARN",
        message: "request",
        request_id: "req_0123456789abcdefghijklmn",
        key_id: "key_AAAAAAAAAAAA",
        key_name: "a\u202eb\n<i>",
        team: "red",
        endpoint: "/v1/chat/completions",
        status: "refused",
        error: "rate_limit_exceeded",
        http_status: 429,
        count: 7,
        duration_ms: 320
      })
      assert.notMatch(json!, /[\u202e\n]/)
      const [text] = yield* linesOf({ requests: "errors", format: "text" }, one)
      assert.include(text, String.raw`key_name="a\u202eb\n<i>"`)
    })
  )

  it.effect("a failure's line has what the provider said, and escapes what turns text around", () =>
    Effect.gen(function* () {
      const error = { message: 'Slow "down" \u202e', code: "slow", type: null }
      const bad = receipt({ status: "failed", attempts: [failed({ error })] })
      const [line] = yield* linesOf({ requests: "errors", format: "json" }, bad)
      assert.notInclude(line, "\u202e")
      assert.deepInclude(JSON.parse(line!), { upstream_code: "slow", upstream_message: error.message })
      assert.notInclude(line, "upstream_type")
    })
  )

  it.effect("a line names the fields that were left out or changed", () =>
    Effect.gen(function* () {
      const one = receipt({ status: "failed", attempts: [failed({ adapted: ["temperature", "input.\u202ex"] })] })
      const [line] = yield* linesOf({ requests: "errors", format: "json" }, one)
      assert.notInclude(line, "\u202e")
      assert.deepInclude(JSON.parse(line!), { adapted: "temperature,input.\u202ex" })
    })
  )

  it.effect("the same as text", () =>
    Effect.gen(function* () {
      const bad = receipt({ status: "failed", team: null, priced: false, attempts: [failed()] })
      assert.deepStrictEqual(yield* linesOf({ requests: "errors", format: "text" }, bad), [
        "timestamp=2026-03-01T10:20:00.320Z level=WARN message=request request_id=req_0123456789abcdefghijklmn key_id=key_AAAAAAAAAAAA endpoint=/v1/chat/completions status=failed error=unavailable deployment=openai/gpt-5-mini upstream_status=503 bucket=simple stream=false retries=0 cost_usd=0 priced=false input_tokens=0 output_tokens=0 duration_ms=320"
      ])
    })
  )

  it.effect("a refusal by a budget tells which one it was, how much was left and how much was needed", () =>
    Effect.gen(function* () {
      const fullBudget = {
        scope: "team",
        window: "day",
        limit: 10_000_000_000,
        used: 9_990_000_000,
        needed: 20_000_000
      } as const
      const refused = receipt({ status: "refused", attempts: [], limit: "budget", fullBudget })
      const [line] = yield* linesOf({ requests: "errors", format: "json" }, refused)
      assert.deepInclude(JSON.parse(line!), {
        status: "refused",
        team: "red",
        budget: "team",
        budget_window: "day",
        budget_usd: 10,
        budget_used_usd: 9.99,
        needed_usd: 0.02
      })
      const [text] = yield* linesOf({ requests: "errors", format: "text" }, refused)
      assert.include(text, " budget=team budget_window=day budget_usd=10 budget_used_usd=9.99 needed_usd=0.02 ")
    })
  )

  it.effect("names may hold anything, and the time of each line is its own", () =>
    Effect.gen(function* () {
      const odd = receipt({ team: 'a "team"\n', bucket: "b c", durationMs: 1_007.5, priced: false })
      const [first, second] = yield* linesOf({ requests: "all", format: "json" }, odd, receipt({ durationMs: 80 }))
      assert.deepInclude(JSON.parse(first!), {
        timestamp: "2026-03-01T10:20:01.007Z",
        team: 'a "team"\n',
        bucket: "b c",
        priced: false
      })
      assert.strictEqual(JSON.parse(second!).timestamp, "2026-03-01T10:20:00.080Z")
      const text = yield* linesOf({ requests: "all", format: "text" }, odd)
      assert.lengthOf(text, 1)
      assert.include(text[0]!, 'team="a \\"team\\"\\n" ')
    })
  )

  it.effect("off, errors and all choose which requests get one", () =>
    Effect.gen(function* () {
      const all = statuses.map((status) => receipt({ status }))
      const logs = (requests: LogSettings["requests"]) =>
        Effect.map(linesOf({ requests, format: "json" }, ...all), (lines) =>
          lines.map((line) => JSON.parse(line).status as string)
        )
      assert.deepStrictEqual(yield* logs("off"), [])
      assert.deepStrictEqual(yield* logs("errors"), ["failed", "cut", "refused"])
      assert.deepStrictEqual(yield* logs("all"), [...statuses])
    })
  )

  it.effect("has no word of the caller's, and no field that is not allowed", () =>
    Effect.gen(function* () {
      const secret = "sk-a-secret-somebody-pasted"
      const [line] = yield* linesOf(
        { requests: "all", format: "json" },
        receipt({ requestedModel: secret, tags: [secret], reasons: [secret] })
      )
      assert.notInclude(line!, secret)
      const { level: _, message: __, timestamp: ___, ...told } = JSON.parse(line!) as Record<string, unknown>
      for (const name of Object.keys(told)) assert.property(fields, name)
    })
  )
})
