/** Anthropic's own client, unchanged, before an Anthropic deployment: everything passes through. */
import type Anthropic from "@anthropic-ai/sdk"
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolved } from "../Promised.ts"
import { before, message, named, textEvents } from "./Claude.ts"

const request = {
  model: "up/m",
  max_tokens: 100,
  system: [{ type: "text" as const, text: "Be brief", cache_control: { type: "ephemeral" as const } }],
  messages: [{ role: "user" as const, content: "Hi" }]
}

const PROMPT = 100 * 1_000 + 20 * 1_250 + 1_000 * 100
const COST = PROMPT + 10 * 5_000

describe("the Messages API before an Anthropic deployment", () => {
  it.live("request and answer pass as they are, with the decision and the cost added", () =>
    Effect.gen(function* () {
      const { asked, client, ledger } = yield* before("anthropic-messages", () => ({
        body: message([{ type: "text", text: "Hello", citations: null }], { container: null })
      }))
      const sent = { ...request, metadata: { user_id: "u" }, top_k: 3, something_new: { a: null } }
      const { data, request_id, response } = yield* resolved(() =>
        client.messages
          .create(sent, {
            headers: { "anthropic-beta": "one-2026-01-01,two-2026-02-02", "anthropic-version": "2030-01-01" }
          })
          .withResponse()
      )
      assert.strictEqual(asked[0]?.path, "/v1/messages")
      assert.deepStrictEqual(asked[0]?.body, { ...sent, model: "m" })
      assert.strictEqual(asked[0]?.headers["anthropic-beta"], "one-2026-01-01,two-2026-02-02")
      assert.strictEqual(asked[0]?.headers["anthropic-version"], "2030-01-01")
      assert.strictEqual(asked[0]?.headers["x-api-key"], "operators-own")
      const { gateway, usage, ...rest } = data as Anthropic.Message & { readonly gateway: object }
      const { usage: told, ...said } = message([{ type: "text", text: "Hello", citations: null }], { container: null })
      assert.deepStrictEqual({ ...rest }, said as unknown as typeof rest)
      assert.deepStrictEqual({ ...usage }, { cost: COST / 1e9, ...told } as unknown as typeof usage)
      assert.deepInclude(gateway, { decision: "up/m", bucket: "none", retries: 0, cost_usd: COST / 1e9 })
      assert.strictEqual(response.headers.get("x-gateway-decision"), "up/m")
      assert.strictEqual(Number(response.headers.get("x-gateway-cost-usd")), COST / 1e9)
      assert.match(request_id ?? "", /^req_/)
      assert.strictEqual(response.headers.get("x-request-id"), request_id)
      const [row] = yield* ledger
      assert.deepInclude(row, {
        operation: "messages",
        cost: COST,
        input: 100,
        cached_input: 1_000,
        cache_write: 20,
        output: 10
      })
    })
  )

  it.live("every event of a stream passes as it is; the last message_delta tells the exact cost", () =>
    Effect.gen(function* () {
      const sent = textEvents("Hel", "lo")
      const { client } = yield* before("anthropic-messages", () => ({ body: sent }))
      const response = yield* resolved(() => client.messages.create({ ...request, stream: true }).asResponse())
      const got = yield* resolved(() => response.text())
      const [before_, after] = [got.split("\n\n").filter((one) => one !== ""), sent.map((one) => one.trim())]
      assert.lengthOf(before_, after.length)
      const last = after.length - 2
      assert.deepStrictEqual(before_.toSpliced(last, 1), after.toSpliced(last, 1))
      const delta = JSON.parse(before_[last]!.split("data: ")[1]!)
      assert.deepStrictEqual(delta.usage, { output_tokens: 10, cost: COST / 1e9 })
      assert.deepStrictEqual(delta.delta, { stop_reason: "end_turn", stop_sequence: null })
      assert.strictEqual(delta.gateway.decision, "up/m")
    })
  )

  it.live("the client's stream helper and its tool runner work", () =>
    Effect.gen(function* () {
      const used = { type: "tool_use", id: "toolu_01", name: "weather", input: {} }
      const { asked, client } = yield* before("anthropic-messages", (_, number) =>
        number === 0
          ? {
              body: [
                named({ type: "message_start", message: message([], { stop_reason: null }) }),
                named({ type: "content_block_start", index: 0, content_block: used }),
                ...['{"city":', '"Oslo"}'].map((partial_json) =>
                  named({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } })
                ),
                named({ type: "content_block_stop", index: 0 }),
                named({
                  type: "message_delta",
                  delta: { stop_reason: "tool_use", stop_sequence: null },
                  usage: { output_tokens: 9 }
                }),
                named({ type: "message_stop" })
              ]
            }
          : { body: textEvents("It is ", "sunny") }
      )
      const weather = betaTool({
        name: "weather",
        description: "The weather in a city",
        inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        run: ({ city }) => `sunny in ${city}`
      })
      const runner = client.beta.messages.toolRunner({
        ...request,
        tools: [weather],
        stream: true,
        betas: ["x-2026-01-01"]
      })
      const texts = yield* resolved(async () => {
        const said: Array<unknown> = []
        for await (const stream of runner) said.push((await stream.finalMessage()).content)
        return said
      })
      assert.deepStrictEqual(asked[1]?.body.messages.at(-1).content, [
        { type: "tool_result", tool_use_id: "toolu_01", content: "sunny in Oslo" }
      ])
      assert.include(asked[0]?.headers["anthropic-beta"], "x-2026-01-01")
      assert.include(JSON.stringify(texts[1]), "It is sunny")
    })
  )

  it.live("a body of megabytes passes as it is", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before("anthropic-messages", () => ({
        body: message([{ type: "text", text: "Seen" }])
      }))
      const data = Buffer.alloc(3_000_000, 7).toString("base64")
      const content = [
        {
          type: "document" as const,
          source: { type: "base64" as const, media_type: "application/pdf" as const, data }
        },
        { type: "text" as const, text: "What is it?" }
      ]
      const sent = { ...request, messages: [{ role: "user" as const, content }] }
      yield* resolved(() => client.messages.create(sent))
      assert.deepStrictEqual(asked[0]?.body, { ...sent, model: "m" })
    })
  )
})
