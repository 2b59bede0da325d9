/** What every language model is tried on. */
import assert from "node:assert/strict"
import { generateText, Output, stepCountIs, streamText } from "ai"
import { z } from "zod"
import { check } from "../node/checks.mjs"
import { weather } from "./_providers.mjs"

const prompt = "What is the weather in Paris?"

export const tryModel = (api, model) => {
  check(`${api}: generateText`, async () => {
    const { finishReason, text, usage } = await generateText({ model, prompt: "Say hello" })
    assert.match(text, /Say hello/)
    assert.equal(finishReason, "stop")
    assert.ok(usage.outputTokens > 0)
  })

  check(`${api}: streamText`, async () => {
    const result = streamText({ model, prompt: "Say hello" })
    const text = (await Array.fromAsync(result.textStream)).join("")
    assert.match(text, /Say hello/)
    assert.ok((await result.usage).outputTokens > 0)
  })

  check(`${api}: a tool loop`, async () => {
    const { cities, tools } = weather()
    const { steps, text } = await generateText({ model, prompt, tools, stopWhen: stepCountIs(3) })
    assert.equal(cities.length, 1)
    assert.equal(steps.length, 2)
    assert.match(text, /19 degrees and sunny/)
  })

  check(`${api}: a tool loop, streamed`, async () => {
    const { cities, tools } = weather()
    const result = streamText({ model, prompt, tools, stopWhen: stepCountIs(3) })
    const parts = await Array.fromAsync(result.fullStream)
    assert.deepEqual(
      parts.filter(({ type }) => type === "error"),
      []
    )
    assert.equal(cities.length, 1)
    assert.match(await result.text, /19 degrees and sunny/)
  })

  check(`${api}: an object`, async () => {
    const schema = z.object({ mood: z.enum(["good", "bad"]), marks: z.number().int() })
    const { output } = await generateText({ model, prompt: "Say hello", output: Output.object({ schema }) })
    assert.ok(["good", "bad"].includes(output.mood))
  })
}
