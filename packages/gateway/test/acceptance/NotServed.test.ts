/** What the gateway does not do, and says so: other APIs of the vendors, WebSockets, files of one provider at another. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import OpenAI from "openai"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const started = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream(() => ({ body: completion("read") }))
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }, too: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 } }
  - { id: mine, provider: too, model: m, price: { input: 1, output: 2 } }
  - { id: only, provider: too, model: other, price: { input: 1, output: 2 } }
models: { alias: [up/m] }
router: { buckets: { simple: [up/m], standard: [mine], complex: [only], reasoning: [only] } }
`
  })
  return { ...gateway, asked, secret: (yield* gateway.createKey()).secret }
})

describe("other APIs of the vendors", () => {
  it.live("are not served, which is said at once, with what would do instead", () =>
    Effect.gen(function* () {
      const { client, secret, url } = yield* started
      for (const [method, path, said] of [
        ["GET", "/v1/files", "does not serve files. Send a file's content in the request"],
        ["POST", "/v1/files/file-1/content", "does not serve files"],
        ["POST", "/openai/v1/batches?a=1", "does not serve batches. Send the requests one by one"],
        ["POST", "/v1/messages/batches", "does not serve batches"],
        ["POST", "/v1/vector_stores/vs_1/search", "does not serve vector stores"],
        ["POST", "/v1//realtime/sessions/", "does not serve realtime sessions"],
        ["POST", "/v1/conversations", "does not serve conversations. Name the last response in `previous_response_id`"],
        ["POST", "/v1/assistants", "does not serve assistants"],
        ["POST", "/v1/threads/t/runs", "does not serve assistants"],
        ["POST", "/v1/fine_tuning/jobs", "does not serve fine-tuning"]
      ] as const) {
        const body = method === "POST" ? { body: {} } : {}
        const { json, status } = yield* call(url, { method, path, key: secret, ...body })
        assert.deepStrictEqual([status, json.error.type, json.error.code], [404, "invalid_request_error", "not_found"])
        assert.include(json.error.message, said)
      }
      const { json } = yield* call(url, { path: "/v1/filesystem", key: secret, body: {} })
      assert.strictEqual(json.error.message, "There is nothing at POST /v1/filesystem.")
      const upload = { file: new File(["x"], "x.txt"), purpose: "user_data" } as const
      const refused = yield* Effect.promise(() =>
        client(secret)
          .files.create(upload)
          .catch((error: unknown) => error)
      )
      assert.instanceOf(refused, OpenAI.NotFoundError)
      assert.include(String(refused), "does not serve files")
    })
  )

  it.live("open no WebSocket: a request that asks for one gets what any other gets at its path", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* started
      const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" }
      for (const [path, expected] of [
        ["/v1/realtime?model=m", [404, "not_found"]],
        ["/v1/responses/resp_1", [404, "not_found"]],
        ["/v1/chat/completions", [405, "method_not_allowed"]],
        ["/admin/keys", [403, "wrong_key_kind"]]
      ] as const) {
        const { json, status } = yield* call(url, { method: "GET", path, key: secret, headers: upgrade })
        assert.deepStrictEqual([status, json.error.code], [...expected])
      }
      const { headers, json, status: refused } = yield* call(url, { method: "GET", path: "/v1/responses", key: secret })
      assert.deepStrictEqual([refused, json.error.code], [426, "websocket_not_served"])
      assert.deepInclude(headers, { upgrade: "HTTP/1.1", connection: "close" })
      assert.include(json.error.message, "send the request as POST")
      // Other wishes are left unmet, as HTTP has it.
      const h2c = { connection: "Upgrade", upgrade: "h2c" }
      const { status } = yield* call(url, { method: "GET", path: "/v1/models", key: secret, headers: h2c })
      assert.strictEqual(status, 200)
    })
  )
})

describe("a base URL that is not quite right", () => {
  it.live("gets the endpoint that was meant", () =>
    Effect.gen(function* () {
      const { client, secret, url } = yield* started
      for (const [path, meant] of [
        ["/chat/completions", "/v1/chat/completions"],
        ["/v1/v1/messages", "/v1/messages"],
        ["/anthropic/v1/messages/count_tokens?beta=true", "/v1/messages/count_tokens"],
        ["/openai/deployments/m/chat/completions?api-version=1", "/v1/chat/completions"]
      ] as const) {
        const { json, status } = yield* call(url, { path, key: secret, body: {} })
        assert.deepStrictEqual([status, json.error.code], [404, "not_found"])
        assert.include(json.error.message, `Did you mean ${meant}? Check the client's base URL.`)
      }
      for (const path of ["/v1", "/v1/"]) {
        const { json } = yield* call(url, { method: "GET", path, key: secret })
        assert.include(json.error.message, "The API is under /v1; /docs describes it.")
      }
      const admin = yield* call(url, { path: "/admin/models", key: secret, body: {} })
      assert.strictEqual(admin.json.error.message, "There is nothing at POST /admin/models.")
      const refused = yield* Effect.promise(() =>
        client(secret)
          .withOptions({ baseURL: url })
          .chat.completions.create({ model: "m", messages: [{ role: "user", content: "Hi" }] })
          .catch((error: unknown) => error)
      )
      assert.include(String(refused), "Did you mean /v1/chat/completions?")
    })
  )

  it.live("is told to clients of Anthropic in the shape that they read", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* started
      const headers = { "anthropic-version": "2023-06-01" }
      for (const [method, path, status, said] of [
        ["POST", "/v1/v1/messages", 404, "Did you mean /v1/messages?"],
        ["POST", "/v1/messages/batches", 404, "does not serve batches"],
        ["DELETE", "/v1/models?key=hidden", 405, "does not allow DELETE"]
      ] as const) {
        const answer = yield* call(url, { method, path, key: secret, headers, ...(method === "POST" && { body: {} }) })
        assert.deepStrictEqual([answer.status, answer.json.type], [status, "error"])
        assert.strictEqual(answer.json.request_id, answer.headers["request-id"])
        assert.strictEqual(answer.json.request_id, answer.headers["x-request-id"])
        assert.include(answer.json.error.message, said)
        assert.notInclude(answer.text, "hidden")
      }
    })
  )
})

describe("a file that is named by its id", () => {
  const parts = [
    ["file.file_id", { type: "file", file: { file_id: "file-1" } }],
    ["file_id", { type: "input_file", file_id: "file-1" }],
    ["file_id", { type: "input_image", file_id: "file-1" }],
    ["source.file_id", { type: "document", source: { type: "file", file_id: "file-1" } }]
  ] as const

  it.live("goes to the deployment that the caller named, and nowhere else", () =>
    Effect.gen(function* () {
      const { asked, secret, url } = yield* started
      const ask = (model: string, part: object) => {
        const body = { model, messages: [{ role: "user", content: [{ type: "text", text: "Read" }, part] }] }
        return call(url, { path: "/v1/chat/completions", key: secret, body })
      }
      for (const [at, part] of parts) {
        for (const model of ["auto", "alias", "m"]) {
          const { json, status } = yield* ask(model, part)
          const param = `messages[0].content[1].${at}`
          assert.deepStrictEqual([status, json.error.code, json.error.param], [400, "invalid_field", param], model)
          assert.include(json.error.message, "`file_data`")
        }
      }
      assert.lengthOf(asked, 0)
      for (const model of ["up/m", "mine", "too/m", "only"]) {
        const { status, text } = yield* ask(model, parts[0][1])
        assert.strictEqual(status, 200, text)
      }
      const held = { type: "file", file: { filename: "a.txt", file_data: "data:text/plain;base64,aGk=" } }
      assert.strictEqual((yield* ask("alias", held)).status, 200)
    })
  )
})
