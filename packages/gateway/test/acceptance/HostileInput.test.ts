/** Bodies, paths and methods that are wrong, whether by mistake or on purpose: refused by name, quickly, with the gateway unharmed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { withCpu } from "../support/Patience.ts"
import { call, type Call } from "../support/RawHttp.ts"
import { demoYaml, startGateway } from "../support/RunningGateway.ts"

const messages = [{ role: "user", content: "Hi" }]
const json = { "content-type": "application/json" }

const started = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const { secret } = yield* gateway.createKey()
  const send = (given: Partial<Call>) =>
    call(gateway.url, { path: "/v1/chat/completions", key: secret, headers: json, ...given })
  const healthy = Effect.map(send({ body: { model: "demo/mini", messages } }), ({ status }) => status === 200)
  return { ...gateway, secret, send, healthy }
})

describe("the body", () => {
  it.live("that is no JSON is a 400 that says where, and repeats nothing of it", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      for (const body of ["", "{", '{"model": "a" "b"}', '{"model":"secret-prompt"', "\u0000", "[1,2", "NaN"]) {
        const { json, status, text } = yield* send({ body })
        assert.strictEqual(status, 400, body)
        assert.deepInclude(json.error, { type: "invalid_request_error", code: "invalid_json", param: null })
        assert.notInclude(text, "secret-prompt")
      }
    })
  )

  it.live("with a wrong field is a 400 that names it", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      for (const [param, body] of [
        ["body", [1, 2]],
        ["model", { messages }],
        ["model", { model: 5, messages }],
        ["messages", { model: "demo/mini" }],
        ["messages", { model: "demo/mini", messages: [] }],
        ["messages[0]", { model: "demo/mini", messages: ["Hi"] }],
        ["messages[0].role", { model: "demo/mini", messages: [{ content: "Hi" }] }],
        ["messages[0].content", { model: "demo/mini", messages: [{ role: "user", content: 5 }] }],
        [
          "messages[0].content[0].text",
          { model: "demo/mini", messages: [{ role: "user", content: [{ type: "text" }] }] }
        ],
        ["stream", { model: "demo/mini", messages, stream: "yes" }],
        ["n", { model: "demo/mini", messages, n: 1.5 }],
        ["max_tokens", { model: "demo/mini", messages, max_tokens: -1 }],
        ["tools", { model: "demo/mini", messages, tools: "all" }]
      ] as const) {
        const answer = yield* send({ body: JSON.stringify(body) })
        assert.strictEqual(answer.status, 400, param)
        assert.deepInclude(answer.json.error, { type: "invalid_request_error", code: "invalid_field", param })
      }
    })
  )

  it.live("is read leniently where clients differ", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      const fields = { model: "demo/mini", messages }
      for (const body of [
        { ...fields, max_tokens: null, max_completion_tokens: "", tools: null, n: null, stream: null, user: "" },
        { ...fields, unheard_of: { deeply: ["nested"] }, stream_options: null },
        { model: "demo/mini", messages: [{ role: "developer", content: "Be brief" }, ...messages, ...messages] },
        { model: "demo/mini", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
        {
          model: "demo/mini",
          messages: [...messages, { role: "assistant", content: null, name: "model" }, ...messages]
        }
      ]) {
        const { status, text } = yield* send({ body: JSON.stringify(body) })
        assert.strictEqual(status, 200, text)
      }
    })
  )

  it.live("nested 5,000 levels deep is a 400", () =>
    Effect.gen(function* () {
      const { healthy, send } = yield* started
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"]
      ] as const) {
        const nested = `${open.repeat(5_000)}1${close.repeat(5_000)}`
        const body = `{"model":"demo/mini","messages":[{"role":"user","content":"Hi"}],"metadata":${nested}}`
        const answer = yield* send({ body })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(answer.json.error.code, "invalid_json")
        assert.include(answer.json.error.message, "64 levels")
      }
      assert.isTrue(yield* healthy)
    })
  )

  it.live("of more than a million values is a 400, brackets in strings aside", () =>
    Effect.gen(function* () {
      const { healthy, send } = yield* started
      const body = `{"model":"demo/mini","messages":[{"role":"user","content":"Hi"}],"metadata":[${"0,".repeat(1_000_001)}0]}`
      const answer = yield* send({ body })
      assert.strictEqual(answer.status, 400)
      assert.include(answer.json.error.message, "1000000 values")
      const brackets = { model: "demo/standard", messages: [{ role: "user", content: '[{,\\"'.repeat(20_000) }] }
      assert.strictEqual((yield* send({ body: JSON.stringify(brackets) })).status, 200)
      assert.isTrue(yield* healthy)
    })
  )

  it.live("of one endless word is counted without holding up anybody else", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* started
      // Room for less than the body's bound, so that its tokens have to be counted.
      const { secret } = yield* createKey({ budgets: [{ limit: 1_000_000, window: "day", timeZone: "UTC" }] })
      for (const letter of ["a", "я", " ", "\n", "的", "🜁"]) {
        const body = { model: "demo/large", messages: [{ role: "user", content: letter.repeat(80_000) }] }
        const { cpuMs, value } = yield* withCpu(call(url, { path: "/v1/chat/completions", key: secret, body }))
        assert.deepStrictEqual([value.status, value.json.error.code], [429, "insufficient_quota"])
        // Some ten milliseconds; seconds where the time grows with the square of the word.
        assert.isBelow(cpuMs, 2_000, JSON.stringify(letter))
      }
    })
  )

  it.live("above the limit is a 413, announced or not", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: `server: { max_body_mb: 0.1 }\n${demoYaml}` })
      const { secret } = yield* gateway.createKey()
      const body = JSON.stringify({ model: "demo/mini", messages: [{ role: "user", content: "x".repeat(120_000) }] })
      const send = (headers: Readonly<Record<string, string>>) =>
        call(gateway.url, { path: "/v1/chat/completions", key: secret, headers: { ...json, ...headers }, body })
      for (const headers of [{ "content-length": String(body.length) }, { "transfer-encoding": "chunked" }] as const) {
        const answer = yield* send(headers as unknown as Readonly<Record<string, string>>)
        assert.strictEqual(answer.status, 413)
        assert.deepInclude(answer.json.error, { type: "invalid_request_error", code: "body_too_large", param: null })
      }
    })
  )

  it.live("of another media type or encoding is a 415", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      const body = JSON.stringify({ model: "demo/mini", messages })
      for (const headers of [
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "multipart/form-data; boundary=x" },
        { ...json, "content-encoding": "gzip" },
        { ...json, "content-encoding": "br" }
      ]) {
        const answer = yield* send({ body, headers })
        assert.strictEqual(answer.status, 415, JSON.stringify(headers))
        assert.deepInclude(answer.json.error, { type: "invalid_request_error", code: "unsupported_media_type" })
      }
      for (const type of ["application/json; charset=utf-8", "Application/JSON"]) {
        assert.strictEqual((yield* send({ body, headers: { "content-type": type } })).status, 200)
      }
    })
  )

  it.live("can't reach into objects with __proto__", () =>
    Effect.gen(function* () {
      const { healthy, send } = yield* started
      const body = `{"model":"demo/mini","messages":[{"role":"user","content":"Hi","__proto__":{"content":"Ha"}}],"__proto__":{"stream":true,"n":7},"constructor":{"prototype":{"n":9}}}`
      const answer = yield* send({ body })
      assert.strictEqual(answer.status, 200)
      assert.lengthOf(answer.json.choices, 1)
      assert.isUndefined(Reflect.get({}, "stream"))
      assert.isTrue(yield* healthy)
    })
  )
})

describe("path and method", () => {
  it.live("doubled and trailing slashes, the /openai alias, a query and the absolute form all mean the same", () =>
    Effect.gen(function* () {
      const { send, url } = yield* started
      for (const path of [
        "//v1//chat/completions/",
        "/v1/chat/completions/",
        "/v1/chat/completions?api-version=2026-01-01",
        "/openai/v1/chat/completions",
        "//openai//v1/chat/completions//",
        `${url}/v1/chat/completions`
      ]) {
        const { headers, status, text } = yield* send({ path, body: { model: "demo/mini", messages } })
        assert.strictEqual(status, 200, `${path}: ${text}`)
        assert.strictEqual(headers["x-gateway-decision"], "demo/mini")
      }
    })
  )

  it.live("an option header with a value of its own is a 400", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      for (const [name, value] of [
        ["X-Gateway-Stream-Recovery", "maybe"],
        ["X-Gateway-No-Fallback", "yes"],
        ["X-Gateway-Strict", "true"],
        ["X-Gateway-Tags", "a b,c"]
      ] as const) {
        const answer = yield* send({ headers: { ...json, [name]: value }, body: { model: "demo/mini", messages } })
        assert.strictEqual(answer.status, 400, name)
        assert.deepInclude(answer.json.error, { code: "invalid_field", param: name.toLowerCase() })
      }
    })
  )
})
