/** What was imported from LiteLLM serves as it did there: the same models at the same addresses, in the same shares. */
import { appendFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const CALLS = 200

const serving = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream(({ body }) =>
    body.model === "broken" ? { status: 500, body: { error: { message: "no" } } } : { body: completion("yes") }
  )
  const store = yield* temporaryStore
  const file = (name: string) => join(dirname(store), name)
  const entry = (name: string, model: string, more = "") =>
    `  - { model_name: ${name}, litellm_params: { model: openai/${model}, api_base: "${baseUrl}/", api_key: os.environ/UP_KEY${more} } }\n`
  writeFileSync(
    file("config.yaml"),
    `model_list:\n${entry("shared", "one", ", rpm: 300")}${entry("shared", "two", ", rpm: 100")}${entry("weak", "broken")}${entry("other", "three")}` +
      `litellm_settings: { fallbacks: [{ weak: [other] }] }\ngeneral_settings: { master_key: os.environ/LITELLM_MASTER_KEY }\n`
  )
  const made = yield* gatewayProcess(
    ["import", "litellm", file("config.yaml"), "--out", file("gateway.yaml")],
    ({ stdout }) => stdout.includes("Next:") || undefined
  )
  assert.isTrue(made.ready)
  appendFileSync(file("gateway.yaml"), `\nserver: { port: 0 }\nstore: { sqlite: "${store}" }\n`)
  const environment = { LITELLM_MASTER_KEY: masterKey, UP_KEY: "up-key" }
  const gateway = yield* gatewayProcess(["serve", "--config", file("gateway.yaml")], listening, { environment })
  const { json } = yield* call(gateway.ready, { path: "/admin/keys", key: masterKey, body: {} })
  const ask = (model: string) =>
    call(gateway.ready, {
      path: "/v1/chat/completions",
      key: String(json.key),
      body: { model, messages: [{ role: "user", content: "Hi" }] }
    })
  return { asked, ask }
})

describe("a configuration that was imported from LiteLLM", () => {
  it.live("spreads the calls of a name as LiteLLM's weights do, and falls back", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* serving
      for (let sent = 0; sent < CALLS; sent++) assert.strictEqual((yield* ask("shared")).status, 200)
      const share = asked.filter(({ body }) => body.model === "one").length / CALLS
      // 0.75, and five standard deviations of 200 draws.
      assert.closeTo(share, 0.75, 0.153)
      assert.deepStrictEqual([...new Set(asked.map(({ body }) => body.model))].toSorted(), ["one", "two"])
      assert.deepStrictEqual(
        [...new Set(asked.map(({ headers, path }) => `${path} ${headers["authorization"]}`))],
        ["/v1/chat/completions Bearer up-key"]
      )
      const before = asked.length
      const { headers, status } = yield* ask("weak")
      assert.strictEqual(status, 200)
      assert.match(String(headers["x-gateway-deployment"]), /three/)
      assert.deepStrictEqual([asked[before]?.body.model, asked.at(-1)?.body.model], ["broken", "three"])
      assert.strictEqual((yield* ask("nobody")).status, 404)
    })
  )
})
