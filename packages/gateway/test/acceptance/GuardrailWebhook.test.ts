import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { JsonObject } from "../../src/core/domain/Json.ts"
import { Script } from "../../src/testing/Script.ts"
import { TestGateway } from "../../src/testing/TestGateway.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Asked, completion, completionEvents, type Reply, upstream } from "../support/Upstream.ts"

const SECRET = "0123456789abcdef-secret"
const NAME = "Ada Lovelace"

interface Text {
  readonly i: number
  readonly role: string
  readonly kind: string
  readonly text: string
}

/** Masks a name wherever it stands. */
const masking = ({ body }: Asked): Reply => {
  const spans = (body.texts as ReadonlyArray<Text>).flatMap(({ i, text }) => {
    const at = text.indexOf(NAME)
    const from = Array.from(text.slice(0, Math.max(0, at))).length
    return at < 0 ? [] : [{ i, from, to: from + NAME.length, label: "person" }]
  })
  return { body: spans.length === 0 ? { action: "allow" } : { action: "mask", spans } }
}

const gatewayWith = (provider: string, receiver: string, fields = "") =>
  startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${provider}", api_key: none }
deployments: [up/m]
guardrails:
  checks:
    dlp: { kind: webhook, url: "${receiver}/check", secret: "${SECRET}", allow_private: true, ${fields} }
    mail: { kind: pii, detect: [email], action: mask }
  policies: { strict: { request: [dlp, mail], response: [dlp, mail] }, asked: { request: [dlp] } }
  always: [${fields.includes("asked") ? "asked" : "strict"}]
`
  })

const said = (content: string, stream = false) => ({ model: "up/m", stream, messages: [{ role: "user", content }] })

const texts = ({ body }: Asked): ReadonlyArray<string> => (body.texts as ReadonlyArray<Text>).map(({ text }) => text)

const contentOf = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? "")
    .join("")

describe("a webhook of guardrails, on the gateway's own port", () => {
  it.effect("is sent what the local checks left, signed, and masks requests and responses", () =>
    Effect.gen(function* () {
      const receiver = yield* upstream(masking)
      const provider = yield* upstream(() => ({ body: completion(`\u{1f44b} ${NAME} has written to you`) }))
      const gateway = yield* gatewayWith(provider.baseUrl, receiver.baseUrl)
      const { secret: key } = yield* gateway.createKey()
      const answer = yield* call(gateway.url, {
        path: "/v1/chat/completions",
        key,
        body: said(`mail ${NAME} at ada@example.com`)
      })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.match(answer.json.choices[0].message.content, /^\u{1f44b} <PERSON_[a-z2-7]{8}> has written to you$/u)
      assert.match(JSON.stringify(provider.asked[0]?.body), /mail <PERSON_[a-z2-7]{8}> at <EMAIL_[a-z2-7]{8}>/)
      const [request, response] = receiver.asked
      assert.deepInclude(request?.body, { v: 1, stage: "request", final: true, operation: "chat", model: "up/m" })
      assert.match(texts(request!).join(), new RegExp(`mail ${NAME} at <EMAIL_`))
      assert.strictEqual(response?.body.stage, "response")
      for (const { headers, text } of receiver.asked) {
        const hmac = createHmac("sha256", SECRET).update(`${headers["x-gateway-timestamp"]}.${text}`).digest("hex")
        assert.strictEqual(headers["x-gateway-signature"], `v1=${hmac}`)
      }
      assert.strictEqual(answer.headers["x-gateway-guardrail-action"], "masked")
    }).pipe(Effect.scoped)
  )

  it.effect("holds a stream until the sentences are allowed, and masks across events", () =>
    Effect.gen(function* () {
      const receiver = yield* upstream(masking)
      const words = [..."It was a long day for everybody. ".repeat(40), ...NAME, ..." left."]
      const provider = yield* upstream(() => ({ body: completionEvents(...words) }))
      const gateway = yield* gatewayWith(provider.baseUrl, receiver.baseUrl)
      const { secret: key } = yield* gateway.createKey()
      const answer = yield* call(gateway.url, { path: "/v1/chat/completions", key, body: said("Hi", true) })
      const expected = words.join("").replace(NAME, "<PERSON_>")
      assert.strictEqual(contentOf(answer.text).replace(/_[a-z2-7]{8}>/, "_>"), expected)
      assert.notInclude(answer.text, "Lovelace")
      const asked = receiver.asked.filter(({ body }) => body.stage === "response")
      assert.deepStrictEqual(
        asked.map(({ body }) => body.final),
        [false, true]
      )
      const [first, last] = asked.map((one) => texts(one).join(""))
      assert.isTrue(first!.endsWith("day for everybody. ") || first!.endsWith("day for everybody."), first)
      assert.strictEqual(asked[1]!.body.context[0].text, first!.slice(-200))
      assert.strictEqual(first! + last!, words.join(""))
    }).pipe(Effect.scoped)
  )

  it.effect("denies a stream before a word of the denied segment leaves", () =>
    Effect.gen(function* () {
      const receiver = yield* upstream((asked) => ({
        body: texts(asked).some((text) => text.includes(NAME))
          ? { action: "deny", reason: "person" }
          : { action: "allow" }
      }))
      const provider = yield* upstream(() => ({ body: completionEvents("She is ", ...NAME, ".") }))
      const gateway = yield* gatewayWith(provider.baseUrl, receiver.baseUrl)
      const { secret: key } = yield* gateway.createKey()
      const answer = yield* call(gateway.url, { path: "/v1/chat/completions", key, body: said("Hi", true) })
      assert.strictEqual(contentOf(answer.text), "")
      assert.include(answer.text, '"finish_reason":"content_filter"')
      assert.include(answer.text, '"guardrail":{"check":"dlp","action":"deny"}')
      assert.include(answer.text, "[DONE]")
      const request = yield* call(gateway.url, { path: "/v1/chat/completions", key, body: said(NAME) })
      assert.strictEqual(request.status, 400)
      assert.deepInclude(request.json.error, { code: "guardrail_denied", guardrail: { check: "dlp", rule: "person" } })
    }).pipe(Effect.scoped)
  )

  const failures: ReadonlyArray<readonly [what: string, reply: Reply]> = [
    ["is not JSON", { body: "allow" }],
    ["has an unknown action", { body: { action: "hide" } }],
    ["masks outside of a text", { body: { action: "mask", spans: [{ i: 0, from: 0, to: 99 }] } }],
    ["masks a text that was not sent", { body: { action: "mask", texts: [{ i: 7, text: "" }] } }],
    ["masks nothing", { body: { action: "mask" } }],
    ["is larger than 1 MiB", { body: { action: "allow", reason: "x", more: "a".repeat(1_048_576) } }],
    ["is half of one", { body: '{"action":', headers: { "content-length": "99" }, ending: "reset" }],
    ["redirects", { status: 307, headers: { location: "/check" }, body: { action: "allow" } }],
    ["has status 500", { status: 500, body: { action: "allow" } }]
  ]
  for (const onError of ["deny", "allow"]) {
    it.effect(`fails where its response is wrong, with on_error: ${onError}`, () =>
      Effect.gen(function* () {
        // What is right in between keeps the receiver asked.
        const receiver = yield* upstream((_, number) =>
          number % 2 === 0 ? failures[number / 2]![1] : { body: { action: "allow" } }
        )
        const provider = yield* upstream(() => ({ body: completion("fine") }))
        const gateway = yield* gatewayWith(provider.baseUrl, receiver.baseUrl, `on_error: ${onError}, message: asked`)
        const { secret: key } = yield* gateway.createKey()
        for (const [index, [what]] of failures.entries()) {
          const answer = yield* call(gateway.url, { path: "/v1/chat/completions", key, body: said("Hi") })
          assert.strictEqual(answer.status, onError === "deny" ? 503 : 200, `${what}: ${answer.text}`)
          if (onError === "deny") {
            assert.strictEqual(answer.json.error.code, "guardrail_unavailable")
            assert.strictEqual(answer.headers["retry-after"], "1")
          }
          const id = answer.headers["x-gateway-receipt-id"] ?? answer.headers["x-request-id"]
          const receipt = yield* call(gateway.url, { method: "GET", path: `/v1/receipts/${id}`, key })
          const action = onError === "deny" ? "error_denied" : "error_allowed"
          assert.deepInclude(receipt.json.guardrails[0], { check: "dlp", stage: "request", action })
          const right = yield* call(gateway.url, { path: "/v1/chat/completions", key, body: said("Hi") })
          assert.strictEqual(right.status, 200)
          // No redirect was followed, and nothing was sent twice.
          assert.strictEqual(receiver.asked.length, 2 * (index + 1), what)
        }
        assert.strictEqual(provider.asked.length, (onError === "deny" ? 1 : 2) * failures.length)
      }).pipe(Effect.scoped)
    )
  }
})

const inMemory = (receiver: string, fields: JsonObject = {}) =>
  TestGateway.layer({
    deployments: [{ id: "gpt", provider: "openai", model: "gpt-5-mini" }],
    guardrails: {
      checks: { dlp: { kind: "webhook", url: receiver, secret: SECRET, ...fields } },
      policies: { asked: { request: ["dlp"] }, written: { response: ["dlp"] } }
    },
    scripts: { openai: [Script.answer("hello")] }
  })

const chat = (policy: string, fields: JsonObject = {}) =>
  Effect.gen(function* () {
    const gateway = yield* TestGateway
    const secret = yield* gateway.createKey()
    return yield* gateway.send({
      method: "POST",
      path: "/v1/chat/completions",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "x-gateway-guardrails": policy
      },
      body: { model: "gpt", messages: [{ role: "user", content: "Hi" }], ...fields }
    })
  })

describe("a webhook of guardrails that gives no verdict", () => {
  for (const address of ["http://127.0.0.1:9/", "http://[::1]:9/", "http://169.254.169.254/", "http://10.0.0.1/"]) {
    it.effect(`is not asked at ${address}, which is private`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* chat("asked")).status, 503)
      }).pipe(Effect.provide(inMemory(address)))
    )
  }

  it.effect("is left after its timeout", () =>
    Effect.gen(function* () {
      const heard = Promise.withResolvers<void>()
      const { baseUrl } = yield* upstream(() => (heard.resolve(), { gate: new Promise(() => {}) }))
      const fields = { allow_private: true, timeout: "3s", on_error: "allow" }
      yield* Effect.gen(function* () {
        const answering = yield* Effect.forkChild(chat("asked"))
        yield* Effect.promise(() => heard.promise)
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* Fiber.join(answering)).status, 200)
      }).pipe(Effect.provide(inMemory(baseUrl, fields)))
    }).pipe(Effect.scoped)
  )

  it.effect("is not asked for 10 s after five failures in a row", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(() => ({ status: 500 }))
      yield* Effect.gen(function* () {
        for (let time = 0; time < 7; time++) assert.strictEqual((yield* chat("asked")).status, 503)
        assert.strictEqual(asked.length, 5)
        assert.strictEqual((yield* chat("asked")).headers["retry-after"], "10")
        yield* TestClock.adjust("10 seconds")
        yield* chat("asked")
        assert.strictEqual(asked.length, 6)
      }).pipe(Effect.provide(inMemory(baseUrl, { allow_private: true })))
    }).pipe(Effect.scoped)
  )

  it.effect("denies a complete response that is charged, and ends a stream as denied", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* upstream(() => ({ status: 500 }))
      yield* Effect.gen(function* () {
        const complete = yield* chat("written")
        assert.strictEqual(complete.status, 503)
        assert.strictEqual(complete.headers["x-should-retry"], "false")
        const streamed = yield* chat("written", { stream: true })
        const text = Buffer.from(streamed.bytes).toString()
        assert.notInclude(text, "hello")
        assert.include(text, '"finish_reason":"content_filter"')
        assert.isAbove(yield* (yield* TestGateway).spent, 0)
      }).pipe(Effect.provide(inMemory(baseUrl, { allow_private: true })))
    }).pipe(Effect.scoped)
  )

  it.effect("lets responses pass with on_error: allow", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* upstream(() => ({ status: 500 }))
      yield* Effect.gen(function* () {
        for (const stream of [false, true]) {
          assert.include(Buffer.from((yield* chat("written", { stream })).bytes).toString(), "hello")
        }
      }).pipe(Effect.provide(inMemory(baseUrl, { allow_private: true, on_error: "allow" })))
    }).pipe(Effect.scoped)
  )
})
