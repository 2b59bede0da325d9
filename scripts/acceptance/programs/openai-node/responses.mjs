/** Responses: whole, streamed, with tools, and kept for the next turn. */
import assert from "node:assert/strict"
import OpenAI from "openai"
import { check, failsWith } from "../node/checks.mjs"
import { connect } from "./_client.mjs"

const model = "demo/standard"
const weather = {
  type: "function",
  name: "get_weather",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  }
}

check("a response, the five headers and the cost in the body", async () => {
  const { data, response } = await connect().responses.create({ model: "auto", input: "Say hello" }).withResponse()
  assert.match(data.output_text, /Say hello/)
  assert.match(data.id, /^resp_/)
  assert.equal(data.status, "completed")
  assert.ok(data.usage.output_tokens > 0)
  assert.ok(data.usage.cost > 0)
  assert.equal(Number(response.headers.get("x-gateway-cost-usd")), data.usage.cost)
  assert.equal(response.headers.get("x-gateway-decision"), "demo/mini")
  assert.equal(response.headers.get("x-gateway-route-bucket"), "simple")
  assert.ok(Number(response.headers.get("x-gateway-route-score")) >= 0)
  assert.equal(response.headers.get("x-gateway-retries"), "0")
})

check("a response without a model is auto's", async () => {
  const { output_text } = await connect().responses.create({ input: "Say hello" })
  assert.match(output_text, /Say hello/)
})

check("a stream, event by event", async () => {
  const events = await Array.fromAsync(await connect().responses.create({ model, input: "Say hello", stream: true }))
  assert.equal(events[0].type, "response.created")
  const last = events.at(-1)
  assert.equal(last.type, "response.completed")
  const text = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : [])).join("")
  assert.equal(text, last.response.output[0].content[0].text)
  assert.ok(last.response.usage.cost > 0)
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, index) => index)
  )
})

check("the stream helper", async () => {
  const final = await connect().responses.stream({ model, input: "Say hello" }).finalResponse()
  assert.match(final.output_text, /Say hello/)
})

check("a tool loop over previous_response_id", async () => {
  const client = connect()
  const first = await client.responses.create({ model, input: "What is the weather in Paris?", tools: [weather] })
  const [call] = first.output.filter(({ type }) => type === "function_call")
  assert.equal(call.name, "get_weather")
  assert.deepEqual(Object.keys(JSON.parse(call.arguments)), ["city"])
  const second = await client.responses.create({
    model,
    previous_response_id: first.id,
    input: [{ type: "function_call_output", call_id: call.call_id, output: "19 degrees and sunny" }],
    tools: [weather]
  })
  assert.match(second.output_text, /19 degrees and sunny/)
  assert.equal(second.previous_response_id, first.id)
})

check("a tool loop without anything kept", async () => {
  const client = connect()
  const input = [{ role: "user", content: "What is the weather in Paris?" }]
  const first = await client.responses.create({ model, input, tools: [weather], store: false })
  const [call] = first.output.filter(({ type }) => type === "function_call")
  input.push(...first.output, { type: "function_call_output", call_id: call.call_id, output: "19 degrees and sunny" })
  const second = await client.responses.create({ model, input, tools: [weather], store: false })
  assert.match(second.output_text, /19 degrees and sunny/)
})

check("streamed arguments of a tool", async () => {
  const asked = { model, input: "What is the weather in Paris?", tools: [weather], stream: true }
  const events = await Array.fromAsync(await connect().responses.create(asked))
  const text = events
    .flatMap((event) => (event.type === "response.function_call_arguments.delta" ? [event.delta] : []))
    .join("")
  const done = events.find(({ type }) => type === "response.function_call_arguments.done")
  assert.equal(text, done.arguments)
  assert.deepEqual(Object.keys(JSON.parse(text)), ["city"])
})

check("an answer in a JSON schema, parsed", async () => {
  const schema = {
    type: "object",
    properties: { mood: { type: "string", enum: ["good", "bad"] } },
    required: ["mood"],
    additionalProperties: false
  }
  const text = { format: { type: "json_schema", name: "verdict", strict: true, schema } }
  const answer = await connect().responses.parse({ model, input: "Say hello", text })
  assert.ok(["good", "bad"].includes(JSON.parse(answer.output_text).mood))
})

check("kept: retrieved, its input listed, deleted, gone", async () => {
  const { responses } = connect()
  const { id, output_text } = await responses.create({ model, input: "Say hello" })
  assert.equal((await responses.retrieve(id)).output_text, output_text)
  const items = await Array.fromAsync(responses.inputItems.list(id))
  assert.equal(items.length, 1)
  assert.equal(items[0].content[0].text, "Say hello")
  await responses.delete(id)
  await failsWith(OpenAI.NotFoundError, () => responses.retrieve(id))
})

check("a stored response as a stream", async () => {
  const { responses } = connect()
  const { id, output_text } = await responses.create({ model, input: "Say hello" })
  const events = await Array.fromAsync(await responses.retrieve(id, { stream: true }))
  assert.equal(events.at(-1).type, "response.completed")
  assert.equal(events.at(-1).response.output[0].content[0].text, output_text)
})

check("an unknown previous_response_id is a BadRequestError or a NotFoundError that names it", async () => {
  const asked = { model, input: "Say hello", previous_response_id: "resp_nobody" }
  const error = await connect()
    .responses.create(asked)
    .then(
      () => assert.fail("it was answered"),
      (error) => error
    )
  assert.ok(error instanceof OpenAI.BadRequestError || error instanceof OpenAI.NotFoundError, error.message)
  assert.equal(error.code, "previous_response_not_found")
  assert.equal(error.param, "previous_response_id")
})
