/** A server of the Model Context Protocol over stdio with one tool, `get_weather`. */
import { createInterface } from "node:readline"

const tool = {
  name: "get_weather",
  description: "The weather in a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "weather", version: "1.0.0" }
  }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": ({ arguments: { city } }) => ({ content: [{ type: "text", text: `It is sunny in ${city}` }] }),
  ping: () => ({})
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const outcome =
    answer === undefined ? { error: { code: -32601, message: `no ${method}` } } : { result: answer(params ?? {}) }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`)
}
