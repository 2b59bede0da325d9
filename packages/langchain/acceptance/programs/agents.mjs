/**
 * Agents as a user writes them: `createAgent` of `langchain` on a `ChatGateway`, with tools and with answers of a schema, invoked and
 * streamed as messages. Prints one line of JSON: what each run saw of its steps and of its costs. Which gateway, and a key for each
 * run, come from the environment.
 */
import assert from "node:assert/strict"
import { AIMessageChunk, ToolMessage } from "@langchain/core/messages"
import { concat } from "@langchain/core/utils/stream"
import { ChatGateway, GatewaySpendCallbackHandler, gatewayDecision } from "@model-gateway/langchain"
import { createAgent, tool } from "langchain"
import { z } from "zod"

const baseUrl = process.env["GATEWAY_URL"]
const keys = JSON.parse(process.env["GATEWAY_KEYS"])

const getWeather = tool(({ city }) => `19 degrees and sunny in ${city}`, {
  name: "get_weather",
  description: "What the weather is like in a city",
  schema: z.object({ city: z.string() })
})
const getTime = tool(({ city }) => `It is noon in ${city}`, {
  name: "get_local_time",
  description: "What time it is in a city",
  schema: z.object({ city: z.string() })
})
const Report = z.object({ city: z.string(), degrees: z.number(), sunny: z.boolean() })

const asked = `Use "get_weather" and "get_local_time" to tell me about Lisbon.`
const input = { messages: [{ role: "user", content: asked }] }

/** The model's messages of a run streamed in `messages` mode, their chunks put together, and how many chunks there were. */
const streamedMessages = async (agent, options) => {
  const messages = new Map()
  let chunks = 0
  for await (const [chunk] of await agent.stream(input, { ...options, streamMode: "messages" })) {
    if (!AIMessageChunk.isInstance(chunk)) continue
    chunks++
    const before = messages.get(chunk.id)
    messages.set(chunk.id, before === undefined ? chunk : concat(before, chunk))
  }
  return { chunks, messages: [...messages.values()] }
}

/** langchain itself adds a message of its own where a tool was the answer: it came from no gateway. */
const told = (messages, spend) => ({
  steps: messages.map((message) => gatewayDecision(message)).filter((decision) => decision !== undefined),
  calls: spend.calls,
  totalUsd: spend.totalUsd
})

const runs = {
  async toolsInvoked(model, callbacks) {
    const agent = createAgent({ model, tools: [getWeather, getTime] })
    const { messages } = await agent.invoke(input, { callbacks })
    assert.equal(messages.filter((message) => ToolMessage.isInstance(message)).length, 2)
    assert.match(messages.at(-1).text, /It is noon in Lisbon/)
    assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length)
    return messages
  },
  async toolsStreamed(model, callbacks) {
    const agent = createAgent({ model, tools: [getWeather, getTime] })
    const { chunks, messages } = await streamedMessages(agent, { callbacks })
    assert.equal(messages.length, 2)
    assert.ok(chunks > 20, `${chunks} chunks`)
    assert.deepEqual(
      messages[0].tool_calls.map(({ name }) => name),
      ["get_weather", "get_local_time"]
    )
    assert.match(messages[1].text, /It is noon in Lisbon/)
    return messages
  },
  async providerStrategy(model, callbacks) {
    const native = await ChatGateway.fromGateway(model)
    assert.equal(native.profile.structuredOutput, true)
    const agent = createAgent({ model: native, tools: [getWeather], responseFormat: Report })
    const { messages, structuredResponse } = await agent.invoke(input, { callbacks })
    assert.deepEqual(structuredResponse, Report.parse(structuredResponse))
    assert.deepEqual(JSON.parse(messages.at(-1).text), structuredResponse)
    return messages
  },
  async toolStrategy(model, callbacks) {
    const agent = createAgent({ model, tools: [getWeather], responseFormat: Report })
    const { messages, structuredResponse } = await agent.invoke(input, { callbacks })
    assert.deepEqual(structuredResponse, Report.parse(structuredResponse))
    assert.ok(messages.some((message) => message.tool_calls?.some(({ name }) => name.startsWith("extract"))))
    return messages
  },
  async schemaStreamed(model, callbacks) {
    const agent = createAgent({ model, tools: [getWeather], responseFormat: Report })
    const { messages } = await streamedMessages(agent, { callbacks })
    assert.equal(messages.length, 2)
    return messages
  }
}

const results = {}
for (const [name, run] of Object.entries(runs)) {
  const spend = new GatewaySpendCallbackHandler()
  const options = { model: "auto", apiKey: keys[name], baseUrl }
  const model = name === "providerStrategy" ? options : new ChatGateway(options)
  results[name] = told(await run(model, [spend]), spend)
}
console.log(JSON.stringify(results))
