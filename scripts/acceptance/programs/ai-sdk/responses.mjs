/** The provider's default: Responses. */
import assert from "node:assert/strict"
import { generateText } from "ai"
import { check } from "../node/checks.mjs"
import { openai } from "./_providers.mjs"
import { tryModel } from "./_text.mjs"

tryModel("Responses", openai("demo/standard"))

check("Responses: a conversation that the gateway keeps", async () => {
  const model = openai("demo/standard")
  const first = await generateText({ model, prompt: "Say hello" })
  const { responseId } = first.finalStep?.providerMetadata?.openai ?? first.providerMetadata.openai
  assert.match(responseId, /^resp_/)
  const providerOptions = { openai: { previousResponseId: responseId } }
  const second = await generateText({ model, prompt: "And goodbye", providerOptions })
  assert.notEqual(second.text, "")
})

check("Responses: what was said is sent again by its ids", async () => {
  const model = openai("demo/standard")
  const asked = { role: "user", content: "Say hello" }
  const { responseMessages, response } = await generateText({ model, messages: [asked] })
  const messages = [asked, ...(responseMessages ?? response.messages), { role: "user", content: "And goodbye" }]
  const { text } = await generateText({ model, messages })
  assert.notEqual(text, "")
})
