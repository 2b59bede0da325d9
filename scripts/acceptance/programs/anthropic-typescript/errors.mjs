/** What a caller's mistake, a limit and a failing provider look like. */
import assert from "node:assert/strict"
import Anthropic from "@anthropic-ai/sdk"
import { check, counting, failsWith, key, newKey } from "../node/checks.mjs"
import { asked, connect } from "./_client.mjs"

const ask = (client, fields = {}) => client.messages.create({ ...asked, ...fields })

check("401 is an AuthenticationError", async () => {
  const error = await failsWith(Anthropic.AuthenticationError, () => ask(connect("sk-not-ours")))
  assert.equal(error.error.error.type, "authentication_error")
  assert.match(error.requestID, /^req_/)
})

check("403 is a PermissionDeniedError", async () => {
  const client = connect(await newKey({ models: ["demo/large"] }))
  const error = await failsWith(Anthropic.PermissionDeniedError, () => ask(client))
  assert.equal(error.error.error.type, "permission_error")
})

check("404 is a NotFoundError that names the nearest model", async () => {
  const error = await failsWith(Anthropic.NotFoundError, () => ask(connect(), { model: "demo/minni" }))
  assert.equal(error.error.error.type, "not_found_error")
  assert.match(error.message, /`demo\/mini`/)
})

check("400 is a BadRequestError that names the field", async () => {
  const error = await failsWith(Anthropic.BadRequestError, () => ask(connect(), { messages: [] }))
  assert.equal(error.error.error.type, "invalid_request_error")
  assert.match(error.message, /messages/)
})

check("429 is a RateLimitError with a true wait", async () => {
  const client = connect(await newKey({ limits: { rpm: 1 } }))
  await ask(client)
  const { error, headers } = await failsWith(Anthropic.RateLimitError, () => ask(client))
  const wait = Number(headers.get("retry-after"))
  assert.ok(wait >= 1 && wait <= 60)
  assert.equal(error.error.type, "rate_limit_error")
  assert.equal(error.error.kind, "rpm")
})

check("a used-up budget is a RateLimitError, asked for once", async () => {
  const fetch = counting()
  const client = connect(await newKey({ budgets: [{ usd: 0.000001, window: "day" }] }), { maxRetries: 2, fetch })
  await failsWith(Anthropic.RateLimitError, () => ask(client))
  assert.equal(fetch.calls, 1)
})

check("an exhausted failover is an InternalServerError, asked for once", async () => {
  const fetch = counting()
  const client = connect(key, { maxRetries: 2, fetch })
  const error = await failsWith(Anthropic.InternalServerError, () => ask(client, { model: "demo/status-500" }))
  assert.equal(error.error.error.code, "upstream_unavailable")
  assert.equal(fetch.calls, 1)
})
