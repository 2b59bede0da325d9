/** Streams that break off after some words must not look like answers. */
import assert from "node:assert/strict"
import { streamText } from "ai"
import { check } from "../node/checks.mjs"
import { anthropic, openai } from "./_providers.mjs"

const name = "demo/cut-6"

for (const [api, model] of [
  ["Responses", openai(name)],
  ["chat", openai.chat(name)],
  ["Messages", anthropic(name)]
]) {
  check(`${api}: a stream that breaks off has an error`, async () => {
    const result = streamText({ model, prompt: "Say hello", maxRetries: 0, onError: () => {} })
    const parts = []
    try {
      for await (const part of result.fullStream) parts.push(part)
    } catch {
      // Behind the error the body has no end, which the stream throws.
    }
    const kinds = parts.map(({ type }) => type)
    assert.ok(kinds.includes("text-delta"))
    assert.match(JSON.stringify(parts.find(({ type }) => type === "error")), /broke off/, kinds.join(" "))
    const finish = parts.find(({ type }) => type === "finish")
    assert.ok(finish === undefined || finish.finishReason === "error", finish?.finishReason)
  })
}
