/** Keys that were imported from LiteLLM open the gateway as they opened that: with their secrets, limits and budgets. */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invoke } from "../../../model-gateway/test/Invoke.ts"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../support/RunningGateway.ts"

const digest = (text: string) => createHash("sha256").update(text).digest("hex")

const KEYS = {
  app: "sk-Xw3kQ2mZ7aLx1Tq8Vn4W",
  spent: "sk-9f3kQ2mZ7aLx1Tq8Vn4W",
  model: "sk-Mm3kQ2mZ7aLx1Tq8Vn4W",
  blocked: "sk-Bb3kQ2mZ7aLx1Tq8Vn4W",
  embedder: "sk-Ee3kQ2mZ7aLx1Tq8Vn4W"
}

const TABLE = `token,key_alias,models,blocked,spend,max_budget,budget_duration,budget_reset_at,rpm_limit,model_max_budget
${digest(KEYS.app)},app,{demo/mini},f,0.25,10,30d,2099-01-01 00:00:00,2,
${digest(KEYS.spent)},spent,{},,10,10,,,,
${digest(KEYS.model)},model,{},,0,,,,,"{""demo/mini"":{""budget_limit"":0.000001,""time_period"":""1d""}}"
${digest(KEYS.blocked)},blocked,{},t,0,,,,,
${digest(KEYS.embedder)},embedder,{demo/embedding},,0,,,,,
`

const serving = Effect.gen(function* () {
  const store = yield* temporaryStore
  const file = (name: string) => join(dirname(store), name)
  writeFileSync(file("keys.csv"), TABLE)
  writeFileSync(
    file("gateway.yaml"),
    `server: { port: 0, auth_failures_per_minute: 20 }
master_key: ${masterKey}
store: { sqlite: "${store}" }
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/embedding]
`
  )
  const args = [
    "import",
    "litellm-keys",
    file("keys.csv"),
    "--config",
    file("gateway.yaml"),
    "--apply",
    "--keep-secrets"
  ]
  const imported = yield* invoke(args, {})
  assert.include(imported.stdout, "Imported 5 keys", imported.stderr)
  return yield* gatewayProcess(["serve", "--config", file("gateway.yaml")], listening)
})

const chat = (url: string, key: string) =>
  call(url, {
    path: "/v1/chat/completions",
    key,
    body: { model: "demo/mini", messages: [{ role: "user", content: "Hi" }] }
  })

describe("keys that were imported from LiteLLM", () => {
  it.live(
    "open the gateway with their old secrets, within their models, limits and what is left of their budgets",
    () =>
      Effect.gen(function* () {
        const { ready: url } = yield* serving
        assert.strictEqual((yield* chat(url, KEYS.app)).status, 200)
        const own = yield* call(url, { method: "GET", path: "/v1/key", key: KEYS.app })
        assert.strictEqual(own.json["name"], "app")
        assert.deepInclude(own.json["limits"], { rpm: 2 })
        const [budget] = own.json["budgets"]
        assert.deepInclude(budget, { usd: 10, window: "month" })
        assert.isAtLeast(Number(budget.spent_usd), 0.25)
        yield* chat(url, KEYS.app)
        assert.strictEqual((yield* chat(url, KEYS.app)).status, 429)

        const full = yield* chat(url, KEYS.spent)
        assert.strictEqual(full.status, 429)
        assert.match(full.text, /budget/)
        const ofModel = yield* chat(url, KEYS.model)
        assert.deepInclude(ofModel.json["error"], { scope: "key", models: ["demo/mini"] }, ofModel.text)
        const blocked = yield* chat(url, KEYS.blocked)
        assert.strictEqual(blocked.status, 401)
        assert.match(blocked.text, /disabled/)
        assert.strictEqual((yield* chat(url, KEYS.embedder)).status, 403)

        const listed = yield* call(url, { method: "GET", path: "/admin/keys?q=app", key: masterKey })
        const [record] = listed.json["data"]
        assert.deepStrictEqual(record.imported_secret, { from: "litellm", valid_until: null })
        for (const hidden of [digest(KEYS.app), KEYS.app]) assert.notInclude(listed.text, hidden)
        const audit = yield* call(url, { method: "GET", path: "/admin/audit?action=keys.import", key: masterKey })
        assert.strictEqual(audit.json["data"].length, 5)
        assert.notInclude(audit.text, digest(KEYS.app))
      })
  )

  it.live("are not opened by whoever has the table, who is throttled like any guesser", () =>
    Effect.gen(function* () {
      const { ready: url } = yield* serving
      const guesses = [digest(KEYS.app), `sk-${digest(KEYS.app)}`, `mgw_${digest(KEYS.app)}`]
      for (const guess of guesses) {
        const { status, text } = yield* chat(url, guess)
        assert.strictEqual(status, 401, guess)
        assert.include(text, "invalid_api_key")
      }
      assert.strictEqual((yield* call(url, { method: "GET", path: "/admin/keys", key: KEYS.app })).status, 401)
      let refused = 0
      for (let tries = 0; tries < 25; tries++) {
        if ((yield* chat(url, `sk-guess-${tries}`)).status === 429) refused++
      }
      assert.isAbove(refused, 0)
      // A right one is let in all the same.
      assert.strictEqual((yield* chat(url, KEYS.app)).status, 200)
    })
  )
})
