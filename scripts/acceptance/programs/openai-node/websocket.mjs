/** Responses over a WebSocket: a tool loop that nothing stores, and errors. */
import assert from "node:assert/strict"
import { ResponsesWS } from "openai/resources/responses/ws"
import { check } from "../node/checks.mjs"
import { connect } from "./_client.mjs"

const model = "demo/standard"
const tools = [
  {
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
]

/** The last event of a response. */
const said = (socket, event) =>
  new Promise((resolve) => {
    const listener = (event) => {
      if (!/^(error|response\.(completed|failed|incomplete))$/.test(event.type)) return
      socket.off("event", listener)
      resolve(event)
    }
    socket.on("event", listener)
    socket.send({ type: "response.create", model, store: false, ...event })
  })

const connected = async (test) => {
  const socket = new ResponsesWS(connect())
  socket.on("error", () => {})
  try {
    await test(socket)
  } finally {
    socket.close()
  }
}

check("a tool loop over a WebSocket, with store: false", () =>
  connected(async (socket) => {
    const { response } = await said(socket, { input: "What is the weather in Paris?", tools })
    const { call_id, name } = response.output.find(({ type }) => type === "function_call")
    assert.equal(name, "get_weather")
    const output = { type: "function_call_output", call_id, output: "19 degrees and sunny" }
    const last = await said(socket, { input: [output], tools, previous_response_id: response.id })
    assert.equal(last.type, "response.completed")
    assert.match(last.response.output_text ?? last.response.output.at(-1).content[0].text, /19 degrees and sunny/)
    assert.ok(last.response.usage.cost > 0)
  })
)

check("an error over a WebSocket, and the connection goes on", () =>
  connected(async (socket) => {
    const { error, status } = await said(socket, { model: "nothing", input: "Say hello" })
    assert.deepEqual([status, error.code], [404, "model_not_found"])
    assert.equal((await said(socket, { input: "Say hello" })).type, "response.completed")
  })
)
