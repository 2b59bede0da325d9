/** The endpoints as values: the product's own and one that only this test has, through everything around them, without a socket. */
import { assert, describe, it } from "@effect/vitest"
import { Script, TestGateway } from "@model-gateway/gateway/testing"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type Endpoint, json } from "../../../src/http/routing/Endpoint.ts"
import { readJson } from "../../../src/http/proxy/ReadBody.ts"
import { InvalidField } from "../../../src/core/domain/Errors.ts"

const echo: Endpoint = {
  method: "POST",
  path: "/v1/echo/{name}/twice",
  handle: Effect.fnUntraced(function* (request, caller) {
    const { value } = yield* readJson(request, 100)
    return json({ name: request.params["name"], team: caller.key.team, said: [value, value] })
  })
}
const pixels: Endpoint = {
  method: "GET",
  path: "/v1/pixels",
  handle: () =>
    Effect.succeed({
      kind: "bytes",
      status: 200,
      headers: { "content-type": "image/png" },
      bytes: Uint8Array.of(137, 80, 78, 71)
    })
}
const counting: Endpoint = {
  method: "GET",
  path: "/v1/counting",
  handle: () =>
    Effect.succeed({
      kind: "stream",
      headers: {},
      events: Stream.concat(
        Stream.make('data: {"n":1}\n\n', 'data: {"n":2}\n\n'),
        Stream.fail(new InvalidField({ param: "n", message: "there is no 3" }))
      ),
      announced: "x-sum",
      trailers: () => ({ "x-sum": "3" })
    })
}
const broken: Endpoint = { method: "DELETE", path: "/v1/broken", handle: () => Effect.die("a fault of its own") }

const started = (options?: object) =>
  TestGateway.layer({
    deployments: ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"],
    endpoints: [echo, pixels, counting, broken],
    scripts: { openai: [Script.answer("Hi")], anthropic: [Script.answer("Hi")] },
    ...options
  })

const setup = Effect.gen(function* () {
  const gateway = yield* TestGateway
  const secret = yield* gateway.createKey({ team: "research" })
  const send = (method: string, path: string, body?: unknown, headers?: { readonly [name: string]: string }) =>
    gateway.send({ method, path, body, headers: { authorization: `Bearer ${secret}`, ...headers } })
  return { gateway, secret, send }
})

describe("an endpoint that is added to the list", () => {
  it.effect("is found by every spelling of its path, and gets what stands in it", () =>
    Effect.gen(function* () {
      const { send } = yield* setup
      for (const path of [
        "/v1/echo/a%20b/twice",
        "//openai/v1/echo/a%20b/twice/?q=1",
        "http://host/v1/echo/a b/twice"
      ]) {
        const { body, headers, status } = yield* send("POST", path, { x: 1 }, { "X-Request-Id": "mine" })
        assert.strictEqual(status, 200, path)
        assert.deepStrictEqual(body, { name: "a b", team: "research", said: [{ x: 1 }, { x: 1 }] })
        assert.strictEqual(headers["x-request-id"], "mine")
        assert.strictEqual(headers["content-type"], "application/json")
      }
    }).pipe(Effect.provide(started()))
  )

  it.effect("is refused as all are: no key, a wrong one, another method, a body that can't be read, a fault", () =>
    Effect.gen(function* () {
      const { send } = yield* setup
      const path = "/v1/echo/a/twice"
      const refused = [
        [yield* send("POST", path, {}, { authorization: "" }), 401, "missing_api_key"],
        [yield* send("POST", path, {}, { authorization: "Bearer mg_wrong" }), 401, "invalid_api_key"],
        [yield* send("PUT", path, {}), 405, "method_not_allowed"],
        [yield* send("POST", path, "{"), 400, "invalid_json"],
        [yield* send("POST", path, "x".repeat(101)), 413, "body_too_large"],
        [yield* send("POST", path, {}, { "content-type": "text/plain" }), 415, "unsupported_media_type"],
        [yield* send("GET", "/v1/nothing"), 404, "not_found"],
        [yield* send("DELETE", "/v1/broken"), 500, "internal_error"]
      ] as const
      for (const [{ body, headers, status }, expected, code] of refused) {
        assert.strictEqual(status, expected, JSON.stringify(body))
        assert.strictEqual((body["error"] as { code: string }).code, code)
        assert.match(headers["x-request-id"]!, /^req_/)
      }
      assert.strictEqual(refused[2][0].headers["allow"], "POST")
    }).pipe(Effect.provide(started()))
  )

  it.effect("answers bytes, and to HEAD without them", () =>
    Effect.gen(function* () {
      const { send } = yield* setup
      const { bytes, headers } = yield* send("GET", "/v1/pixels")
      assert.deepStrictEqual([...bytes], [137, 80, 78, 71])
      assert.deepInclude(headers, { "content-type": "image/png", "content-length": "4" })
      const head = yield* send("HEAD", "/v1/pixels")
      assert.strictEqual(head.bytes.length, 0)
      assert.strictEqual(head.headers["content-length"], "4")
    }).pipe(Effect.provide(started()))
  )

  it.effect("streams events, and what it fails with is its last one, without trailers", () =>
    Effect.gen(function* () {
      const { send } = yield* setup
      const { events, headers, isBroken, status, trailers } = yield* send("GET", "/v1/counting")
      assert.strictEqual(status, 200)
      assert.deepInclude(headers, { "content-type": "text/event-stream; charset=utf-8", trailer: "x-sum" })
      assert.deepStrictEqual(events.slice(0, 2), [{ n: 1 }, { n: 2 }])
      assert.deepNestedInclude(events[2] as object, { "error.param": "n" })
      assert.strictEqual(events.length, 3)
      assert.deepStrictEqual([isBroken, trailers], [true, {}])
    }).pipe(Effect.provide(started()))
  )
})

describe("the gateway without a socket", () => {
  it.effect("has all its endpoints: models, key, receipts, feedback", () =>
    Effect.gen(function* () {
      const { gateway, secret, send } = yield* setup
      const answer = yield* gateway.chat(secret, "openai/gpt-5-mini", "Hello")
      const receipt = `/v1/receipts/${answer.headers["x-gateway-receipt-id"]}`
      assert.strictEqual((yield* send("GET", "/v1/models/openai/gpt-5-mini")).body["id"], "openai/gpt-5-mini")
      assert.strictEqual((yield* send("GET", "/v1/models")).body["object"], "list")
      assert.strictEqual((yield* send("GET", "/v1/key")).body["team"], "research")
      assert.strictEqual((yield* send("POST", `${receipt}/feedback`, { score: 1 })).body["object"], "receipt.feedback")
      assert.deepNestedInclude((yield* send("GET", receipt)).body, { "feedback.score": 1 })
      assert.strictEqual((yield* send("POST", `${receipt}/feedback`, { score: 2 })).status, 400)
    }).pipe(Effect.provide(started()))
  )

  it.effect("takes what callers ask for by header, and says what is wrong with it", () =>
    Effect.gen(function* () {
      const { send } = yield* setup
      const chat = { model: "anthropic/claude-haiku-4-5", messages: [{ role: "user", content: "Hello" }], seed: 3 }
      const strict = yield* send("POST", "/v1/chat/completions", chat, { "X-Gateway-Strict": "1" })
      assert.strictEqual(strict.status, 400)
      const wrong = yield* send("POST", "/v1/chat/completions", chat, { "X-Gateway-Strict": "yes" })
      assert.deepNestedInclude(wrong.body, { "error.param": "x-gateway-strict" })
      const lenient = yield* send("POST", "/v1/chat/completions", chat)
      assert.strictEqual(lenient.status, 200)
      assert.strictEqual(lenient.headers["x-gateway-dropped-params"], "seed")
    }).pipe(Effect.provide(started()))
  )

  it.effect("limits wrong credentials by the minute", () =>
    Effect.gen(function* () {
      const { send } = yield* setup
      const guess = send("GET", "/v1/key", undefined, { authorization: "Bearer mg_wrong" })
      assert.strictEqual((yield* guess).status, 401)
      assert.strictEqual((yield* guess).status, 429)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* guess).status, 401)
    }).pipe(Effect.provide(started({ server: { auth_failures_per_minute: 1 } })))
  )

  it.effect("writes the head of a slow stream early, comments while it waits, and tells at the end who answered", () =>
    Effect.gen(function* () {
      const { gateway, secret } = yield* setup
      const fields = { stream: true }
      const asking = yield* Effect.forkChild(gateway.chat(secret, "openai/gpt-5-mini", "Hello", fields))
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("20 seconds")
      yield* TestClock.adjust("20 seconds")
      const { bytes, headers, text, trailers } = yield* Fiber.join(asking)
      assert.strictEqual(text, "late")
      assert.match(Buffer.from(bytes).toString(), /^: keep-alive\n\n: keep-alive\n\n/)
      assert.include(headers["trailer"], "x-gateway-decision")
      assert.strictEqual(trailers["x-gateway-decision"], "openai/gpt-5-mini")
    }).pipe(
      Effect.provide(
        started({
          server: { early_keepalive: "1s" },
          scripts: { openai: [Script.delay("30 seconds", Script.stream(["late"]))] }
        })
      )
    )
  )
})
