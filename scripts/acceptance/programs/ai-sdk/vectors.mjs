/** Embeddings and legacy completions. */
import assert from "node:assert/strict"
import { cosineSimilarity, embedMany, generateText } from "ai"
import { check } from "../node/checks.mjs"
import { openai } from "./_providers.mjs"

check("embedMany", async () => {
  const model = openai.embedding("demo/embed")
  const values = ["a raven on a desk", "a raven on a writing desk", "entirely different words"]
  const { embeddings, usage } = await embedMany({ model, values })
  const [one, near, far] = embeddings
  assert.ok(cosineSimilarity(one, near) > cosineSimilarity(one, far))
  assert.ok(usage.tokens > 0)
})

check("a completion", async () => {
  const { text } = await generateText({ model: openai.completion("demo/mini"), prompt: "Say hello" })
  assert.notEqual(text, "")
})
