/** Streams that break off after some words must not look like answers. */
import assert from "node:assert/strict"
import OpenAI from "openai"
import { check, failsWith } from "../node/checks.mjs"
import { connect, messages } from "./_client.mjs"

const model = "demo/cut-6"

check("chat: a stream that breaks off throws", async () => {
  let text = ""
  const error = await failsWith(OpenAI.APIError, async () => {
    for await (const { choices } of await connect().chat.completions.create({ model, messages, stream: true })) {
      text += choices[0]?.delta.content ?? ""
    }
  })
  assert.notEqual(text, "")
  assert.equal(error.code, "upstream_unavailable")
})

check("chat: the stream helper throws", async () => {
  const stream = connect().chat.completions.stream({ model, messages })
  await failsWith(OpenAI.APIError, () => stream.finalContent())
})

check("Responses: a stream that breaks off throws", async () => {
  let text = ""
  await failsWith(OpenAI.APIError, async () => {
    for await (const event of await connect().responses.create({ model, input: "Say hello", stream: true })) {
      if (event.type === "response.output_text.delta") text += event.delta
    }
  })
  assert.notEqual(text, "")
})

check("completions: a stream that breaks off throws", async () => {
  await failsWith(OpenAI.APIError, async () =>
    Array.fromAsync(await connect().completions.create({ model, prompt: "Say hello", stream: true }))
  )
})
