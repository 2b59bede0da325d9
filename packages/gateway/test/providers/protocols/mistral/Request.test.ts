import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { Deployment } from "../../../../src/core/domain/Deployment.ts"
import { MistralProtocol } from "../../../../src/providers/protocols/mistral/MistralProtocol.ts"
import { without } from "../../../../src/providers/vendors/Families.ts"
import { callOf } from "../openai/Support.ts"

const chat = MistralProtocol.speaks.get("chat")!
const mistral = { vendor: "mistral", protocol: "mistral-chat", model: "mistral-small-2603" }

const lowered = (body: JsonObject, changes: Partial<Deployment> = {}, strict = false) => {
  const call = callOf({ messages: [{ role: "user", content: "Hi" }], ...body }, { ...mistral, ...changes })
  return chat.lower({ ...call, strict })
}
const sent = (body: JsonObject, changes: Partial<Deployment> = {}): JsonObject =>
  JSON.parse(Result.getOrThrow(lowered(body, changes)).body) as JsonObject
const dropped = (body: JsonObject) => Result.getOrThrow(lowered(body)).dropped
const refusal = (body: JsonObject, strict = false) => {
  const result = lowered(body, {}, strict)
  return Result.isFailure(result) ? result.failure.param : undefined
}
const messages = (...given: ReadonlyArray<JsonObject>) => sent({ messages: given })["messages"] as Array<JsonObject>

const f = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }
const g = { type: "function", function: { name: "g", description: "G", strict: true, parameters: { type: "object" } } }
const calls = (...ids: ReadonlyArray<string>) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "f", arguments: "" } }))
})
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: id })

describe("a chat request at Mistral", () => {
  it("says `any` for required, and names a function by leaving out the others", () => {
    const choice = (tool_choice: unknown) => sent({ tools: [f, g], tool_choice })
    assert.strictEqual(choice("required")["tool_choice"], "any")
    assert.strictEqual(choice("auto")["tool_choice"], "auto")
    assert.strictEqual(choice("none")["tool_choice"], "none")
    const named = choice({ type: "function", function: { name: "g" } })
    assert.strictEqual(named["tool_choice"], "any")
    assert.deepStrictEqual(named["tools"], [g])
    const allowed = { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [f] } }
    assert.deepStrictEqual(choice(allowed), { ...sent({ tools: [f] }), tool_choice: "auto" })
    assert.strictEqual(
      refusal({ tools: [f], tool_choice: { type: "function", function: { name: "no" } } }),
      "tool_choice"
    )
    // 422 at Mistral.
    assert.notProperty(sent({ tools: [], tool_choice: "auto" }), "tools")
    assert.strictEqual(refusal({ tools: [{ type: "web_search" }] }), "tools[0]")
  })

  it("has the seed under Mistral's name, and one output limit", () => {
    const body = sent({ seed: 0, max_completion_tokens: 7, max_tokens: 9, temperature: 0, stop: ["x"] })
    assert.deepInclude(body, { random_seed: 0, max_tokens: 7, temperature: 0, stop: ["x"] })
    assert.notProperty(body, "seed")
    assert.notProperty(body, "max_completion_tokens")
  })

  it("holds no field that Mistral does not know, and names those it drops, or refuses them under strictness", () => {
    const unknown = { user: "me", logit_bias: { 1: 2 }, logprobs: true, store: true, safety_identifier: "s" }
    const body = sent({ ...unknown, stream: true, stream_options: { include_usage: true }, verbosity: "" })
    assert.deepStrictEqual(Object.keys(body).toSorted(), ["messages", "model", "stream"])
    assert.sameMembers([...dropped(unknown)], Object.keys(unknown))
    assert.strictEqual(refusal(unknown, true), "user")
    // They ask for nothing.
    assert.deepStrictEqual(dropped({ logprobs: false, logit_bias: {}, verbosity: null }), [])
    assert.strictEqual(refusal({ functions: [{ name: "f" }] }), "functions")
    assert.strictEqual(refusal({ modalities: ["text", "audio"] }), "modalities")
  })

  it("asks for an effort that the model has", () => {
    const effort = (asked: string, model: string) => sent({ reasoning_effort: asked }, { model })["reasoning_effort"]
    assert.strictEqual(effort("low", "magistral-medium-latest"), "high")
    assert.strictEqual(effort("none", "magistral-medium-latest"), "high")
    assert.strictEqual(effort("minimal", "mistral-large-4"), "high")
    assert.strictEqual(effort("none", "mistral-large-4"), "none")
    assert.strictEqual(effort("xhigh", "mistral-large-4"), "high")
    assert.strictEqual(effort("medium", "a-newer-one"), "medium")
    assert.deepStrictEqual(dropped({ reasoning_effort: "low" }), ["reasoning_effort"])
    const plain = { supports: without("reasoning") }
    assert.notProperty(sent({ reasoning_effort: "high" }, plain), "reasoning_effort")
  })

  it("trap 16: ids of calls from elsewhere become nine letters and digits, each its own, and results find their calls", () => {
    // The first nine letters of all of these are the same.
    const foreign = ["tooluse_9Cn2Jt", "tooluse_9Cn2Ju", "call_0", "toolu_01A", ""]
    const history = [{ role: "user", content: "Go" }, calls(...foreign), ...foreign.map(result), calls("call_0")]
    const lowered = messages(...history, result("call_0"))
    const named = lowered.flatMap(({ tool_calls: made }) => (made as ReadonlyArray<{ id: string }> | undefined) ?? [])
    const ids = named.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, 6)
    assert.isTrue(ids.every((id) => /^[a-zA-Z0-9]{9}$/.test(id)))
    const answered = lowered.filter(({ role }) => role === "tool").map(({ tool_call_id: id }) => id)
    assert.deepStrictEqual(answered, ids)
    // Mistral's own stay as they are, so that prompt caches stay valid, and so does everything in the next turn.
    assert.deepInclude(messages({ role: "user", content: "Go" }, calls("aB3dE6gH9"), result("aB3dE6gH9"))[2]!, {
      tool_call_id: "aB3dE6gH9"
    })
    const next = messages(
      ...history,
      result("call_0"),
      { role: "assistant", content: "So." },
      { role: "user", content: "And?" }
    )
    assert.deepStrictEqual(next.slice(0, lowered.length), lowered)
  })

  it("gives calls a type and whole arguments, and no field of another API", () => {
    const call = { ...calls("aB3dE6gH9").tool_calls[0]!, index: 3, extra: 1 }
    const [, assistant] = messages(
      { role: "user", content: "Go" },
      { ...calls(), tool_calls: [call], refusal: null, audio: null }
    )
    assert.deepStrictEqual(assistant, {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "aB3dE6gH9", type: "function", function: { name: "f", arguments: "{}" } }]
    })
  })

  it("goes on from a last message of the assistant", () => {
    const prefilled = messages({ role: "user", content: "Hi" }, { role: "assistant", content: "Well," })
    assert.deepStrictEqual(prefilled[1], { role: "assistant", content: "Well,", prefix: true })
    assert.notProperty(messages({ role: "user", content: "Hi" }, calls("aB3dE6gH9")).at(-1), "prefix")
  })

  it("keeps to Mistral's order: the assistant after results, instructions behind the user's words", () => {
    const system = {
      role: "developer",
      content: [
        { type: "text", text: "Be " },
        { type: "text", text: "brief." }
      ]
    }
    const roles = messages(
      { role: "user", content: "Go" },
      calls("aB3dE6gH9"),
      result("aB3dE6gH9"),
      { role: "user", content: "And?" },
      { role: "assistant", content: "Yes." },
      system,
      { role: "user", content: "More" }
    )
    assert.deepStrictEqual(
      roles.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user", "assistant", "user", "user"]
    )
    assert.strictEqual(roles[6]?.["content"], "<system-reminder>\nBe brief.\n</system-reminder>")
    // What says nothing would be refused.
    assert.lengthOf(
      messages({ role: "user", content: "Hi" }, { role: "assistant", content: "" }, { role: "user", content: "?" }),
      2
    )
  })

  it("sends back thoughts as the parts they came as, to models that think", () => {
    const history = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Four", reasoning_content: "2+2" },
      { role: "user", content: "So?" }
    ]
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "2+2" }], closed: true },
      { type: "text", text: "Four" }
    ]
    assert.deepStrictEqual(messages(...history)[1], { role: "assistant", content: parts })
    const own = [history[0]!, { role: "assistant", content: parts }, history[2]!]
    assert.deepStrictEqual(messages(...own)[1], { role: "assistant", content: parts })
    const [, plain] = sent({ messages: own }, { supports: without("reasoning") })["messages"] as Array<JsonObject>
    assert.deepStrictEqual(plain, { role: "assistant", content: "Four" })
  })

  it("sends images, documents and recordings, and refuses files that another provider keeps", () => {
    const user = (...content: ReadonlyArray<JsonObject>) => ({ messages: [{ role: "user", content }] })
    const image = { type: "image_url", image_url: { url: "https://x/y.png", detail: "low" } }
    assert.deepStrictEqual(sent(user(image)), sent(user(image)))
    const [first] = sent(user(image, { type: "file", file: { file_data: "JVBERi0x", filename: "a.pdf" } }))[
      "messages"
    ] as Array<JsonObject>
    assert.deepStrictEqual(first!["content"], [
      image,
      { type: "document_url", document_url: "data:application/pdf;base64,JVBERi0x", document_name: "a.pdf" }
    ])
    assert.strictEqual(refusal(user({ type: "file", file: { file_id: "file-1" } })), "messages[0].content[0].file")
    const document = "data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,YQ=="
    const [other] = sent(
      user(
        { type: "file", file: { file_data: document } },
        { type: "input_audio", input_audio: { data: "YQ==", format: "mp3" } }
      )
    )["messages"] as Array<JsonObject>
    assert.deepStrictEqual(other!["content"], [
      { type: "document_url", document_url: document },
      { type: "input_audio", input_audio: "YQ==" }
    ])
    assert.strictEqual(
      refusal(user({ type: "input_audio", input_audio: { data: "", format: "mp3" } })),
      "messages[0].content[0].input_audio"
    )
    assert.deepStrictEqual(dropped({ messages: [{ role: "user", name: "ann", content: "Hi" }] }), ["messages.name"])
  })
})

describe("embeddings at Mistral", () => {
  it("have the dimensions under Mistral's name, and no field that it refuses", () => {
    const call = callOf(
      { model: "mistral/e", input: ["a"], dimensions: 64, encoding_format: "base64", user: "me" },
      mistral
    )
    const wire = Result.getOrThrow(MistralProtocol.speaks.get("embeddings")!.lower(call))
    assert.deepStrictEqual(JSON.parse(wire.body), { model: mistral.model, input: ["a"], output_dimension: 64 })
    assert.deepStrictEqual(wire.dropped, ["user"])
    const other = callOf({ input: "a", output_dtype: "int8" }, mistral)
    assert.isTrue(Result.isFailure(MistralProtocol.speaks.get("embeddings")!.lower(other)))
  })
})

describe("Mistral's errors", () => {
  const failed = (status: number, body: unknown) =>
    MistralProtocol.failure({ status, headers: {}, text: typeof body === "string" ? body : JSON.stringify(body) })

  it("name the refused field, however the list of them is wrapped", () => {
    const detail = [
      { type: "extra_forbidden", loc: ["body", "metadata"], msg: "Extra inputs are not permitted", input: {} }
    ]
    for (const body of [
      { object: "error", message: { detail }, type: "invalid_request_error" },
      { detail },
      { object: "Error", detail, message: detail, code: 3001 }
    ]) {
      const failure = failed(422, body)
      assert.strictEqual(failure.class, "bad_request")
      assert.strictEqual(failure.message, "metadata: Extra inputs are not permitted")
    }
  })

  it("mean what they say", () => {
    assert.strictEqual(failed(401, { detail: "Unauthorized" }).class, "auth")
    assert.strictEqual(
      failed(400, { object: "error", message: "Invalid model: x", type: "invalid_model", code: "1500" }).class,
      "model_not_found"
    )
    const full =
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"
    assert.strictEqual(
      failed(400, { object: "error", message: full, type: "invalid_request_prompt", code: "3051" }).class,
      "context_length"
    )
    const busy = {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      code: "3505"
    }
    assert.strictEqual(failed(429, busy).class, "rate_limited")
    assert.strictEqual(failed(500, "<html>").class, "unavailable")
  })
})
