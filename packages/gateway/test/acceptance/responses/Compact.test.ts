/** `POST /v1/responses/compact`, through the port, with the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { problemWith } from "../../support/OpenAiSchema.ts"
import { call } from "../../support/RawHttp.ts"
import { hasData } from "../../support/Transcripts.ts"
import { rejected, resolved } from "../Promised.ts"
import { connected, problemOf, told } from "./Speaking.ts"
import { response } from "./Wire.ts"

describe("a compacted conversation", () => {
  it.live("keeps the user's messages and a summary, from which any model goes on", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* connected()
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "first" }))
      const short = yield* resolved(() =>
        client.responses.compact({ model: "m", input: "second", previous_response_id: one.id })
      )
      assert.strictEqual(short.object, "response.compaction")
      assert.match(short.id, /^resp_gw/)
      assert.deepStrictEqual(
        short.output.map(({ type }) => type),
        ["message", "message", "compaction"]
      )
      assert.isAbove(Number(Reflect.get(short.usage, "cost")), 0)
      const compacting = told(asked[1]!)
      assert.deepStrictEqual(compacting.slice(0, 4), [
        "user: first",
        "reasoning",
        "assistant: answer 0",
        "user: second"
      ])
      assert.match(compacting[4]!, /^user: The conversation above/)
      yield* resolved(() =>
        client.responses.create({ model: "m", input: [...short.output, { role: "user", content: "third" }] as never })
      )
      assert.deepStrictEqual(told(asked[2]!), [
        "user: first",
        "user: second",
        "user: A summary of the conversation so far, written to keep it short:\n\nanswer 1",
        "user: third"
      ])
    })
  )

  it.live("may be made short again, and goes on by id, too", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* connected()
      const once = yield* resolved(() => client.responses.compact({ model: "m", input: "first" }))
      const twice = yield* resolved(() => client.responses.compact({ model: "m", input: once.output as never }))
      assert.deepStrictEqual(
        twice.output.map(({ type }) => type),
        ["message", "compaction"]
      )
      const one = yield* resolved(() => client.responses.create({ model: "m", input: twice.output as never }))
      yield* resolved(() => client.responses.create({ model: "m", input: "next", previous_response_id: one.id }))
      assert.strictEqual(
        told(asked[3]!)[1],
        "user: A summary of the conversation so far, written to keep it short:\n\nanswer 1"
      )
    })
  )

  it.live("stays as it was where the model writes nothing", () =>
    Effect.gen(function* () {
      const { client } = yield* connected(() => ({ body: response("", { output: [] }) }))
      const input = [
        { role: "user" as const, content: "first" },
        { role: "assistant" as const, content: "said" }
      ]
      const short = yield* resolved(() => client.responses.compact({ model: "m", input }))
      assert.deepStrictEqual(told({ body: { input: short.output } } as never), ["user: first", "assistant: said"])
    })
  )

  it.live("is a call: it has the headers, its receipt and its row in the books", () =>
    Effect.gen(function* () {
      const { ledger, secret, url } = yield* connected()
      const body = { model: "m", input: "first" }
      const { headers } = yield* call(url, { path: "/v1/responses/compact", key: secret, body })
      assert.strictEqual(headers["x-gateway-decision"], "up0/gpt-5-mini")
      const path = `/v1/receipts/${headers["x-gateway-receipt-id"]}`
      const receipt = yield* call(url, { method: "GET", path, key: secret })
      assert.strictEqual(receipt.json.endpoint, "/v1/responses/compact")
      assert.deepStrictEqual(
        (yield* ledger).map(({ operation, status }) => [operation, status]),
        [["responses", "settled"]]
      )
    })
  )

  it.live("needs something to make short", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* connected()
      const wrong = yield* rejected(() => client.responses.compact({ model: "m" }))
      assert.deepStrictEqual(problemOf(wrong), [400, "invalid_field", "input"])
      assert.lengthOf(asked, 0)
    })
  )
})

describe.skipIf(!hasData)("by the vendor's description", () => {
  it.live("the compaction, the list of items and every event of a stored stream are valid", () =>
    Effect.gen(function* () {
      const { client } = yield* connected()
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "first" }))
      assert.isUndefined(problemWith("Response", yield* resolved(() => client.responses.retrieve(one.id))))
      const input = [...one.output, { role: "user" as const, content: "second" }]
      const short = yield* resolved(() => client.responses.compact({ model: "m", input: input as never }))
      assert.isUndefined(problemWith("CompactResource", short))
      const { body } = (yield* resolved(() => client.responses.inputItems.list(one.id))) as never as { body: object }
      assert.isUndefined(problemWith("ResponseItemList", body))
      const stream = yield* resolved(() => client.responses.retrieve(one.id, { stream: true }))
      yield* resolved(async () => {
        for await (const event of stream) assert.isUndefined(problemWith("ResponseStreamEvent", event), event.type)
      })
    })
  )
})
