import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestGateway } from "../../../src/testing/index.ts"
import { RefusingVendor } from "../../catalogue/refusing/RefusingVendor.ts"

const hi = [{ role: "user", content: "Hello" }]
const tool = { name: "look", input_schema: { type: "object", properties: {} } }

const layer = TestGateway.layerOver({
  deployments: [
    "anthropic/claude-haiku-4-5",
    "anthropic/claude-sonnet-4-6",
    "anthropic/claude-opus-5-5",
    "anthropic/claude-sonnet-5",
    "anthropic/claude-unheard-of"
  ],
  models: {
    "claude-*": ["anthropic/claude-haiku-4-5"],
    middle: ["anthropic/claude-sonnet-4-6"],
    best: ["anthropic/claude-opus-5-5"],
    five: ["anthropic/claude-sonnet-5"],
    newest: ["anthropic/claude-unheard-of"]
  }
}).pipe(Layer.provideMerge(RefusingVendor.layer))

const ask = Effect.fnUntraced(function* (
  model: string,
  fields: object,
  headers: { readonly [name: string]: string } = {},
  path = "/v1/messages"
) {
  const gateway = yield* TestGateway
  const vendor = yield* RefusingVendor
  const key = yield* gateway.createKey()
  const body = { model, max_tokens: 4000, messages: hi, ...fields }
  const answer = yield* gateway.send({
    method: "POST",
    path,
    headers: { authorization: `Bearer ${key}`, ...headers },
    body
  })
  const heard = yield* vendor.take
  return { answer, sent: heard[0]?.seen.body, dropped: answer.headers["x-gateway-dropped-params"] }
})

describe("a request of the Messages API for a Claude that the gateway chose", () => {
  it.effect("carries a budget of thinking tokens where the model does not think adaptively", () =>
    Effect.gen(function* () {
      const { answer, dropped, sent } = yield* ask("claude-opus-9-9", {
        thinking: { type: "adaptive" },
        output_config: { effort: "high" }
      })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(sent!["thinking"], { type: "enabled", budget_tokens: 3200 })
      assert.notProperty(sent!, "output_config")
      assert.strictEqual(dropped, "thinking")
    }).pipe(Effect.provide(layer))
  )

  it.effect("carries an effort where the model takes no budget", () =>
    Effect.gen(function* () {
      const { dropped, sent } = yield* ask("best", { thinking: { type: "enabled", budget_tokens: 3500 } })
      assert.deepStrictEqual(sent!["thinking"], { type: "adaptive" })
      assert.deepStrictEqual(sent!["output_config"], { effort: "high" })
      assert.strictEqual(dropped, "thinking")
    }).pipe(Effect.provide(layer))
  )

  it.effect("asks for the least effort where thinking can't be turned off", () =>
    Effect.gen(function* () {
      const { dropped, sent } = yield* ask("best", { thinking: { type: "disabled" } })
      assert.notProperty(sent!, "thinking")
      assert.deepStrictEqual(sent!["output_config"], { effort: "low" })
      assert.strictEqual(dropped, "thinking")
    }).pipe(Effect.provide(layer))
  )

  it.effect("offers a tool that the model can't be made to call, alone where it was named", () =>
    Effect.gen(function* () {
      const tools = [tool, { ...tool, name: "other" }]
      const choice = { type: "tool", name: "look", disable_parallel_tool_use: true }
      const { dropped, sent } = yield* ask("best", { tools, tool_choice: choice })
      assert.deepStrictEqual(sent!["tool_choice"], { type: "auto", disable_parallel_tool_use: true })
      assert.deepStrictEqual(sent!["tools"], [tool])
      assert.strictEqual(dropped, "tool_choice")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "ends with the user where the model takes no prefill, but not where a tool of the vendor has paused it",
    () =>
      Effect.gen(function* () {
        const begun = yield* ask("middle", { messages: [...hi, { role: "assistant", content: "{" }] })
        assert.strictEqual(begun.answer.status, 200)
        assert.strictEqual(begun.sent!["messages"].at(-1).role, "user")
        assert.strictEqual(begun.dropped, "messages")
        const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } }
        const paused = yield* ask("middle", { messages: [...hi, { role: "assistant", content: [search] }] })
        assert.strictEqual(paused.sent!["messages"].at(-1).role, "assistant")
      }).pipe(Effect.provide(layer))
  )

  it.effect("has a user say instructions between messages that the model does not take there", () =>
    Effect.gen(function* () {
      const messages = [...hi, { role: "system", content: "Be brief." }]
      const { dropped, sent } = yield* ask("five", { system: "Be kind.", messages })
      assert.strictEqual(sent!["system"], "Be kind.")
      const content = [{ type: "text", text: "<system-reminder>\nBe brief.\n</system-reminder>" }]
      assert.deepStrictEqual(sent!["messages"], [...hi, { role: "user", content }])
      assert.isUndefined(dropped)
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves out sampling and the fast mode that the model refuses", () =>
    Effect.gen(function* () {
      const { dropped, sent } = yield* ask("five", { temperature: 0.2, top_k: 5, speed: "fast" })
      for (const name of ["temperature", "top_k", "speed"]) assert.notProperty(sent!, name)
      assert.sameMembers(dropped!.split(","), ["temperature", "top_k", "speed"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is refused with the field's name where its caller is strict", () =>
    Effect.gen(function* () {
      const { answer, sent } = yield* ask("best", { temperature: 0.2 }, { "x-gateway-strict": "1" })
      assert.strictEqual(answer.status, 400)
      assert.include(JSON.stringify(answer.body), "temperature")
      assert.isUndefined(sent)
    }).pipe(Effect.provide(layer))
  )

  it.effect("passes as it is to a deployment that it names", () =>
    Effect.gen(function* () {
      const fields = { thinking: { type: "adaptive" }, output_config: { effort: "high" }, top_k: 5 }
      const { sent } = yield* ask("anthropic/claude-haiku-4-5", fields)
      assert.deepStrictEqual(sent, { ...fields, model: "claude-haiku-4-5", max_tokens: 4000, messages: hi })
    }).pipe(Effect.provide(layer))
  )

  it.effect("gets the rules of the newest models where the catalogue does not have the model", () =>
    Effect.gen(function* () {
      const { dropped, sent } = yield* ask("newest", { thinking: { type: "enabled", budget_tokens: 3500 }, top_p: 0.5 })
      assert.deepStrictEqual(sent!["thinking"], { type: "adaptive" })
      assert.strictEqual(dropped, "thinking,top_p")
    }).pipe(Effect.provide(layer))
  )
})
