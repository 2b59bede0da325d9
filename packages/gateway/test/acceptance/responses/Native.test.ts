/** Responses at a provider that has them, through the port, with the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { response, responseEvents } from "./Wire.ts"

const speaking = (script?: (asked: Asked, number: number) => Reply) =>
  Effect.gen(function* () {
    const { asked, baseUrl } = yield* upstream(
      script ?? (({ body }) => ({ body: body.stream === true ? responseEvents("Hel", "lo") : response("Hello") }))
    )
    const gateway = yield* startGateway({
      yaml: `
providers:
  up: { vendor: openai, base_url: "${baseUrl}", api_key: none }
  other: { vendor: openai, base_url: "${baseUrl}", api_key: none }
deployments:
  - { provider: other, model: gpt-5-mini, price: { input: 1, output: 2 }, context_window: 100000 }
  - { provider: up, model: gpt-5-mini, price: { input: 1, cached_input: 0.5, output: 2 }, context_window: 100000 }
failover: { base_delay: 1ms }
`
    })
    const { id, secret } = yield* gateway.createKey()
    return { ...gateway, asked, id, secret, client: gateway.client(secret) }
  })

const asked = { model: "up/gpt-5-mini", input: "Hi" }
const own = /^(?:resp|msg|rs)_gw[0-9a-f]{32}$/

const gatewayOf = (value: Response) => Reflect.get(value, "gateway") as { readonly cost_usd: number }

const collected = async (events: AsyncIterable<ResponseStreamEvent>) => {
  const all: Array<ResponseStreamEvent> = []
  for await (const one of events) all.push(one)
  return all
}

describe("a native response", () => {
  it.live("passes, with own ids, its cost and the headers", () =>
    Effect.gen(function* () {
      const { asked: upstreamAsked, client } = yield* speaking()
      const { data, response: head } = yield* resolved(() => client.responses.create(asked).withResponse())
      assert.strictEqual(data.output_text, "Hello")
      assert.strictEqual(data.status, "completed")
      for (const id of [data.id, ...data.output.map((item) => item.id ?? "")]) assert.match(id, own)
      // 8 at 1, 4 at 0.5 and 6 at 2 USD per million.
      assert.strictEqual(Reflect.get(data.usage!, "cost"), 0.000022)
      assert.strictEqual(gatewayOf(data).cost_usd, 0.000022)
      assert.strictEqual(head.headers.get("x-gateway-cost-usd"), "0.000022")
      assert.strictEqual(head.headers.get("x-gateway-decision"), "up/gpt-5-mini")
      assert.strictEqual(Reflect.get(data, "store"), true)
      const { body, path } = upstreamAsked[0]!
      assert.strictEqual(path, "/v1/responses")
      assert.deepStrictEqual(body, {
        model: "gpt-5-mini",
        input: "Hi",
        store: false,
        include: ["reasoning.encrypted_content"]
      })
    })
  )

  it.live("streams every event in order, and tells the cost in the last one", () =>
    Effect.gen(function* () {
      const { client } = yield* speaking()
      const stream = yield* resolved(() => client.responses.create({ ...asked, stream: true }))
      const events = yield* resolved(() => collected(stream))
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        [
          "response.created",
          "response.in_progress",
          "response.output_item.added",
          "response.output_item.done",
          "response.output_item.added",
          "response.content_part.added",
          "response.output_text.delta",
          "response.output_text.delta",
          "response.output_text.done",
          "response.content_part.done",
          "response.output_item.done",
          "response.completed"
        ]
      )
      assert.deepStrictEqual(
        events.map((one) => one.sequence_number),
        events.map((_, index) => index)
      )
      const last = events.at(-1)!
      assert(last.type === "response.completed")
      assert.strictEqual(gatewayOf(last.response).cost_usd, 0.000022)
      const first = events[0]!
      assert(first.type === "response.created")
      assert.strictEqual(first.response.id, last.response.id)
      const ids = new Set(events.flatMap((one) => ("item_id" in one ? [one.item_id] : [])))
      assert.deepStrictEqual([...ids], [last.response.output[1]!.id])
      for (const item of last.response.output) assert.match(item.id ?? "", own)
    })
  )

  it.live("is not followed by an end mark, and each event is named", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* speaking()
      const { text } = yield* call(url, { path: "/v1/responses", key: secret, body: { ...asked, stream: true } })
      assert.notInclude(text, "[DONE]")
      for (const frame of text.trim().split("\n\n")) {
        const [, type, data] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? []
        assert.strictEqual(JSON.parse(data ?? "{}").type, type)
      }
    })
  )

  it.live("sends back what only the provider can read, under its own id", () =>
    Effect.gen(function* () {
      const { asked: upstreamAsked, client } = yield* speaking()
      const first = yield* resolved(() => client.responses.create(asked))
      const { encrypted_content: blob } = first.output[0] as { readonly encrypted_content: string }
      assert.notStrictEqual(blob, "gAAAA-secret")
      const input = [...first.output, { role: "user" as const, content: "And?" }]
      yield* resolved(() => client.responses.create({ ...asked, input: input as never }))
      assert.deepStrictEqual(upstreamAsked[1]!.body.input, [
        { id: "rs_upstream", type: "reasoning", summary: [], encrypted_content: "gAAAA-secret" },
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Hello", annotations: [], logprobs: [] }]
        },
        { role: "user", content: "And?" }
      ])
    })
  )

  it.live("sends no other provider what it can't read, and says so", () =>
    Effect.gen(function* () {
      const { asked: upstreamAsked, client, secret, url } = yield* speaking()
      const first = yield* resolved(() => client.responses.create(asked))
      const body = { model: "other/gpt-5-mini", input: [...first.output, { role: "user", content: "And?" }] }
      const ask = (headers: Record<string, string>) => call(url, { path: "/v1/responses", key: secret, headers, body })
      const { headers } = yield* ask({})
      assert.strictEqual(headers["x-gateway-dropped-params"], "input.reasoning")
      assert.lengthOf(upstreamAsked[1]!.body.input, 2)
      const strict = yield* ask({ "x-gateway-strict": "1" })
      assert.deepInclude(strict.json.error, { param: "input[0].encrypted_content" })
    })
  )

  it.live("sends back thoughts in plain words too", () =>
    Effect.gen(function* () {
      const content = [{ type: "reasoning_text", text: "Hm." }]
      const thought = { id: "rs_open", type: "reasoning", summary: [], content }
      const { asked: upstreamAsked, client } = yield* speaking(() => ({ body: response("", { output: [thought] }) }))
      const first = yield* resolved(() => client.responses.create(asked))
      const input = [...first.output, { role: "user" as const, content: "And?" }]
      yield* resolved(() => client.responses.create({ ...asked, input: input as never }))
      assert.deepStrictEqual(upstreamAsked[1]!.body.input[0], thought)
    })
  )

  it.live("that breaks off ends with the vendor's error, and with the response as it was", () =>
    Effect.gen(function* () {
      const { client, secret, url } = yield* speaking(() => ({
        body: responseEvents("Hel", "lo").slice(0, 8),
        ending: "reset"
      }))
      const { text } = yield* call(url, { path: "/v1/responses", key: secret, body: { ...asked, stream: true } })
      const last = text
        .trim()
        .split("\n\n")
        .slice(-2)
        .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)))
      assert.deepInclude(last[0], { type: "error", code: "upstream_unavailable", sequence_number: 8 })
      assert.deepInclude(last[1], { type: "response.failed", sequence_number: 9 })
      assert.deepInclude(last[1].response, { status: "failed" })
      assert.lengthOf(last[1].response.output, 1)
      const stream = yield* resolved(() => client.responses.create({ ...asked, stream: true }))
      const failed = yield* resolved(() => collected(stream).then(String, String))
      assert.include(failed, "broke off")
    })
  )

  it.live("that fails before its first word goes to another attempt", () =>
    Effect.gen(function* () {
      const failed = { status: "failed", error: { code: "server_error", message: "no" }, output: [], usage: null }
      const { client } = yield* speaking(({ body }, number) => {
        if (number > 0) return { body: body.stream === true ? responseEvents("ok") : response("ok") }
        return { body: response("", failed) }
      })
      const { data } = yield* resolved(() => client.responses.create(asked).withResponse())
      assert.strictEqual(data.output_text, "ok")
    })
  )

  it.live("is held at its worst case, and settled at what it cost", () =>
    Effect.gen(function* () {
      const { asked: upstreamAsked, createKey, ledger, url } = yield* speaking()
      // Room for some 2000 tokens of output.
      const { secret } = yield* createKey({ budgets: [{ window: "day", limit: 4_500_000, timeZone: "UTC" }] })
      const ask = (fields: object) => call(url, { path: "/v1/responses", key: secret, body: { ...asked, ...fields } })
      const { status, text } = yield* ask({})
      assert.strictEqual(status, 200, text)
      const { max_output_tokens: limit } = upstreamAsked[0]!.body
      assert.isAbove(limit, 1000)
      assert.isAtMost(limit, 2250)
      const [row] = yield* ledger
      assert.strictEqual(row!.cost, 22_000)
      assert.isAtLeast(row!.reserved, limit * 2000)
      assert.deepInclude({ ...row }, { input: 8, cached_input: 4, output: 4, reasoning: 2, operation: "responses" })
      const dear = yield* ask({ max_output_tokens: 50_000 })
      assert.strictEqual(dear.status, 429)
      assert.lengthOf(upstreamAsked, 1)
    })
  )

  it.live("refuses what the gateway does not do", () =>
    Effect.gen(function* () {
      const { asked: upstreamAsked, secret, url } = yield* speaking()
      const ask = (path: string, fields: object) => call(url, { path, key: secret, body: { ...asked, ...fields } })
      for (const [fields, param] of [
        [{ background: true, stream: true }, "background"],
        [{ conversation: "conv_1" }, "conversation"],
        [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input[0].id"]
      ] as const) {
        const { json, status } = yield* ask("/v1/responses", fields)
        assert.strictEqual(status, 400)
        assert.strictEqual(json.error.param, param)
      }
      const cancel = yield* ask("/v1/responses/resp_1/cancel", {})
      assert.strictEqual(cancel.status, 404)
      assert.lengthOf(upstreamAsked, 0)
    })
  )
})
