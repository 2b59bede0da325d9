/** A server of the Model Context Protocol over stdio with two tools: `get_weather`, and `list_cities`, whose schema has no properties. */
import { createInterface } from "node:readline"

const tools = [
  {
    name: "get_weather",
    description: "The weather in a city",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
  },
  { name: "list_cities", description: "The cities with a weather", inputSchema: { type: "object" } }
]

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "weather", version: "1.0.0" }
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ arguments: { city } = {}, name }) => ({
    content: [{ type: "text", text: name === "list_cities" ? "Paris and Rome" : `It is sunny in ${city}` }]
  }),
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
