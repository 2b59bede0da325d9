/** However a request target, a Host or an address is written: no spelling gets around authorization. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { say } from "../support/RawSocket.ts"
import { masterKey, startGateway } from "../support/RunningGateway.ts"

/** Ways to ask for `/admin/keys`, or nearly. */
const targets = [
  "/admin/keys",
  "//admin/keys",
  "/admin//keys",
  "/ADMIN/keys",
  "/aDmIn/KeYs",
  "/%61dmin/keys",
  "/%41DMIN/keys",
  "/%2561dmin/keys",
  "/admin%2fkeys",
  "/admin%2Fkeys/",
  "/admin\\keys",
  "/admin%5ckeys",
  "/admin/keys;x",
  "/admin;x/keys",
  "/admin/keys/",
  "/admin/keys//",
  "/./admin/keys",
  "/admin/./keys",
  "/v1/../admin/keys",
  "/v1/%2e%2e/admin/keys",
  "/v1/..%2fadmin/keys",
  "/v1/models/../../admin/keys",
  "/openai/../admin/keys",
  "/openai/admin/keys",
  "/healthz/../admin/keys",
  "/admin/keys?x=/v1/key",
  "/admin/keys#/v1/key",
  "/v1/key#/admin/keys",
  "/admin/keys%00",
  "/admin/keys%20",
  "/admin/keys%0d%0aX: 1",
  "/\u0000admin/keys",
  "/admin/keys\t",
  "admin/keys",
  "../admin/keys",
  "*",
  "http://x/admin/keys",
  "HTTP://X/ADMIN/KEYS",
  "https://user:pass@x:99999/admin/keys",
  "http:///admin/keys",
  "http://[::1/admin/keys",
  "http:admin/keys",
  "ws://x/admin/keys",
  "//x/admin/keys",
  "file:///admin/keys",
  "/v1/chat/completions/../../../admin/keys"
]

const hosts = [
  "Host: x",
  "Host: admin.internal",
  "Host: x/admin/keys?",
  "Host:",
  "Host: ]:-1//%%",
  "Host: x\r\nHost: y"
]

describe("no spelling gets around authorization", () => {
  it.live("without a credential, with a wrong one or with one of the other kind", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* startGateway()
      const { secret } = yield* createKey()
      const credentials = [
        [],
        ["Authorization: Bearer wrong"],
        [`Authorization: Bearer ${secret}`],
        [`x-api-key: ${secret}`]
      ]
      for (const [index, target] of targets.entries()) {
        for (const credential of credentials) {
          const host = hosts[index % hosts.length]!
          const lines = [
            `GET ${target} HTTP/1.1`,
            host,
            "X-Original-URL: /admin/keys",
            "X-HTTP-Method-Override: POST",
            ...credential
          ]
          const { answers } = yield* say(url, { pieces: [`${lines.join("\r\n")}\r\n\r\n`], answers: 1 })
          assert.lengthOf(answers, 1, target)
          const { body, headers, status } = answers[0]!
          const why = `${JSON.stringify(target)} ${host} ${credential.join()}: ${status} ${body}`
          // Some of them ask for the key's own page, and get it; some mean the root, which is anybody's.
          if (status === 200) assert.include(["key", "gateway"], JSON.parse(body).object, why)
          else {
            assert.include([400, 401, 403, 404, 405, 429], status, why)
            assert.hasAllKeys(JSON.parse(body), ["error"], why)
          }
          assert.isTrue(headers.has("x-request-id"), why)
          assert.notInclude(body, masterKey)
        }
      }
    })
  )

  it.live("and the right one opens exactly what the router takes the target for", () =>
    Effect.gen(function* () {
      const { url } = yield* startGateway()
      for (const target of targets) {
        const { answers } = yield* say(url, {
          pieces: [`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${masterKey}\r\n\r\n`],
          answers: 1
        })
        const { body, status } = answers[0]!
        if (status === 200 && JSON.parse(body).object !== "gateway")
          assert.deepInclude(JSON.parse(body), { object: "list", has_more: false }, target)
        else if (status === 200) assert.strictEqual(JSON.parse(body).name, "model-gateway", target)
        else assert.include([400, 403, 404], status, `${target}: ${body}`)
      }
    })
  )
})
