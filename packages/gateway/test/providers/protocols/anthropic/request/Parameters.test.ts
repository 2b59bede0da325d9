import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AnthropicChat } from "../../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { asking, assertDropped, callOf, lowered, refused, sent } from "../Support.ts"

describe("max_tokens", () => {
  it("is what the call has room for", () => {
    assert.strictEqual(sent(asking(), { maxOutput: 77 })["max_tokens"], 77)
  })

  it("is else the deployment's or the family's most", () => {
    assert.strictEqual(sent(asking(), { maxOutputTokens: 99 })["max_tokens"], 99)
    const most = (model: string) => sent(asking(), { model })["max_tokens"]
    assert.strictEqual(most("claude-opus-4-6"), 128_000)
    assert.strictEqual(most("claude-sonnet-5"), 128_000)
    assert.strictEqual(most("claude-sonnet-4-20250514"), 64_000)
    assert.strictEqual(most("us.anthropic.claude-haiku-4-5-20251001-v1:0"), 64_000)
    assert.strictEqual(most("claude-opus-4-1-20250805"), 32_000)
    assert.strictEqual(most("claude-opus-4-20250514"), 32_000)
    assert.strictEqual(most("claude-3-5-sonnet-20241022"), 8_192)
    assert.strictEqual(most("claude-3-haiku-20240307"), 4_096)
    assert.strictEqual(most("minimax-m2"), 4_096)
  })

  it("is never more than the model is known to have", () => {
    assert.strictEqual(sent(asking(), { maxOutput: 1_000_000, model: "claude-opus-4-1" })["max_tokens"], 32_000)
    assert.strictEqual(sent(asking(), { maxOutput: 1_000_000, maxOutputTokens: 50 })["max_tokens"], 50)
    assert.strictEqual(sent(asking(), { maxOutput: 1_000_000, model: "minimax-m2" })["max_tokens"], 1_000_000)
  })
})

describe("sampling", () => {
  it("passes temperature, top_p and top_k where the model takes them", () => {
    const body = sent(asking({ temperature: 0.5, top_p: 0.9, top_k: 5 }), { model: "claude-3-5-haiku-latest" })
    assert.deepStrictEqual([body["temperature"], body["top_p"], body["top_k"]], [0.5, 0.9, 5])
  })

  it("clamps the temperature to 1 and says so", () => {
    assert.strictEqual(sent(asking({ temperature: 1.7 }))["temperature"], 1)
    assertDropped(asking({ temperature: 1.7 }), "temperature")
  })

  it("prefers the temperature where the model takes one of two", () => {
    assert.strictEqual(sent(asking({ top_p: 0.9 }))["top_p"], 0.9)
    assertDropped(asking({ temperature: 0.5, top_p: 0.9 }), "top_p")
    assert.deepStrictEqual(lowered(asking({ temperature: 0.5, top_p: 1 })).dropped, [])
  })

  it("drops all of it on models that have no such knobs", () => {
    for (const model of ["claude-opus-4-7", "claude-sonnet-5", "claude-opus-5", "claude-next-9"]) {
      const { dropped, sent: body } = lowered(asking({ temperature: 0.5, top_p: 0.9, top_k: 5 }), { model })
      assert.deepStrictEqual(dropped, ["temperature", "top_p", "top_k"])
      assert.isUndefined(body["temperature"] ?? body["top_p"] ?? body["top_k"])
    }
  })

  it("drops what thinking does not go with", () => {
    const { dropped, sent: body } = lowered(asking({ reasoning_effort: "low", temperature: 0.5, top_p: 0.9, top_k: 5 }))
    assert.deepStrictEqual(dropped, ["temperature", "top_p", "top_k"])
    assert.isDefined(body["thinking"])
    const kept = sent(asking({ reasoning_effort: "low", temperature: 1 }))
    assert.strictEqual(kept["temperature"], 1)
    assert.strictEqual(sent(asking({ reasoning_effort: "low", top_p: 0.97 }))["top_p"], 0.97)
  })

  it("refuses what is no number", () => {
    assert.strictEqual(refused(asking({ temperature: "hot" })).param, "temperature")
  })
})

describe("stop", () => {
  it("is a list of sequences", () => {
    assert.deepStrictEqual(sent(asking({ stop: "END" }))["stop_sequences"], ["END"])
    assert.deepStrictEqual(sent(asking({ stop: ["a", "b"] }))["stop_sequences"], ["a", "b"])
    assert.isUndefined(sent(asking({ stop: null }))["stop_sequences"])
  })

  it("reports sequences of white space", () => {
    assertDropped(asking({ stop: ["\n\n", "END"] }), "stop")
    assert.deepStrictEqual(sent(asking({ stop: ["\n\n", "END"] }))["stop_sequences"], ["END"])
  })
})

describe("the other parameters", () => {
  it("maps the user to metadata", () => {
    assert.deepStrictEqual(sent(asking({ user: "u1" }))["metadata"], { user_id: "u1" })
    assert.deepStrictEqual(sent(asking({ user: "", safety_identifier: "s1" }))["metadata"], { user_id: "s1" })
    assertDropped(asking({ user: "x".repeat(257) }), "user")
  })

  it("maps the service tiers that exist on both sides", () => {
    assert.strictEqual(sent(asking({ service_tier: "auto" }))["service_tier"], "auto")
    assert.strictEqual(sent(asking({ service_tier: "default" }))["service_tier"], "standard_only")
    assertDropped(asking({ service_tier: "flex" }), "service_tier")
  })

  it("passes a cache mark on the whole request", () => {
    assert.deepStrictEqual(sent(asking({ cache_control: { type: "ephemeral" } }))["cache_control"], {
      type: "ephemeral"
    })
  })

  it("reports every parameter without a counterpart", () => {
    const without = {
      seed: 0,
      logit_bias: { 50256: -100 },
      frequency_penalty: 0.5,
      presence_penalty: 0.5,
      logprobs: true,
      top_logprobs: 3,
      prediction: { type: "content", content: "x" },
      store: true,
      metadata: { a: "b" },
      verbosity: "low",
      web_search_options: { search_context_size: "low" },
      prompt_cache_key: "k",
      something_new: 1
    }
    assert.deepStrictEqual(lowered(asking(without)).dropped, Object.keys(without))
    for (const [name, value] of Object.entries(without)) assertDropped(asking({ [name]: value }), name)
  })

  it("has nothing to report about values that ask for nothing", () => {
    const neutral = {
      n: 1,
      logit_bias: {},
      frequency_penalty: 0,
      presence_penalty: null,
      logprobs: false,
      store: false,
      modalities: ["text"],
      functions: [],
      prompt_cache_key: "",
      stream_options: { include_usage: true },
      temperature: null,
      top_p: "",
      max_tokens: 5,
      max_completion_tokens: 5
    }
    assert.deepStrictEqual(lowered(asking(neutral), { strict: true }).dropped, [])
  })

  it("refuses what would change the meaning of the request", () => {
    assert.strictEqual(refused(asking({ n: 2 })).param, "n")
    assert.strictEqual(
      refused(asking({ modalities: ["text", "audio"], audio: { voice: "a", format: "wav" } })).param,
      "modalities"
    )
    assert.strictEqual(refused(asking({ functions: [{ name: "f" }] })).param, "functions")
  })
})

describe("the request", () => {
  it("names the API version and the deployment's model", () => {
    const wire = Result.getOrThrow(AnthropicChat.lower(callOf(asking({ model: "alias" }))))
    assert.strictEqual(wire.headers["anthropic-version"], "2023-06-01")
    assert.strictEqual((JSON.parse(wire.body) as { model: string }).model, "claude-sonnet-4-5")
  })

  it("streams when asked to", () => {
    assert.isTrue(sent(asking({ stream: true }))["stream"])
    assert.isUndefined(sent(asking())["stream"])
  })

  it("treats a name like __proto__ as data", () => {
    const input = JSON.parse('{"__proto__":{"x":1}}') as object
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'
    ) as object
    const body = {
      messages: [
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: JSON.stringify(input) } }]
        },
        { role: "tool", tool_call_id: "c", content: "1" }
      ],
      tools: [{ type: "function", function: { name: "f", strict: true, parameters: schema } }]
    }
    const wire = Result.getOrThrow(AnthropicChat.lower(callOf(body)))
    assert.include(wire.body, '"input":{"__proto__":{"x":1}}')
    assert.include(wire.body, '"properties":{"__proto__":{"type":"string"}}')
  })
})
