/** Streams that break off after some words must not look like answers. */
import assert from "node:assert/strict"
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from "@openai/agents"
import { check, key, url } from "../node/checks.mjs"

setTracingDisabled(true)

for (const useResponses of [true, false]) {
  check(`${useResponses ? "Responses" : "chat"}: a stream that breaks off throws`, async () => {
    const runner = new Runner({
      modelProvider: new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: key, useResponses })
    })
    const result = await runner.run(new Agent({ name: "Broken", model: "demo/cut-6" }), "Say hello", { stream: true })
    await assert.rejects(async () => {
      await Array.fromAsync(result.toTextStream())
      await result.completed
    })
  })
}
