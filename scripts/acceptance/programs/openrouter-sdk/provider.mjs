/** OpenRouter's documented examples of provider routing and model fallbacks. Who serves is told by the model of the chunks. */
import assert from "node:assert/strict"
import { OpenRouter } from "@openrouter/sdk"
import { check, key, url } from "../node/checks.mjs"

const client = new OpenRouter({ apiKey: key, serverURL: `${url}/v1`, retryConfig: { strategy: "none" } })

/** Streamed: of complete responses the library requires a `system_fingerprint`, which few providers send. */
const served = async (fields) => {
  const chatRequest = {
    model: "demo/mini",
    messages: [{ role: "user", content: "Say hello" }],
    stream: true,
    ...fields
  }
  const models = new Set()
  let text = ""
  for await (const { choices, model } of await client.chat.send({ chatRequest })) {
    models.add(model)
    text += choices[0]?.delta.content ?? ""
  }
  assert.notEqual(text, "")
  return [...models].join(" ")
}

/** The library can't read the gateway's error codes, which are words; the status is there. */
const refused = async (status, fields) => {
  const error = await served(fields).then(
    () => assert.fail("it was served"),
    (error) => error
  )
  assert.equal(error.statusCode, status)
}

const examples = [
  ["order", { provider: { order: ["demo"] } }, "mini"],
  ["order without fallbacks", { provider: { order: ["demo"], allowFallbacks: false } }, "mini"],
  ["only", { provider: { only: ["demo"] } }, "mini"],
  ["ignore of one deployment", { model: "failover", provider: { ignore: ["demo/status-500"] } }, "mini"],
  ["sort by price", { provider: { sort: "price" } }, "mini"],
  ["sort by throughput", { provider: { sort: "throughput" } }, "mini"],
  [":floor", { model: "demo/mini:floor" }, "mini"],
  [":nitro", { model: "demo/mini:nitro" }, "mini"],
  ["a price that it may cost", { provider: { maxPrice: { prompt: "100", completion: "100" } } }, "mini"],
  ["required parameters", { temperature: 0, provider: { requireParameters: true } }, "mini"],
  ["models, of which the first fails", { model: "demo/status-500", models: ["demo/large"] }, "large"],
  ["models with the first in the list", { models: ["demo/mini", "demo/large"] }, "mini"]
]

for (const [name, fields, model] of examples) {
  check(`provider routing: ${name}`, async () => assert.equal(await served(fields), model))
}

const refusals = [
  ["ignore of all", 404, { provider: { ignore: ["demo"] } }],
  ["zero data retention that no provider has", 404, { provider: { zdr: true } }],
  ["a price below all", 404, { provider: { maxPrice: { prompt: "0.000001" } } }],
  ["a provider that there is not", 400, { provider: { only: ["nobody"] } }],
  ["a model that there is not", 404, { models: ["nothing"] }]
]

for (const [name, status, fields] of refusals) {
  check(`provider routing: ${name} is ${status}`, () => refused(status, fields))
}
