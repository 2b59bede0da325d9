/** What happens to fields of a request whose cost nobody knows, through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { masterKey } from "../../support/RunningGateway.ts"
import type { NewKey } from "../../../src/core/keys/NewKey.ts"
import { counted, priced, say, world } from "./BudgetedGateway.ts"

const window = "context_window: 100000"
const server = `{ id: s/m, provider: up, model: m, ${priced}, ${counted}, ${window} }`
const claude = `{ id: a/c, provider: anthropic, model: claude-sonnet-4-5, ${priced}, ${window} }`
const budgets: NewKey["budgets"] = [{ limit: 1_000_000_000, window: "day", timeZone: "UTC" }]
const unknown = {
  user_config: { model_list: [] },
  num_retries: 20,
  chat_template: "{% for i in range(9000) %}word {% endfor %}"
}

const namesIn = (headers: { readonly [name: string]: unknown }) =>
  String(headers["x-gateway-dropped-params"]).split(",")

const served = Effect.fnUntraced(function* (deployments: ReadonlyArray<string>, settings: NewKey) {
  const gateway = yield* world({ deployments })
  const { id, secret } = yield* gateway.createKey(settings)
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    call(gateway.url, { path, key: secret, body: { max_tokens: 16, messages: say("Hi"), ...body }, headers })
  return { ...gateway, id, post, chat: (body: object, headers = {}) => post("/v1/chat/completions", body, headers) }
})

describe("fields whose cost nobody knows", () => {
  it.live("are removed under a budget, and named; what costs nothing is sent as it came", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* served([server], { budgets })
      const free = {
        top_k: 5,
        min_p: 0.1,
        metadata: { user_config: 1 },
        chat_template_kwargs: { enable_thinking: false }
      }
      const { headers, status, text } = yield* chat({ model: "s/m", ...free, ...unknown })
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(namesIn(headers), Object.keys(unknown))
      assert.deepStrictEqual(asked[0]!.body, { ...free, model: "m", max_tokens: 16, messages: say("Hi") })
    })
  )

  it.live("are removed where they name other models to answer instead, which have prices of their own", () =>
    Effect.gen(function* () {
      const { asked, chat, post } = yield* served([server, claude], { budgets })
      const fallbacks = [{ model: "claude-opus-4-7" }]
      const messages = yield* post("/v1/messages", { model: "a/c", fallbacks })
      assert.strictEqual(messages.status, 200, messages.text)
      assert.deepStrictEqual(namesIn(messages.headers), ["fallbacks"])
      const completion = yield* chat({
        model: "s/m",
        fallbacks: ["dearer"],
        context_window_fallbacks: [{ m: ["dearer"] }]
      })
      assert.deepStrictEqual(namesIn(completion.headers), ["fallbacks", "context_window_fallbacks"])
      for (const { body } of asked) assert.notProperty(body, "fallbacks")
      const strict = yield* post("/v1/messages", { model: "a/c", fallbacks }, { "x-gateway-strict": "1" })
      assert.deepInclude(strict.json.error, { param: "fallbacks" })
    })
  )

  it.live("are removed from messages, parts and tools as well, plain and streamed", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* served([server], { budgets })
      const part = { type: "text", text: "Hi" }
      const tool = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }
      for (const stream of [false, true]) {
        const { headers } = yield* chat({
          model: "s/m",
          stream,
          messages: [{ role: "user", content: [{ ...part, frames: 900 }], lookup: "all" }],
          tools: [{ ...tool, rounds: 90 }]
        })
        const names = ["messages[].content[].frames", "messages[].lookup", "tools[].rounds"]
        assert.deepStrictEqual(namesIn(headers), names)
        const { messages, tools } = asked.at(-1)!.body
        assert.deepStrictEqual([messages, tools], [[{ role: "user", content: [part] }], [tool]])
      }
    })
  )

  it.live("are refused where the caller is strict, before a provider is called", () =>
    Effect.gen(function* () {
      const { asked, chat, ledger } = yield* served([server], { budgets })
      const { json, status } = yield* chat({ model: "s/m", ...unknown }, { "x-gateway-strict": "1" })
      assert.strictEqual(status, 400)
      assert.deepInclude(json.error, { code: "unsupported_parameter", param: "user_config" })
      assert.lengthOf(asked, 0)
      assert.lengthOf(yield* ledger, 0)
    })
  )

  it.live("pass without a budget, at a price of nothing, and with a key that says so", () =>
    Effect.gen(function* () {
      const free = `{ id: f/m, provider: up, model: m, price: { input: 0, output: 0, audio_input: 0, audio_output: 0, image_input: 0, image_output: 0 }, ${window} }`
      for (const [settings, model] of [
        [{}, "s/m"],
        [{ budgets }, "f/m"],
        [{ budgets, unknownFields: "pass" }, "s/m"]
      ] as const) {
        const { asked, chat } = yield* served([server, free], settings)
        const { headers, status, text } = yield* chat({ model, ...unknown })
        assert.strictEqual(status, 200, text)
        assert.notProperty(headers, "x-gateway-dropped-params")
        assert.deepInclude(asked[0]!.body, unknown)
      }
    })
  )

  it.live("an administrator lets a key pass them, and takes that back", () =>
    Effect.gen(function* () {
      const { asked, chat, id, url } = yield* served([server], { budgets })
      const change = (unknown_fields: unknown) =>
        call(url, { method: "PATCH", path: `/admin/keys/${id}`, key: masterKey, body: { unknown_fields } })
      assert.strictEqual((yield* change("pass")).json.unknown_fields, "pass")
      yield* chat({ model: "s/m", ...unknown })
      assert.strictEqual((yield* change(null)).json.unknown_fields, "remove")
      yield* chat({ model: "s/m", ...unknown })
      assert.deepStrictEqual(
        asked.map(({ body }) => "user_config" in body),
        [true, false]
      )
      const wrong = yield* change("keep")
      assert.strictEqual(wrong.status, 400)
      assert.strictEqual(wrong.json.error.param, "unknown_fields")
    })
  )

  it.live("are removed from Messages: a new field, a thread that is kept elsewhere, an unknown speed", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* served([claude], { budgets })
      const paid = { deliberation: { rounds: 9 }, thread: { type: "continue" }, speed: "turbo" }
      const { headers, status, text } = yield* post("/v1/messages", {
        model: "a/c",
        ...paid,
        metadata: { user_id: "u" }
      })
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(namesIn(headers), Object.keys(paid))
      const { metadata, ...sent } = asked[0]!.body
      assert.deepStrictEqual(metadata, { user_id: "u" })
      for (const name of Object.keys(paid)) assert.notProperty(sent, name)
    })
  )
})

describe("who pays the provider", () => {
  const fields = { workspace_id: "wrkspc_1", billing_policy: { type: "billing_policy", bill_to: "user_profile" } }

  it.live("is decided by the operator: callers' fields are removed and named, with a budget and without", () =>
    Effect.gen(function* () {
      for (const settings of [{}, { budgets }]) {
        const { asked, post } = yield* served([claude, server], settings)
        for (const [path, model] of [
          ["/v1/messages", "a/c"],
          ["/v1/chat/completions", "s/m"]
        ] as const) {
          const { headers } = yield* post(path, { model, ...fields })
          assert.deepStrictEqual(namesIn(headers), Object.keys(fields))
          for (const name of Object.keys(fields)) assert.notProperty(asked.at(-1)!.body, name)
        }
        const strict = yield* post("/v1/messages", { model: "a/c", ...fields }, { "x-gateway-strict": "1" })
        assert.deepInclude(strict.json.error, { code: "unsupported_parameter", param: "workspace_id" })
      }
    })
  )

  it.live("may be decided by callers where the deployment allows it", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* served(
        [`{ id: a/c, provider: anthropic, model: claude-sonnet-4-5, caller_billing: allow }`],
        {}
      )
      const { headers } = yield* post("/v1/messages", { model: "a/c", ...fields })
      assert.notProperty(headers, "x-gateway-dropped-params")
      assert.deepInclude(asked[0]!.body, fields)
    })
  )
})
