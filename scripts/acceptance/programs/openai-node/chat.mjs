/** Chat completions, streams, tools and models. */
import assert from "node:assert/strict"
import { check } from "../node/checks.mjs"
import { connect, messages } from "./_client.mjs"

const question = [{ role: "user", content: "What is the weather in Paris?" }]
const parameters = {
  type: "object",
  properties: { city: { type: "string" }, unit: { type: "string", enum: ["celsius", "fahrenheit"] } },
  required: ["city", "unit"],
  additionalProperties: false
}

check("chat", async () => {
  const answer = await connect().chat.completions.create({ model: "auto", messages })
  assert.match(answer.choices[0].message.content, /Say hello/)
  assert.equal(answer.choices[0].finish_reason, "stop")
  assert.ok(answer.usage.completion_tokens > 0)
  assert.match(answer._request_id, /^req_/)
})

check("the five headers and the cost in the body", async () => {
  const { data, response } = await connect().chat.completions.create({ model: "auto", messages }).withResponse()
  assert.equal(response.headers.get("x-gateway-decision"), "demo/mini")
  assert.equal(response.headers.get("x-gateway-route-bucket"), "simple")
  const score = Number(response.headers.get("x-gateway-route-score"))
  assert.ok(score >= 0 && score <= 1)
  assert.equal(response.headers.get("x-gateway-retries"), "0")
  assert.ok(data.usage.cost > 0)
  assert.equal(Number(response.headers.get("x-gateway-cost-usd")), data.usage.cost)
})

check("a failover is counted", async () => {
  const { response } = await connect().chat.completions.create({ model: "failover", messages }).withResponse()
  assert.equal(response.headers.get("x-gateway-retries"), "1")
  assert.equal(response.headers.get("x-gateway-decision"), "demo/mini")
})

check("stream", async () => {
  let text = ""
  for await (const chunk of await connect().chat.completions.create({ model: "auto", messages, stream: true })) {
    text += chunk.choices[0].delta.content ?? ""
  }
  assert.match(text, /Say hello/)
})

check("a stream's usage and exact cost, last", async () => {
  const asked = { model: "auto", messages, stream: true, stream_options: { include_usage: true } }
  const chunks = await Array.fromAsync(await connect().chat.completions.create(asked))
  const last = chunks.pop()
  assert.deepEqual(last.choices, [])
  assert.ok(last.usage.cost > 0)
  assert.ok(chunks.every((chunk) => !chunk.usage))
})

check("the stream helper", async () => {
  const stream = connect().chat.completions.stream({ model: "demo/standard", messages })
  const kinds = new Set()
  for (const kind of ["chunk", "content.delta", "content.done"]) stream.on(kind, () => kinds.add(kind))
  const streamed = await stream.finalContent()
  const plain = await connect().chat.completions.create({ model: "demo/standard", messages })
  assert.equal(streamed, plain.choices[0].message.content)
  assert.equal(kinds.size, 3)
})

check("a stream that is left", async () => {
  const stream = await connect().chat.completions.create({ model: "auto", messages, stream: true })
  for await (const chunk of stream) {
    assert.ok(chunk.id)
    break
  }
  assert.ok(stream.controller.signal.aborted)
})

check("runTools, a tool loop", async () => {
  const asked = []
  const weather = (args) => {
    asked.push(JSON.parse(args))
    return "19 degrees and sunny"
  }
  const tool = { type: "function", function: { name: "get_weather", function: weather, parameters } }
  const runner = connect().chat.completions.runTools({ model: "demo/standard", messages: question, tools: [tool] })
  assert.match(await runner.finalContent(), /19 degrees and sunny/)
  assert.equal(asked.length, 1)
  assert.ok(parameters.properties.unit.enum.includes(asked[0].unit))
})

check("streamed tool calls are put together", async () => {
  const tool = { type: "function", function: { name: "get_weather", strict: true, parameters } }
  const stream = connect().chat.completions.stream({ model: "demo/standard", messages: question, tools: [tool] })
  const { choices } = await stream.finalChatCompletion()
  const [call, ...others] = choices[0].message.tool_calls
  assert.equal(others.length, 0)
  assert.equal(call.function.name, "get_weather")
  assert.deepEqual(Object.keys(JSON.parse(call.function.arguments)).sort(), ["city", "unit"])
})

check("an answer in a JSON schema, parsed", async () => {
  const schema = {
    type: "object",
    properties: { mood: { type: "string", enum: ["good", "bad"] }, marks: { type: "integer" } },
    required: ["mood", "marks"],
    additionalProperties: false
  }
  const response_format = { type: "json_schema", json_schema: { name: "verdict", strict: true, schema } }
  const answer = await connect().chat.completions.parse({ model: "demo/standard", messages, response_format })
  const verdict = JSON.parse(answer.choices[0].message.content)
  assert.ok(["good", "bad"].includes(verdict.mood))
  assert.ok(Number.isInteger(verdict.marks))
})

check("models, listed and retrieved", async () => {
  const models = await Array.fromAsync(connect().models.list())
  const ids = models.map(({ id }) => id)
  for (const id of ["auto", "demo/mini", "failover"]) assert.ok(ids.includes(id), `no ${id} among ${ids}`)
  assert.equal((await connect().models.retrieve("demo/mini")).owned_by, "demo")
})
