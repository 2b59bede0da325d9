/** What a running gateway says on stderr: nothing that a caller sent, wherever it was sent, unless a provider quotes it, and no credential. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { upstream } from "../support/Upstream.ts"

const secret = "sk-pasted-by-mistake-0123456789"
const prompt = "the-diagnosis-of-my-patient"

/** A gateway in a process of its own, that logs every request, in front of a provider which repeats its key. */
const started = Effect.gen(function* () {
  const { baseUrl } = yield* upstream(() => ({
    status: 500,
    body: JSON.stringify({ error: { message: `Overloaded: ${secret} ${secret}-of-ours`, type: "server_error" } })
  }))
  const store = yield* temporaryStore
  const config = join(dirname(store), "gateway.yaml")
  const yaml = `
master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${store}" }
logs: { requests: all }
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: "${secret}-of-ours" } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }]
failover: { base_delay: 1ms }
`
  yield* Effect.sync(() => writeFileSync(config, yaml))
  return yield* gatewayProcess(["serve", "--config", config, "--json-logs"], listening)
})

describe("the log", () => {
  it.live("holds no prompt, no model name from outside, no header and no key", () =>
    Effect.gen(function* () {
      const { end, ready: url, stderr } = yield* started
      const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body: {} })
      const key = String(json.key)
      const headers = {
        "x-request-id": secret,
        "x-gateway-tags": secret,
        cookie: secret,
        traceparent: secret,
        "user-agent": secret
      }
      const chat = (body: unknown, more = {}) =>
        call(url, { path: "/v1/chat/completions", key, headers: { ...headers, ...more }, body })
      const messages = [{ role: "user", content: `${prompt} ${secret}` }]
      const statuses = [
        (yield* chat({ model: "up/m", messages })).status,
        (yield* chat({ model: secret, messages })).status,
        (yield* chat(`{ "model": "${secret} ${prompt}`)).status,
        (yield* chat({ model: "up/m", messages, user: secret }, { authorization: `Bearer ${secret}` })).status,
        (yield* call(url, { method: "GET", path: `/${secret}?key=${secret}`, headers })).status,
        (yield* call(url, { path: "/admin/keys", key: secret, headers, body: { name: secret } })).status
      ]
      assert.deepStrictEqual(statuses, [502, 404, 400, 401, 404, 401])
      assert.strictEqual(yield* end("SIGTERM"), 0)
      for (const one of [secret, prompt, key, masterKey]) assert.notInclude(stderr(), one)
      assert.include(stderr(), '"upstream_message":"Overloaded: [redacted] [redacted]"')
      const lines = stderr().split("\n").slice(1, -1)
      const codes = lines.flatMap((line) => (line.includes('"status":"refused"') ? [JSON.parse(line).error] : []))
      assert.deepStrictEqual(codes, ["model_not_found", "invalid_json", "invalid_api_key"])
      for (const line of lines) assert.property(JSON.parse(line), "timestamp", line)
    })
  )

  it.live("tells which budget refused a request", () =>
    Effect.gen(function* () {
      const { end, ready: url, stderr } = yield* started
      const made = { budgets: [{ usd: 0.000001, window: "day" }] }
      const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body: made })
      const body = { model: "up/m", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] }
      const { status } = yield* call(url, { path: "/v1/chat/completions", key: String(json.key), body })
      assert.strictEqual(status, 429)
      assert.strictEqual(yield* end("SIGTERM"), 0)
      const lines = stderr()
        .split("\n")
        .filter((line) => line.includes('"refused"'))
      assert.lengthOf(lines, 1)
      assert.deepInclude(JSON.parse(lines[0]!), { budget: "key", budget_window: "day", budget_usd: 0.000001 })
    })
  )
})
