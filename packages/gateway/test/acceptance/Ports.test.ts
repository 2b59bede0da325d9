/** A port of its own for administration, and a path in front of the gateway. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { demoYaml, masterKey, startGateway } from "../support/RunningGateway.ts"

const status = (url: string, path: string, key?: string) =>
  Effect.map(call(url, { method: "GET", path, ...(key === undefined ? {} : { key }) }), (answer) => answer.status)

describe("server.admin_port", () => {
  const administration = ["/admin/keys", "/admin/info", "/metrics", "/ui/", "/ui/keys"]
  const spellings = [
    "//admin/keys",
    "/ADMIN/keys",
    "/%61dmin/keys",
    "/admin;x/keys",
    "/./admin/keys",
    "/metrics/",
    "/%6detrics",
    "/UI/"
  ]
  const yaml = `${demoYaml}server: { admin_port: 0 }\n`

  it.live("takes administration, metrics and the dashboard off the main port, in every spelling", () =>
    Effect.gen(function* () {
      const { adminUrl, url } = yield* startGateway({ yaml })
      assert.notStrictEqual(adminUrl, url)
      for (const path of administration) {
        assert.strictEqual(yield* status(adminUrl, path, masterKey), 200, path)
        assert.strictEqual(yield* status(url, path, masterKey), 404, path)
      }
      for (const path of spellings) assert.strictEqual(yield* status(url, path, masterKey), 404, path)
      const { json } = yield* call(url, { method: "GET", path: "/admin/keys", key: masterKey })
      assert.match(json.error.message, /server\.admin_port/)
    })
  )

  it.live("leaves health, the description of the API and the documents on the main port", () =>
    Effect.gen(function* () {
      const { url } = yield* startGateway({ yaml })
      for (const path of ["/healthz", "/readyz", "/readyz?exclude=store", "/openapi.json", "/docs", "/llms.txt", "/"]) {
        assert.strictEqual(yield* status(url, path), 200, path)
      }
    })
  )

  it.live("serves models on both ports, with one set of keys, limits and books", () =>
    Effect.gen(function* () {
      const { adminUrl, createKey, ledger, url } = yield* startGateway({ yaml })
      const { secret } = yield* createKey({ limits: { rpm: 2, tpm: undefined, maxParallel: undefined } })
      const chat = (at: string) =>
        call(at, {
          path: "/v1/chat/completions",
          key: secret,
          body: { model: "demo/mini", messages: [{ role: "user", content: "Hi" }] }
        })
      assert.strictEqual((yield* chat(url)).status, 200)
      assert.strictEqual((yield* chat(adminUrl)).status, 200)
      assert.strictEqual((yield* chat(url)).status, 429)
      assert.lengthOf(yield* ledger, 2)
    })
  )
})

describe("server.public_path", () => {
  it.live("is taken off by the gateway where the proxy in front passes it on", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* startGateway({ yaml: `${demoYaml}server: { public_path: /gateway }\n` })
      const { secret } = yield* createKey()
      for (const path of ["/gateway/v1/models", "/v1/models", "/gateway/v1/models?limit=1"]) {
        assert.strictEqual(yield* status(url, path, secret), 200, path)
      }
      for (const path of ["/gateway", "/gateway/", "/gateway/readyz", "/gateway/ui/"]) {
        assert.strictEqual(yield* status(url, path), 200, path)
      }
      assert.strictEqual(yield* status(url, "/gateway/admin/keys"), 401)
      for (const path of ["/gatewayv1/models", "/gateway2/v1/models"]) {
        assert.strictEqual(yield* status(url, path, secret), 404, path)
      }
    })
  )
})
