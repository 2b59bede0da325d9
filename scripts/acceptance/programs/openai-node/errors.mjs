/** What a caller's mistake, a limit and a failing provider look like. */
import assert from "node:assert/strict"
import OpenAI from "openai"
import { check, counting, failsWith, key, newKey } from "../node/checks.mjs"
import { connect, messages } from "./_client.mjs"

const ask = (client, fields = {}) => client.chat.completions.create({ model: "auto", messages, ...fields })

check("401 is an AuthenticationError", async () => {
  const error = await failsWith(OpenAI.AuthenticationError, () => connect("sk-not-ours").models.list())
  assert.equal(error.code, "invalid_api_key")
  assert.match(error.requestID, /^req_/)
})

check("403 is a PermissionDeniedError", async () => {
  const client = connect(await newKey({ models: ["demo/large"] }))
  const error = await failsWith(OpenAI.PermissionDeniedError, () => ask(client, { model: "demo/mini" }))
  assert.equal(error.code, "model_not_allowed")
  assert.equal(error.param, "model")
})

check("404 is a NotFoundError that names the nearest model", async () => {
  const error = await failsWith(OpenAI.NotFoundError, () => ask(connect(), { model: "demo/minni" }))
  assert.equal(error.code, "model_not_found")
  assert.match(error.message, /`demo\/mini`/)
})

check("400 is a BadRequestError that names the field", async () => {
  const error = await failsWith(OpenAI.BadRequestError, () => ask(connect(), { messages: [] }))
  assert.equal(error.code, "invalid_field")
  assert.equal(error.param, "messages")
})

check("429 is a RateLimitError with a true wait", async () => {
  const client = connect(await newKey({ limits: { rpm: 1 } }))
  await ask(client)
  const { error, headers } = await failsWith(OpenAI.RateLimitError, () => ask(client))
  const wait = Number(headers.get("retry-after"))
  assert.ok(wait >= 1 && wait <= 60)
  assert.equal(headers.get("x-gateway-limit-kind"), "rpm")
  assert.equal(error.kind, "rpm")
  assert.equal(error.retry_after_seconds, wait)
})

check("a used-up budget is a RateLimitError, asked for once", async () => {
  const fetch = counting()
  const client = connect(await newKey({ budgets: [{ usd: 0.000001, window: "day" }] }), { maxRetries: 2, fetch })
  const error = await failsWith(OpenAI.RateLimitError, () => ask(client))
  assert.equal(error.code, "insufficient_quota")
  assert.equal(fetch.calls, 1)
})

check("an exhausted failover is an InternalServerError, asked for once", async () => {
  const fetch = counting()
  const client = connect(key, { maxRetries: 2, fetch })
  const error = await failsWith(OpenAI.InternalServerError, () => ask(client, { model: "demo/status-500" }))
  assert.equal(error.status, 502)
  assert.equal(error.code, "upstream_unavailable")
  assert.equal(fetch.calls, 1)
})
