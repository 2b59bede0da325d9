/** Pages of other origins: they may call `/v1` where the configuration says so, and nothing else. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { demoYaml, masterKey, startGateway } from "../support/RunningGateway.ts"

const PAGE = "https://app.example.com"
const chat = "/v1/chat/completions"
const asking = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type,x-stainless-lang"
}
const corsOf = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")))

const gatewayFor = Effect.fnUntraced(function* (server: string) {
  const gateway = yield* startGateway({ yaml: `server: ${server}\n${demoYaml}` })
  const { secret } = yield* gateway.createKey()
  const preflight = (path: string, origin = PAGE) =>
    call(gateway.url, { method: "OPTIONS", path, headers: { origin, ...asking } })
  return { ...gateway, secret, preflight }
})

it.live("a page of an allowed origin may ask, call and read the gateway's headers", () =>
  Effect.gen(function* () {
    const { preflight, secret, url } = yield* gatewayFor(`{ cors: { origins: ["${PAGE}"] } }`)
    for (const path of [chat, "/openai/v1/chat/completions", "/v1/models/demo/mini"]) {
      const { headers, status, text } = yield* preflight(path)
      assert.deepStrictEqual([status, text], [204, ""])
      assert.strictEqual(headers["access-control-allow-origin"], PAGE)
      assert.include(headers["access-control-allow-methods"], "POST")
      assert.strictEqual(headers["access-control-allow-headers"], asking["access-control-request-headers"])
      assert.strictEqual(headers["vary"], "Origin")
      assert.isUndefined(headers["access-control-allow-credentials"])
    }
    const body = { model: "demo/mini", messages: [{ role: "user", content: "Hi" }] }
    for (const stream of [false, true]) {
      const given = { path: chat, key: secret, headers: { origin: PAGE }, body: { ...body, stream } }
      const { headers, status } = yield* call(url, given)
      assert.deepStrictEqual([status, headers["access-control-allow-origin"]], [200, PAGE])
      const exposed = new Set(headers["access-control-expose-headers"]?.toLowerCase().split(", "))
      const own = Object.keys(headers).filter((name) => /^x-(gateway|ratelimit|request)-/.test(name))
      assert.isAbove(own.length, 5)
      for (const name of own) assert.isTrue(exposed.has(name), name)
    }
    // A page can read why it was refused.
    for (const [path, key] of [
      [chat, "nonsense"],
      ["/v1/nothing", secret]
    ] as const) {
      const refused = yield* call(url, { path, key, headers: { origin: PAGE }, body })
      assert.strictEqual(refused.headers["access-control-allow-origin"], PAGE)
    }
  })
)

it.live("a page of any other origin gets no permission, and /admin gives none to anybody", () =>
  Effect.gen(function* () {
    const { preflight, secret, url } = yield* gatewayFor(`{ cors: { origins: ["${PAGE}"] } }`)
    for (const origin of ["https://evil.example", "http://app.example.com", `${PAGE}.evil.example`, "null"]) {
      const { headers, status } = yield* preflight(chat, origin)
      assert.deepStrictEqual([status, corsOf(headers)], [204, {}])
      const read = yield* call(url, { method: "GET", path: "/v1/models", key: secret, headers: { origin } })
      assert.deepStrictEqual([read.status, corsOf(read.headers)], [200, {}])
    }
    assert.deepStrictEqual(corsOf((yield* preflight("/admin/keys")).headers), {})
    const keys = yield* call(url, { method: "GET", path: "/admin/keys", key: masterKey, headers: { origin: PAGE } })
    assert.deepStrictEqual([keys.status, corsOf(keys.headers)], [200, {}])
  })
)

it.live("every origin may be allowed, and none is by default; asking beforehand never counts as a wrong key", () =>
  Effect.gen(function* () {
    const open = yield* gatewayFor('{ cors: { origins: ["*"] } }')
    assert.strictEqual((yield* open.preflight(chat, "https://any.example")).headers["access-control-allow-origin"], "*")
    const closed = yield* gatewayFor("{ auth_failures_per_minute: 1 }")
    for (let times = 0; times < 3; times++) {
      const { headers, status } = yield* closed.preflight(chat)
      assert.deepStrictEqual([status, corsOf(headers)], [204, {}])
    }
    // No page asks like this, but monitors and scanners do, without a key or with a wrong one.
    for (const key of [undefined, "nonsense", closed.secret]) {
      const plain = yield* call(closed.url, { method: "OPTIONS", path: chat, ...(key === undefined ? {} : { key }) })
      assert.deepStrictEqual([plain.status, plain.text, plain.headers["allow"]], [204, "", "POST, OPTIONS"])
      assert.isString(plain.headers["x-request-id"])
    }
  })
)
