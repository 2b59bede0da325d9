/** What only a provider can read, at another provider. That it comes back to its own: `Returned.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { completion } from "../../support/Upstream.ts"
import { hi, moving } from "./Moving.ts"

const SIGNATURE = "U0lHTkFUVVJF"
describe("what other vendors' responses hold for the next turn", () => {
  for (const vendor of ["openai", "azure", "groq", "cerebras"]) {
    it.live(`is left out at ${vendor}, which refuses unknown fields, and named`, () =>
      Effect.gen(function* () {
        const { asked, chat } = yield* moving(`vendor: ${vendor}`, "gpt-4.1", () => ({ body: completion("ok") }))
        const extra_content = { google: { thought_signature: SIGNATURE } }
        const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" }, extra_content }
        const turn = {
          role: "assistant",
          content: "Hm",
          reasoning_details: [{ type: "reasoning.encrypted", data: SIGNATURE, format: "openai-responses-v1" }],
          thinking_blocks: [{ type: "thinking", thinking: "Look", signature: SIGNATURE }],
          extra_content,
          tool_calls: [call]
        }
        const { headers } = yield* chat({ messages: [hi, turn, { role: "tool", tool_call_id: "c1", content: "12" }] })
        assert.strictEqual(
          headers["x-gateway-dropped-params"],
          "messages[].reasoning_details,messages[].thinking_blocks,messages[].extra_content,messages[].tool_calls[].extra_content"
        )
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
