/** What only a provider can read comes back to it, through every endpoint, whole and streamed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { completion, event, type Reply } from "../../support/Upstream.ts"
import { candidate, hi, moving, response } from "./Moving.ts"

const SIGNATURE = "U0lHTkFUVVJF"
const schema = { type: "object", properties: {} }
const ofMessages = [{ name: "now", input_schema: schema }]
const ofResponses = [{ type: "function", name: "now", parameters: schema, strict: false }]

const part = { functionCall: { name: "now", args: {} }, thoughtSignature: SIGNATURE }
const called = {
  id: "call_1",
  type: "function",
  function: { name: "now", arguments: "{}" },
  extra_content: { google: { thought_signature: SIGNATURE } }
}
const chosen = (fields: object) =>
  completion("", { choices: [{ index: 0, message: { role: "assistant", ...fields }, finish_reason: "tool_calls" }] })
const chunk = (delta: object, finish_reason: string | null = null) =>
  event({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }]
  })

const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: SIGNATURE }
const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "now", arguments: "{}", status: "completed" }
const detail = { type: "reasoning.text", text: "Look", signature: SIGNATURE, format: "anthropic-claude-v1", index: 0 }

const providers: ReadonlyArray<{
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly more?: string
  readonly whole: Reply
  readonly streamed: Reply
}> = [
  {
    name: "Gemini's signature of a call",
    provider: "vendor: google-ai-studio",
    model: "gemini-3.1-pro-preview",
    whole: { body: candidate(part) },
    streamed: { body: [event(candidate(part))] }
  },
  {
    name: "Gemini's signature of a text",
    provider: "vendor: google-ai-studio",
    model: "gemini-3.1-pro-preview",
    whole: { body: candidate({ text: "Hm", thoughtSignature: SIGNATURE }) },
    streamed: { body: [event(candidate({ text: "Hm", thoughtSignature: SIGNATURE }))] }
  },
  {
    name: "a signature on a chat server's call",
    provider: "protocol: openai-chat",
    model: "m",
    whole: { body: chosen({ content: null, tool_calls: [called] }) },
    streamed: {
      body: [
        chunk({ role: "assistant", tool_calls: [{ index: 0, ...called }] }),
        chunk({}, "tool_calls"),
        "data: [DONE]\n\n"
      ]
    }
  },
  {
    name: "OpenRouter's signed thoughts",
    provider: "vendor: openrouter",
    model: "anthropic/claude-sonnet-4.5",
    more: ", operations: [chat]",
    whole: { body: chosen({ content: "Hm", reasoning: "Look", reasoning_details: [detail] }) },
    streamed: {
      body: [
        chunk({ role: "assistant", reasoning: "Lo", reasoning_details: [{ ...detail, text: "Lo", signature: null }] }),
        chunk({ reasoning: "ok", reasoning_details: [{ ...detail, text: "ok" }] }),
        chunk({ content: "Hm" }),
        chunk({}, "stop"),
        "data: [DONE]\n\n"
      ]
    }
  },
  {
    name: "encrypted reasoning of Responses",
    provider: "vendor: openai",
    model: "gpt-5.4",
    more: ", operations: [responses]",
    whole: { body: response(reasoning, item) },
    streamed: {
      body: [
        { type: "response.created", response: { ...response(), status: "in_progress" } },
        { type: "response.output_item.added", output_index: 0, item: reasoning },
        { type: "response.output_item.done", output_index: 0, item: reasoning },
        { type: "response.output_item.added", output_index: 1, item: { ...item, arguments: "" } },
        { type: "response.output_item.done", output_index: 1, item },
        { type: "response.completed", response: response(reasoning, item) }
      ].map((one, sequence_number) => event({ ...one, sequence_number }))
    }
  }
]

// oxlint-disable-next-line typescript/no-explicit-any -- events of a stream
const eventsOf = (text: string): ReadonlyArray<any> =>
  text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []))

/** The content blocks of a streamed message. */
// oxlint-disable-next-line typescript/no-explicit-any -- events of a stream
const blocksOf = (events: ReadonlyArray<any>): ReadonlyArray<object> => {
  const blocks: Array<Record<string, unknown>> = []
  for (const one of events) {
    if (one.type === "content_block_start") blocks[one.index] = { ...one.content_block }
    const { signature, text, thinking } = one.type === "content_block_delta" ? one.delta : {}
    for (const [name, piece] of Object.entries({ signature, text, thinking })) {
      if (piece !== undefined) blocks[one.index]![name] = String(blocks[one.index]![name] ?? "") + String(piece)
    }
  }
  return blocks
}

describe("what only its provider can read", () => {
  for (const { model, more, name, provider, streamed, whole } of providers) {
    for (const stream of [false, true]) {
      const how = stream ? "streamed" : "whole"
      const script = (_: unknown, number: number): Reply => (number === 0 && stream ? streamed : whole)

      it.live(`${name} comes back through Messages, ${how}`, () =>
        Effect.gen(function* () {
          const { asked, messages } = yield* moving(provider, model, script, more)
          const told = yield* messages({ messages: [hi], tools: ofMessages, stream })
          assert.strictEqual(told.status, 200, told.text)
          const content = stream ? blocksOf(eventsOf(told.text)) : told.json.content
          const used = content.find(({ type }: { readonly type: string }) => type === "tool_use")
          const next =
            used === undefined
              ? { role: "user", content: "Go on" }
              : { role: "user", content: [{ type: "tool_result", tool_use_id: used.id, content: "12" }] }
          yield* messages({ messages: [hi, { role: "assistant", content }, next], tools: ofMessages })
          assert.include(JSON.stringify(asked[1]?.body), SIGNATURE)
          assert.notInclude(JSON.stringify(asked[1]?.body), "skip_thought_signature_validator")
        }).pipe(Effect.scoped)
      )

      it.live(`${name} comes back through Responses, ${how}`, () =>
        Effect.gen(function* () {
          const { asked, responses } = yield* moving(provider, model, script, more)
          const told = yield* responses({ input: [hi], tools: ofResponses, stream })
          assert.strictEqual(told.status, 200, told.text)
          const { output } = stream
            ? eventsOf(told.text).find(({ type }) => type === "response.completed").response
            : told.json
          const used = output.find(({ type }: { readonly type: string }) => type === "function_call")
          const next = used === undefined ? hi : { type: "function_call_output", call_id: used.call_id, output: "12" }
          yield* responses({ input: [hi, ...output, next], tools: ofResponses })
          assert.include(JSON.stringify(asked[1]?.body), SIGNATURE)
          assert.notInclude(JSON.stringify(asked[1]?.body), "gw1.")
        }).pipe(Effect.scoped)
      )
    }
  }
})

describe("thoughts that Responses encrypted", () => {
  for (const vendor of ["openai", "azure"]) {
    it.live(`are left out of chat at ${vendor}, and named`, () =>
      Effect.gen(function* () {
        const { asked, chat } = yield* moving(`vendor: ${vendor}`, "gpt-4.1", () => ({ body: completion("ok") }))
        const details = [{ type: "reasoning.encrypted", data: SIGNATURE, format: "openai-responses-v1" }]
        const turn = { role: "assistant", content: "Hm", reasoning_details: details }
        const { headers } = yield* chat({ messages: [hi, turn, hi] })
        assert.strictEqual(headers["x-gateway-dropped-params"], "messages[].reasoning_details")
        assert.notInclude(JSON.stringify(asked[0]?.body), SIGNATURE)
      }).pipe(Effect.scoped)
    )
  }
})

describe("what another provider sealed", () => {
  it.live("does not reach Anthropic", () =>
    Effect.gen(function* () {
      const { asked, messages } = yield* moving("vendor: anthropic", "claude-sonnet-4-6", () => ({
        body: { type: "message", role: "assistant", content: [], usage: { input_tokens: 1, output_tokens: 1 } }
      }))
      const block = { type: "redacted_thinking", data: "gw1.Z2VtaW5p.Y2FsbA.{}" }
      const text = { type: "text", text: "Hm" }
      yield* messages({ messages: [hi, { role: "assistant", content: [block, text] }, hi] })
      assert.deepStrictEqual(asked[0]?.body.messages[1].content, [text])
    }).pipe(Effect.scoped)
  )
})

describe("what a vendor's own tools found", () => {
  const ok = () => ({ body: completion("ok") })
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "it" } }
  const page = { type: "web_search_result", url: "https://it.example/page", title: "It" }
  const found = (content: object) => ({ type: "web_search_tool_result", tool_use_id: "s1", content: [content] })

  it.live("reaches another model as text, in its place", () =>
    Effect.gen(function* () {
      const { asked, messages } = yield* moving("protocol: openai-chat", "m", ok)
      const turn = { role: "assistant", content: [search, found(page), { type: "text", text: "Found." }] }
      const { headers } = yield* messages({ messages: [hi, turn, hi] })
      assert.strictEqual(
        asked[0]?.body.messages[1].content,
        '[web_search {"query":"it"}]\n[web_search_tool_result]\nIt\nhttps://it.example/page\nFound.'
      )
      assert.isUndefined(headers["x-gateway-dropped-params"])
    }).pipe(Effect.scoped)
  )

  it.live("is named where a part of it can't be read", () =>
    Effect.gen(function* () {
      const { asked, messages } = yield* moving("protocol: openai-chat", "m", ok)
      const cited = {
        type: "text",
        text: "Found.",
        citations: [{ type: "web_search_result_location", url: "https://a.example" }]
      }
      const turn = { role: "assistant", content: [search, found({ ...page, encrypted_content: "x" }), cited] }
      const { headers } = yield* messages({ messages: [hi, turn, hi] })
      assert.strictEqual(headers["x-gateway-dropped-params"], "messages[1].content[1],messages[1].content[2].citations")
      assert.notInclude(JSON.stringify(asked[0]?.body), "encrypted")
    }).pipe(Effect.scoped)
  )
})
