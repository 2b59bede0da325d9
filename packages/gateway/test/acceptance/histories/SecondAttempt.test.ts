/** Conversations whose thoughts only one account can verify, and vendors that refuse what they can't verify. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Asked, completion, event, type Reply, upstream } from "../../support/Upstream.ts"
import { candidate, hi, message, moving, response } from "./Moving.ts"

const UNVERIFIABLE = "history.unverifiable"

/** OpenAI's refusal: https://github.com/envoyproxy/ai-gateway/issues/2451 (2026-11-27). */
const foreign: Reply = {
  status: 400,
  body: {
    error: {
      message:
        "The encrypted content gAAA could not be verified. Reason: Encrypted content organization_id did not match.",
      type: "invalid_request_error",
      param: null,
      code: "invalid_encrypted_content"
    }
  }
}
const text = (said: string) => ({
  id: "m",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: said, annotations: [] }]
})

/** A provider with keys of two organisations that read their own encrypted reasoning alone. `down`: the key that has no quota now. */
const organisations = Effect.fnUntraced(function* () {
  const state = { down: "" }
  const up = yield* upstream(({ body, headers }) => {
    const org = String(headers["authorization"]).slice("Bearer ".length)
    if (org === state.down)
      return { status: 429, headers: { "retry-after": "60" }, body: { error: { message: "slow" } } }
    const given = body.input.find?.((item: { type?: string }) => item.type === "reasoning")?.encrypted_content
    if (given !== undefined && given !== `by ${org}`) return foreign
    const thought = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: `by ${org}` }
    const whole = response(thought, text("ok"))
    if (body.stream !== true) return { body: whole }
    const done = (item: object, output_index: number) =>
      event({ type: "response.output_item.done", output_index, item })
    return {
      body: [
        event({ type: "response.created", response: { ...whole, output: [] } }),
        done(thought, 0),
        done(text("ok"), 1),
        event({ type: "response.completed", response: whole })
      ]
    }
  })
  const gateway = yield* startGateway({
    yaml: `
providers: { it: { vendor: openai, base_url: "${up.baseUrl}", api_key: [org-a, org-b] } }
deployments: [{ provider: it, model: gpt-5, operations: [responses], price: { input: 1, output: 2 } }]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey()
  const post = (path: string, fields: object, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, { path, key: secret, headers, body: { model: "it/gpt-5", ...fields } })
  return { asked: up.asked, post, state }
})

const orgOf = ({ headers }: Asked) => String(headers["authorization"]).slice(-1)
const sealedIn = ({ body }: Asked) => [body.input].flat().filter((item: { type?: string }) => item.type === "reasoning")

describe("a provider with keys of two organisations", () => {
  it.live("continues a stored response with the key that made it, and reads its reasoning", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* organisations()
      let previous: string | undefined
      for (let turn = 0; turn < 4; turn++) {
        const { json, status } = yield* post("/v1/responses", {
          input: "Go on",
          ...(previous === undefined ? {} : { previous_response_id: previous })
        })
        assert.strictEqual(status, 200)
        previous = json.id
      }
      assert.lengthOf(new Set(asked.map(orgOf)), 1)
      assert.deepStrictEqual(
        asked.map((one) => sealedIn(one).length),
        [0, 1, 2, 3]
      )
    }).pipe(Effect.scoped)
  )

  it.live("continues each of several conversations with its own key, also streamed, and shares new ones", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* organisations()
      for (const stream of [false, true]) {
        const before = asked.length
        const turns = ["a", "b", "c", "d"].map(
          (name) => [{ role: "user", content: `${name} ${stream}` }] as Array<object>
        )
        for (let round = 0; round < 3; round++) {
          for (const input of turns) {
            const { json, status, text } = yield* post("/v1/responses", { input, stream })
            assert.strictEqual(status, 200)
            const last = stream ? JSON.parse(text.split("data: ").at(-1)!.trim()).response : json
            input.push(...last.output, { role: "user", content: "on" })
          }
        }
        const orgs = asked.slice(before).map(orgOf)
        assert.lengthOf(orgs, 12)
        assert.lengthOf(new Set(orgs.slice(0, 4)), 2)
        assert.deepStrictEqual(orgs.slice(4), orgs.slice(0, 8))
      }
    }).pipe(Effect.scoped)
  )

  it.live("finds the key of a conversation that it has not seen by the seals in it", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* organisations()
      const first = yield* post("/v1/responses", { input: [hi] })
      for (let turn = 0; turn < 3; turn++) {
        const start = { role: "user", content: `another ${turn}` }
        const { status } = yield* post("/v1/responses", { input: [start, ...first.json.output, hi] })
        assert.strictEqual(status, 200)
      }
      assert.lengthOf(asked, 4)
      assert.lengthOf(new Set(asked.map(orgOf)), 1)
    }).pipe(Effect.scoped)
  )

  for (const path of ["/v1/chat/completions", "/v1/messages"] as const) {
    it.live(`continues a conversation of ${path} with its own key`, () =>
      Effect.gen(function* () {
        const { asked, post } = yield* organisations()
        const messages: Array<object> = [hi]
        for (let round = 0; round < 4; round++) {
          const { json, status } = yield* post(path, { messages, max_tokens: 100 })
          assert.strictEqual(status, 200)
          const said = json.choices?.[0].message ?? { role: "assistant", content: json.content }
          messages.push(said, { role: "user", content: `on ${round}` })
        }
        assert.lengthOf(asked, 4)
        assert.lengthOf(new Set(asked.map(orgOf)), 1)
        assert.lengthOf(sealedIn(asked[3]!), 3)
      }).pipe(Effect.scoped)
    )
  }

  for (const stream of [false, true]) {
    it.live(`goes on without the reasoning where its key has no quota, ${stream ? "streamed" : "complete"}`, () =>
      Effect.gen(function* () {
        const { asked, post, state } = yield* organisations()
        const first = yield* post("/v1/responses", { input: [hi] })
        const input = [hi, ...first.json.output, { role: "user", content: "On" }]
        state.down = `org-${orgOf(asked[0]!)}`
        const next = yield* post("/v1/responses", { input, stream })
        assert.strictEqual(next.status, 200)
        assert.strictEqual(next.headers["x-gateway-dropped-params"], UNVERIFIABLE)
        assert.deepStrictEqual(
          asked.slice(1).map((one) => [orgOf(one) === orgOf(asked[0]!), sealedIn(one).length]),
          [
            [true, 1],
            [false, 1],
            [false, 0]
          ]
        )
        const strict = yield* post("/v1/responses", { input, stream }, { "x-gateway-strict": "1" })
        assert.strictEqual(strict.status, 400)
        assert.include(strict.text, "could not be verified")
      }).pipe(Effect.scoped)
    )
  }
})

const schema = { type: "object", properties: {} }
const tools = [{ name: "ls", input_schema: schema }]
const thought = { type: "thinking", thinking: "I need ls.", signature: "c2lnbmVk" }
const used = { type: "tool_use", id: "toolu_1", name: "ls", input: {} }
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "a.txt" }
const loop = [hi, { role: "assistant", content: [thought, used] }, { role: "user", content: [result] }]
const invalid = (words: string): Reply => ({
  status: 400,
  body: { type: "error", error: { type: "invalid_request_error", message: words } }
})

describe("thoughts that Claude can't verify", () => {
  const claude = (words: string) =>
    moving("vendor: anthropic", "claude-sonnet-4-5", ({ body }) => {
      const turn = body.messages[1].content
      const hasThoughts = turn[0].type === "thinking"
      if (hasThoughts) return invalid(words)
      return body.thinking?.type === "enabled"
        ? invalid("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.")
        : { body: message() }
    })
  for (const words of [
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "messages.1.content.0: `thinking` block is bound to a different conversation",
    "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."
  ]) {
    it.live(`are left out at the second attempt after "${words.slice(22)}"`, () =>
      Effect.gen(function* () {
        const { asked, messages } = yield* claude(words)
        const thinking = { type: "enabled", budget_tokens: 1024 }
        const { headers, status } = yield* messages({ messages: loop, tools, thinking })
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["x-gateway-dropped-params"], UNVERIFIABLE)
        assert.lengthOf(asked, 2)
        assert.deepStrictEqual(asked[1]!.body.messages, [hi, { role: "assistant", content: [used] }, loop[2]])
        assert.isUndefined(asked[1]!.body.thinking)
      }).pipe(Effect.scoped)
    )
  }

  it.live("stay left out, with the budget, where a history of another model has none at all", () =>
    Effect.gen(function* () {
      const { asked, messages } = yield* claude("")
      const foreignLoop = [hi, { role: "assistant", content: [used] }, loop[2]]
      const { status } = yield* messages({
        messages: foreignLoop,
        tools,
        thinking: { type: "enabled", budget_tokens: 1024 }
      })
      assert.deepStrictEqual([status, asked.length], [200, 2])
    }).pipe(Effect.scoped)
  )

  it.live("are left out of `thinking_blocks` of a chat", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* claude("messages.1.content.0: Invalid `signature` in `thinking` block")
      const calls = [{ id: "toolu_1", type: "function", function: { name: "ls", arguments: "{}" } }]
      const { status } = yield* chat({
        max_tokens: 4000,
        reasoning_effort: "high",
        tools: [{ type: "function", function: { name: "ls", parameters: schema } }],
        messages: [
          hi,
          { role: "assistant", content: null, thinking_blocks: [thought], tool_calls: calls },
          { role: "tool", tool_call_id: "toolu_1", content: "a.txt" }
        ]
      })
      assert.deepStrictEqual([status, asked.length], [200, 2])
      assert.isUndefined(asked[1]!.body.thinking)
    }).pipe(Effect.scoped)
  )

  it.live("are tried twice at most, and other refusals once", () =>
    Effect.gen(function* () {
      const always = yield* moving("vendor: anthropic", "claude-sonnet-4-5", () =>
        invalid("Invalid `signature` in `thinking` block")
      )
      assert.strictEqual((yield* always.messages({ messages: loop, tools })).status, 400)
      assert.lengthOf(always.asked, 2)
      const other = yield* moving("vendor: anthropic", "claude-sonnet-4-5", () => invalid("temperature: out of range"))
      assert.strictEqual((yield* other.messages({ messages: loop, tools })).status, 400)
      assert.lengthOf(other.asked, 1)
    }).pipe(Effect.scoped)
  )
})

it.live("a signature that Gemini does not take is left out at the second attempt", () =>
  Effect.gen(function* () {
    const { asked, chat } = yield* moving("vendor: google-ai-studio", "gemini-3.1-pro-preview", ({ body }) =>
      JSON.stringify(body).includes("Rk9SRUlHTg")
        ? {
            status: 400,
            body: { error: { code: 400, message: "Thought signature is not valid", status: "INVALID_ARGUMENT" } }
          }
        : { body: candidate({ text: "ok" }) }
    )
    const extra_content = { google: { thought_signature: "Rk9SRUlHTg==" } }
    const calls = [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" }, extra_content }]
    const { status } = yield* chat({
      messages: [
        hi,
        { role: "assistant", content: null, tool_calls: calls },
        { role: "tool", tool_call_id: "c1", content: "a" }
      ]
    })
    assert.deepStrictEqual([status, asked.length], [200, 2])
  }).pipe(Effect.scoped)
)

it.live("a chat server that misses thoughts of a history which has none is not asked twice", () =>
  Effect.gen(function* () {
    const { asked, chat } = yield* moving("protocol: openai-chat", "m", ({ body }) =>
      body.messages.length > 1
        ? { status: 400, body: { error: { message: "reasoning_content is missing in assistant message" } } }
        : { body: completion("ok") }
    )
    assert.strictEqual((yield* chat({ messages: [hi, { role: "assistant", content: "a" }, hi] })).status, 400)
    assert.lengthOf(asked, 1)
  }).pipe(Effect.scoped)
)
