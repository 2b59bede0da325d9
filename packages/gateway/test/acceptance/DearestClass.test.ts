/** A budget holds the dearest class of tokens that a request can come to, and no class that it can't. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const DOLLAR = 1_000_000_000

const claude = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  stop_reason: "end_turn",
  content: [{ type: "text", text: "one" }],
  usage: { input_tokens: 12, output_tokens: 4 }
}

const world = Effect.gen(function* () {
  const { baseUrl } = yield* upstream(({ path }) => ({
    body: path.endsWith("/messages") ? claude : completion("one")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  openai: { base_url: "${baseUrl}", api_key: sk-operators-own }
  anthropic: { base_url: "${baseUrl}", api_key: sk-ant-operators-own }
  up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
deployments:
  - anthropic/claude-sonnet-4-5
  - { provider: openai, model: gpt-4o-audio-preview, price: { input: 0, output: 10, audio_input: 0, audio_output: 80 } }
  - { provider: up, model: omni, price: { input: 0, output: 10, audio_output: 80 }, bounds: { reasoning_tokens: 0 } }
`
  })
  const { secret } = yield* gateway.createKey({ budgets: [{ limit: DOLLAR, window: "day", timeZone: "UTC" }] })
  /** What is held for it, in USD. */
  const held = Effect.fnUntraced(function* (body: object) {
    const { status } = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
    assert.strictEqual(status, 200)
    return (yield* gateway.ledger).at(-1)!.reserved / DOLLAR
  })
  return held
})

it.live("of Anthropic's input only what is marked can be written to a cache, as long as its mark says", () =>
  Effect.gen(function* () {
    const held = yield* world
    const text = "lorem ipsum ".repeat(800)
    const asked = (more: object) => ({
      model: "anthropic/claude-sonnet-4-5",
      max_tokens: 1,
      messages: [{ role: "user", content: [{ type: "text", text, ...more }] }]
    })
    // 9,600 bytes at 3, 3.75 and 6 USD a million.
    assert.closeTo(yield* held(asked({})), 0.0295, 0.0006)
    assert.closeTo(yield* held(asked({ cache_control: { type: "ephemeral" } })), 0.037, 0.0008)
    assert.closeTo(yield* held(asked({ cache_control: { type: "ephemeral", ttl: "1h" } })), 0.059, 0.0012)
    const inTools = { type: "function", function: { name: "f", cache_control: { type: "ephemeral", ttl: "1h" } } }
    assert.isAbove(yield* held({ ...asked({}), tools: [inTools] }), 0.059)
    assert.isAbove(yield* held({ ...asked({}), cache_control: { type: "ephemeral", ttl: "1h" } }), 0.058)
  })
)

it.live("OpenAI's models speak when they are asked to; of others nobody knows", () =>
  Effect.gen(function* () {
    const held = yield* world
    const asked = { max_tokens: 1000, messages: [{ role: "user", content: "Hi" }] }
    const spoken = { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } }
    assert.strictEqual(yield* held({ model: "openai/gpt-4o-audio-preview", ...asked }), 0.01)
    assert.strictEqual(yield* held({ model: "openai/gpt-4o-audio-preview", ...asked, ...spoken }), 0.08)
    assert.strictEqual(yield* held({ model: "up/omni", ...asked }), 0.08)
  })
)
