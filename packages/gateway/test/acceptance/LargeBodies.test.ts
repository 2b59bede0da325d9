/** Bodies of megabytes through the real port: what reaches the provider is what was sent, and others are answered meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { call } from "../support/RawHttp.ts"
import { demoYaml, startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream, vendorError } from "../support/Upstream.ts"

const MB = 2 ** 20
const strange = 'Quotes \\" \\\\ \\n, halves \\ud800, 漢字 🜁 \\u6f22. '
const text = strange.repeat(Math.ceil((2 * MB) / Buffer.byteLength(strange)))
const picture = `data:image/png;base64,${"iVBORw0KGgo".repeat(100_000)}`
const messages = `[{"role":"developer","content":"${text}"},{"role":"user","content":[{"type":"text","text":"${text}"},
  {"type":"image_url","image_url":{"url":"${picture}"}}]}]`
const bodyFor = (model: string, more = "") =>
  `{"messages":${messages},"user":null,"model":"${model}","max_tokens":9${more}}`

const started = Effect.gen(function* () {
  const up = yield* upstream(({ body }) =>
    body.model === "bad"
      ? { status: 500, body: vendorError("broken") }
      : { body: body.stream === true ? completionEvents("one") : completion("one") }
  )
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }, { provider: up, model: bad, price: { input: 1, output: 2 } }]
models: { shaky: [up/bad, up/m] }
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  const send = (body: string | Uint8Array) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers: { "content-type": "application/json" },
      body
    })
  return { ...gateway, send, up }
})

describe("a body of megabytes", () => {
  it.live("reaches the provider as it was sent, plain, streamed and at the second deployment", () =>
    Effect.gen(function* () {
      const { send, up } = yield* started
      const sent = JSON.parse(messages) as ReadonlyArray<object>
      const [, user] = sent
      for (const body of [bodyFor("up/m"), bodyFor("up/m", ',"stream":true'), bodyFor("shaky")]) {
        const before = up.asked.length
        const { status, text: answer } = yield* send(body)
        assert.strictEqual(status, 200, answer.slice(0, 300))
        for (const asked of up.asked.slice(before)) {
          assert.strictEqual(asked.headers["content-type"], "application/json")
          assert.deepStrictEqual(Object.keys(asked.body).sort(), [
            "max_tokens",
            "messages",
            "model",
            ...(body.includes("stream") ? ["stream", "stream_options"] : [])
          ])
          assert.isTrue(JSON.stringify(asked.body.messages[1]) === JSON.stringify(user), "the user's message")
          assert.strictEqual(asked.body.messages[0].role, "system")
          assert.isTrue(asked.body.messages[0].content === JSON.parse(`"${text}"`), "the developer's message")
        }
      }
      const models = up.asked.map(({ body }) => body.model)
      assert.deepStrictEqual(models.slice(0, 3), ["m", "m", "bad"])
      assert.strictEqual(models.at(-1), "m")
    })
  )

  it.live("is a 400 where it is no JSON, and holds up nobody's next request", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      for (const broken of [
        bodyFor("up/m").slice(0, -1),
        bodyFor("up/m").replace("Quotes", "\n"),
        bodyFor("up/m", ",")
      ]) {
        const { json, status } = yield* send(broken)
        assert.deepStrictEqual([status, json.error.code], [400, "invalid_json"])
        assert.notInclude(json.error.message, "Quotes")
      }
      const all = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 6 }), () => send(bodyFor("up/m")), { concurrency: 6 })
      )
      assert.strictEqual((yield* send('{"model":"up/m","messages":[{"role":"user","content":"Hi"}]}')).status, 200)
      for (const { status } of yield* Fiber.join(all)) assert.strictEqual(status, 200)
    })
  )

  it.live("is answered by the demo provider", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* startGateway({ yaml: demoYaml })
      const { secret } = yield* createKey()
      const { status, text: answer } = yield* call(url, {
        path: "/v1/chat/completions",
        key: secret,
        headers: { "content-type": "application/json" },
        body: `{"model":"demo/mini","messages":[{"role":"user","content":"${"word ".repeat(60_000)}"}]}`
      })
      assert.strictEqual(status, 200, answer)
    })
  )
})
