/** Messages: whole, streamed, with tools, counted. */
import assert from "node:assert/strict"
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod"
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod"
import { z } from "zod"
import { check, key } from "../node/checks.mjs"
import { asked, connect, textOf } from "./_client.mjs"

const question = { ...asked, messages: [{ role: "user", content: "What is the weather in Paris?" }] }
const weather = {
  name: "get_weather",
  description: "The weather in a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
}

check("a message, the five headers and the cost in the body", async () => {
  const { data, response } = await connect()
    .messages.create({ ...asked, model: "auto" })
    .withResponse()
  assert.match(textOf(data), /Say hello/)
  assert.match(data.id, /^msg_/)
  assert.equal(data.stop_reason, "end_turn")
  assert.ok(data.usage.input_tokens > 0 && data.usage.output_tokens > 0)
  assert.ok(data.usage.cost > 0)
  assert.equal(Number(response.headers.get("x-gateway-cost-usd")), data.usage.cost)
  assert.equal(response.headers.get("x-gateway-decision"), "demo/mini")
  assert.equal(response.headers.get("x-gateway-route-bucket"), "simple")
  assert.ok(Number(response.headers.get("x-gateway-route-score")) >= 0)
  assert.equal(response.headers.get("x-gateway-retries"), "0")
  assert.match(data._request_id, /^req_/)
})

check("a key as a bearer token", async () => {
  const client = connect(null, { authToken: key })
  assert.match(textOf(await client.messages.create(asked)), /Say hello/)
})

check("a stream, event by event", async () => {
  const events = await Array.fromAsync(await connect().messages.create({ ...asked, stream: true }))
  assert.equal(events[0].type, "message_start")
  assert.equal(events.at(-1).type, "message_stop")
  const text = events.flatMap(({ delta }) => (delta?.type === "text_delta" ? [delta.text] : [])).join("")
  assert.match(text, /Say hello/)
  const { delta, usage } = events.find(({ type }) => type === "message_delta")
  assert.equal(delta.stop_reason, "end_turn")
  assert.ok(usage.output_tokens > 0)
  assert.ok(usage.cost > 0)
})

check("the stream helper", async () => {
  let text = ""
  const stream = connect()
    .messages.stream(asked)
    .on("text", (piece) => (text += piece))
  const message = await stream.finalMessage()
  assert.equal(text, textOf(message))
  assert.ok(message.usage.output_tokens > 0)
})

check("a tool loop", async () => {
  const { messages } = connect()
  const first = await messages.create({ ...question, tools: [weather] })
  assert.equal(first.stop_reason, "tool_use")
  const [use] = first.content.filter(({ type }) => type === "tool_use")
  assert.equal(use.name, "get_weather")
  assert.deepEqual(Object.keys(use.input), ["city"])
  const result = { type: "tool_result", tool_use_id: use.id, content: "19 degrees and sunny" }
  const second = await messages.create({
    ...question,
    tools: [weather],
    messages: [...question.messages, { role: "assistant", content: first.content }, { role: "user", content: [result] }]
  })
  assert.match(textOf(second), /19 degrees and sunny/)
})

check("the tool runner, streamed", async () => {
  const cities = []
  const tool = betaZodTool({
    name: "get_weather",
    description: "The weather in a city",
    inputSchema: z.object({ city: z.string() }),
    run: ({ city }) => {
      cities.push(city)
      return "19 degrees and sunny"
    }
  })
  let last
  for await (const stream of connect().beta.messages.toolRunner({ ...question, tools: [tool], stream: true })) {
    last = await stream.finalMessage()
  }
  assert.equal(cities.length, 1)
  assert.match(textOf(last), /19 degrees and sunny/)
})

check("an answer in a schema, parsed", async () => {
  const output_config = { format: zodOutputFormat(z.object({ mood: z.enum(["good", "bad"]) })) }
  const { parsed_output } = await connect().messages.parse({ ...asked, output_config })
  assert.ok(["good", "bad"].includes(parsed_output.mood))
})

check("thoughts", async () => {
  const thinking = { type: "enabled", budget_tokens: 1024 }
  const fields = { ...asked, model: "demo/reasoner", max_tokens: 4000, thinking }
  const { content } = await connect().messages.create(fields)
  assert.deepEqual(
    content.map(({ type }) => type),
    ["thinking", "text"]
  )
})

check("a system prompt, blocks, cache_control, an image and metadata", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
  const message = await connect().messages.create({
    ...asked,
    system: [{ type: "text", text: "You are short.", cache_control: { type: "ephemeral" } }],
    metadata: { user_id: "somebody" },
    temperature: 0.5,
    stop_sequences: ["nothing like this"],
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
          { type: "text", text: "Say hello" }
        ]
      }
    ]
  })
  assert.notEqual(textOf(message), "")
})

check("tokens, counted", async () => {
  const { messages, model } = asked
  const { input_tokens } = await connect().messages.countTokens({ model, messages })
  assert.ok(input_tokens > 0)
})

check("models, listed and retrieved", async () => {
  const ids = (await Array.fromAsync(connect().models.list())).map(({ id }) => id)
  for (const id of ["auto", "demo/mini"]) assert.ok(ids.includes(id), `no ${id} among ${ids}`)
  const model = await connect().models.retrieve("demo/mini")
  assert.equal(model.type, "model")
  assert.notEqual(model.display_name, "")
})
