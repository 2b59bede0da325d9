/** Streams that break off after some words must not look like answers. */
import assert from "node:assert/strict"
import Anthropic from "@anthropic-ai/sdk"
import { check, failsWith } from "../node/checks.mjs"
import { asked, connect } from "./_client.mjs"

const broken = { ...asked, model: "demo/cut-6" }

check("a stream that breaks off throws", async () => {
  let text = ""
  await failsWith(Anthropic.APIError, async () => {
    for await (const { delta } of await connect().messages.create({ ...broken, stream: true })) {
      text += delta?.text ?? ""
    }
  })
  assert.notEqual(text, "")
})

check("the stream helper throws", async () => {
  await failsWith(Anthropic.APIError, () => connect().messages.stream(broken).finalMessage())
})
