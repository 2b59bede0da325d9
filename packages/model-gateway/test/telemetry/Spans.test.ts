import { assert, describe, it } from "@effect/vitest"
import { isSampled } from "../../src/telemetry/otlp/Sampler.ts"
import { type Span, spansOf } from "../../src/telemetry/otlp/Spans.ts"
import { idsOf, parseTraceParent } from "../../src/telemetry/otlp/TraceContext.ts"
import { attempt, failed, NOW, receipt } from "../../../gateway/test/telemetry/Receipts.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const PARENT = "00f067aa0ba902b7"

/** Attributes as a plain object. */
const attributes = (span: Span | undefined) =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))

const at = (ms: number) => `${NOW + ms}000000`

describe("spansOf", () => {
  it("a request is a span, and each call to a provider one below it", () => {
    const [request, first, second, ...none] = spansOf(
      receipt({
        durationMs: 400,
        stream: true,
        tags: ["a"],
        attempts: [
          failed({ startedMs: 3, durationMs: 40 }),
          attempt({ startedMs: 50, durationMs: 340, firstTokenMs: 120, deployment: "anthropic/claude" })
        ]
      })
    )
    assert.lengthOf(none, 0)
    const ids = idsOf("req_0123456789abcdefghijklmn")
    assert.deepInclude(request, {
      traceId: ids.traceId,
      spanId: ids.spanId(0),
      parentSpanId: undefined,
      name: "POST /v1/chat/completions",
      kind: 2,
      startTimeUnixNano: at(0),
      endTimeUnixNano: at(400)
    })
    assert.deepInclude(first, {
      traceId: ids.traceId,
      spanId: ids.spanId(1),
      parentSpanId: ids.spanId(0),
      name: "chat gpt-5-mini",
      kind: 3,
      startTimeUnixNano: at(3),
      endTimeUnixNano: at(43),
      status: { code: 2, message: "unavailable" }
    })
    assert.deepInclude(second, { spanId: ids.spanId(2), status: { code: 0 } })
    assert.deepInclude(attributes(request), {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "auto",
      "gen_ai.response.model": "gpt-5-mini",
      "http.route": "/v1/chat/completions",
      "gateway.request_id": "req_0123456789abcdefghijklmn",
      "gateway.key_id": "key_AAAAAAAAAAAA",
      "gateway.retries": 1,
      "gateway.cost_usd": 0.0000015
    })
    assert.deepInclude(attributes(first), { "error.type": "unavailable", "http.response.status_code": 503 })
    assert.deepInclude(attributes(second), {
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.usage.input_tokens": 120,
      "gen_ai.usage.output_tokens": 55,
      "gen_ai.usage.cache_read.input_tokens": 20,
      "gateway.deployment": "anthropic/claude"
    })
    assert.deepStrictEqual(
      second?.events.map(({ name, timeUnixNano }) => [name, timeUnixNano]),
      [["first_token", at(120)]]
    )
  })

  it("name the operation, the parameters, the answer and the server as the conventions do", () => {
    const [request, call] = spansOf(
      receipt({
        endpoint: "/v1/completions",
        stream: true,
        sessionId: "s1",
        client: "codex",
        parameters: { maxTokens: 50, temperature: 0, topP: 0.5, seed: 7, choices: 2 },
        attempts: [
          attempt({
            firstTokenMs: 102,
            baseUrl: "https://api.openai.com/v1",
            answer: { id: "cmpl-1", model: "gpt-5-mini-2026-01-01", finishReasons: ["stop", "length"] }
          })
        ]
      })
    )
    const both = {
      "gen_ai.operation.name": "text_completion",
      "gen_ai.request.max_tokens": 50,
      "gen_ai.request.temperature": 0,
      "gen_ai.request.top_p": 0.5,
      "gen_ai.request.seed": 7,
      "gen_ai.request.choice.count": 2,
      "gen_ai.request.stream": true,
      "gen_ai.response.id": "cmpl-1",
      "gen_ai.response.model": "gpt-5-mini-2026-01-01",
      "http.response.status_code": 200
    }
    assert.deepInclude(attributes(request), { ...both, "gen_ai.conversation.id": "s1", "user_agent.name": "codex" })
    assert.deepInclude(attributes(call), {
      ...both,
      "gen_ai.response.time_to_first_chunk": 0.1,
      "gen_ai.usage.reasoning.output_tokens": 5,
      "server.address": "api.openai.com",
      "server.port": 443
    })
    assert.deepStrictEqual(attributes(call)["gen_ai.response.finish_reasons"], {
      values: [{ stringValue: "stop" }, { stringValue: "length" }]
    })
    assert.strictEqual(call?.name, "text_completion gpt-5-mini")
  })

  it("a request that was refused before routing is one span with its error, and no error of the gateway", () => {
    const refusal = { method: "GET", httpStatus: 404, code: "not_found", message: "no", count: 3 }
    const spans = spansOf(receipt({ attempts: [], status: "refused", endpoint: "", keyName: "ci", refusal }))
    assert.lengthOf(spans, 1)
    const values = new Map(spans[0]!.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
    assert.deepStrictEqual([spans[0]!.name, spans[0]!.status.code], ["GET", 0])
    assert.deepStrictEqual(
      ["error.type", "http.response.status_code", "gateway.key_name", "gateway.refusals", "http.route"].map((name) =>
        String(values.get(name))
      ),
      ["not_found", "404", "ci", "3", "undefined"]
    )
  })

  it("a failed call has what its provider said", () => {
    const error = { message: "Overloaded", code: "busy", type: null }
    const [, call] = spansOf(receipt({ attempts: [failed({ error })], status: "failed" }))
    const values = new Map(call!.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
    assert.deepStrictEqual(
      ["message", "code", "type"].map((name) => values.get(`gateway.upstream.${name}`)),
      ["Overloaded", "busy", undefined]
    )
  })

  it("only what the gateway or a provider did wrong is an error", () => {
    const code = (status: "ok" | "failed" | "cut" | "client_gone" | "refused") =>
      spansOf(receipt({ status }))[0]?.status.code
    assert.deepStrictEqual(
      [code("ok"), code("failed"), code("cut"), code("client_gone"), code("refused")],
      [0, 2, 2, 0, 0]
    )
  })

  it("a request without a known price has no cost, not one of 0", () => {
    assert.notProperty(attributes(spansOf(receipt({ priced: false }))[0]), "gateway.cost_usd")
  })

  it("stands below the caller's span", () => {
    const [request, call] = spansOf(receipt({ traceParent: `00-${TRACE}-${PARENT}-01` }))
    assert.deepInclude(request, { traceId: TRACE, parentSpanId: PARENT })
    assert.deepInclude(call, { traceId: TRACE, parentSpanId: request?.spanId })
  })

  it("keeps the microseconds of a time with fractions", () => {
    const [request] = spansOf(receipt({ durationMs: 12.3456 }))
    assert.closeTo(Number(BigInt(request!.endTimeUnixNano) - BigInt(at(0))), 12_345_600, 1_000)
  })
})

describe("parseTraceParent", () => {
  it("reads what the standard allows", () => {
    assert.deepStrictEqual(parseTraceParent(`00-${TRACE}-${PARENT}-00`), {
      traceId: TRACE,
      spanId: PARENT,
      sampled: false
    })
    assert.isTrue(parseTraceParent(`01-${TRACE}-${PARENT}-03-more`)?.sampled)
  })

  it("takes nothing else", () => {
    for (const header of [
      undefined,
      "",
      "x",
      `ff-${TRACE}-${PARENT}-01`,
      `00-${"0".repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}`
    ]) {
      assert.isUndefined(parseTraceParent(header), header)
    }
  })
})

describe("isSampled", () => {
  const parent = (sampled: boolean) => ({ traceId: TRACE, spanId: PARENT, sampled })
  const ids = (index: number) => () => idsOf(`req_${index}`).traceId

  it("follows the caller where it should", () => {
    const decided = (followsParent: boolean, sampled: boolean) =>
      isSampled({ followsParent, ratio: sampled ? 0 : 1 }, parent(sampled), ids(0))
    assert.deepStrictEqual([decided(true, true), decided(true, false)], [true, false])
    assert.deepStrictEqual([decided(false, true), decided(false, false)], [false, true])
  })

  it("takes about the share of requests that it should, and the same ones each time", () => {
    const sampler = { followsParent: true, ratio: 0.25 }
    const taken = Array.from({ length: 4_000 }, (_, index) => isSampled(sampler, undefined, ids(index)))
    const share = taken.filter(Boolean).length / taken.length
    assert.isAbove(share, 0.22)
    assert.isBelow(share, 0.28)
    assert.isTrue(taken.every((one, index) => one === isSampled(sampler, undefined, ids(index))))
  })
})
