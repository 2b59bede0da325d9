/** Agents on Responses, the default, and on chat completions. Traces would go to the vendor: they are switched off. */
import assert from "node:assert/strict"
import { Agent, handoff, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents"
import { z } from "zod"
import { check, key, url } from "../node/checks.mjs"

setTracingDisabled(true)

const model = "demo/standard"
const question = "What is the weather in Paris?"

const providerOf = (options) => new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: key, ...options })
const runnerOf = (useResponses) => new Runner({ modelProvider: providerOf({ useResponses }) })
const overSocket = providerOf({ useResponses: true, useResponsesWebSocket: true })

const weatherAgent = () => {
  const cities = []
  const get_weather = tool({
    name: "get_weather",
    description: "The weather in a city",
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => {
      cities.push(city)
      return "19 degrees and sunny"
    }
  })
  return { cities, agent: new Agent({ name: "Weather", instructions: "Be short.", model, tools: [get_weather] }) }
}

for (const [api, runner] of [
  ["Responses", runnerOf(true)],
  ["Responses over a WebSocket", new Runner({ modelProvider: overSocket })],
  ["chat", runnerOf(false)]
]) {
  check(`${api}: a tool loop`, async () => {
    const { agent, cities } = weatherAgent()
    const { finalOutput, rawResponses } = await runner.run(agent, question)
    assert.equal(cities.length, 1)
    assert.match(finalOutput, /19 degrees and sunny/)
    assert.ok(rawResponses.every(({ usage }) => usage.outputTokens > 0))
  })

  check(`${api}: a tool loop, streamed`, async () => {
    const { agent, cities } = weatherAgent()
    const result = await runner.run(agent, question, { stream: true })
    const text = (await Array.fromAsync(result.toTextStream())).join("")
    await result.completed
    assert.equal(cities.length, 1)
    assert.match(text, /19 degrees and sunny/)
  })

  check(`${api}: an output in a schema`, async () => {
    const outputType = z.object({ mood: z.enum(["good", "bad"]) })
    const { finalOutput } = await runner.run(new Agent({ name: "Judge", model, outputType }), "Say hello")
    assert.ok(["good", "bad"].includes(finalOutput.mood))
  })

  check(`${api}: a handoff`, async () => {
    const clerk = new Agent({ name: "Clerk", model })
    const desk = new Agent({ name: "Desk", model, handoffs: [handoff(clerk)] })
    const { finalOutput, lastAgent } = await runner.run(desk, "Use transfer_to_Clerk")
    assert.equal(lastAgent.name, "Clerk")
    assert.notEqual(finalOutput, "")
  })
}

check("Responses: turns that the gateway keeps, by previousResponseId", async () => {
  const runner = runnerOf(true)
  const { agent, cities } = weatherAgent()
  const first = await runner.run(agent, question)
  assert.match(first.lastResponseId, /^resp_/)
  const second = await runner.run(agent, "Say hello", { previousResponseId: first.lastResponseId })
  assert.notEqual(second.finalOutput, "")
  assert.equal(cities.length, 1)
})

check("Responses over a WebSocket: the connection closes", () => overSocket.close())
