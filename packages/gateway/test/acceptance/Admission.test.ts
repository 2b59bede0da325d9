/** What a request takes before its body is read: its key's limits, and room among the bytes in flight. */
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { eventually, until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { say } from "../support/RawSocket.ts"
import { demoYaml, limits, startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const MB = 2 ** 20

const head = (secret: string, lines: ReadonlyArray<string>, path = "/v1/chat/completions") =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: x",
    "Content-Type: application/json",
    `Authorization: Bearer ${secret}`,
    ...lines,
    "",
    ""
  ].join("\r\n")

const form = (secret: string, length: number) =>
  `${head(secret, [`Content-Length: ${length}`, "X-Form: 1"], "/v1/audio/transcriptions").replace("application/json", "multipart/form-data; boundary=b")}--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`

/** Begins a request and never ends it. */
const begin = (url: string, text: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname).on("error", () => {})
      socket.write(text)
      return socket
    }),
    (socket: Socket) => Effect.sync(() => socket.destroy())
  )

const body = (characters: number) => ({ model: "fast", messages: [{ role: "user", content: "x".repeat(characters) }] })

const ask = (url: string, key: string, characters = 10, headers: Readonly<Record<string, string>> = {}) =>
  call(url, { method: "POST", path: "/v1/chat/completions", key, body: body(characters), headers })

const started = (server = "") => startGateway({ yaml: `${demoYaml}\nserver: { ${server} }\n` })

describe("admission before the body", () => {
  for (const [name, limited, kind] of [
    ["rpm", limits({ rpm: 1 }), "rpm"],
    ["max_parallel", limits({ maxParallel: 1 }), "parallel"]
  ] as const) {
    it.live(`refuses a key's second body while the first, of JSON or a form, is unfinished: ${name}`, () =>
      Effect.gen(function* () {
        const { createKey, url } = yield* started()
        for (const open of [
          (secret: string) => `${head(secret, [`Content-Length: ${MB}`])}{"model":"`,
          (secret: string) => form(secret, MB),
          (secret: string) => `${head(secret, ["Transfer-Encoding: chunked"])}5\r\n{"mod\r\n`
        ]) {
          const { secret } = yield* createKey({ limits: limited })
          const socket = yield* begin(url, open(secret))
          const refused = yield* eventually(ask(url, secret), ({ status }) => status === 429)
          assert.strictEqual(refused.headers["x-gateway-limit-kind"], kind)
          assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
          // Refused by its head: none of the body was sent.
          const heard = yield* say(url, { pieces: [head(secret, [`Content-Length: ${MB}`])], answers: 1 })
          assert.deepStrictEqual(
            heard.answers.map(({ status }) => status),
            [429]
          )
          socket.destroy()
          yield* eventually(ask(url, secret), ({ status }) => status === 200)
        }
      })
    )
  }

  it.live("counts nothing of a request that is refused for its body, its size or its type", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* started("max_body_mb: 1")
      const { secret } = yield* createKey({ limits: limits({ rpm: 1 }) })
      const send = (sent: object) =>
        Effect.map(
          call(url, { method: "POST", path: "/v1/chat/completions", key: secret, ...sent }),
          ({ status }) => status
        )
      assert.strictEqual(yield* send({ body: "{", headers: { "content-type": "application/json" } }), 400)
      assert.strictEqual(yield* send({ body: { model: 5 } }), 400)
      assert.strictEqual(yield* send({ body: body(2 * MB) }), 413)
      assert.strictEqual(yield* send({ body: "x", headers: { "content-type": "text/plain" } }), 415)
      assert.strictEqual((yield* ask(url, secret)).status, 200)
      assert.strictEqual((yield* ask(url, secret)).status, 429)
    })
  )

  it.live("counts a repeated Idempotency-Key as no request", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* started()
      const { secret } = yield* createKey({ limits: limits({ rpm: 2 }) })
      const once = ask(url, secret, 10, { "idempotency-key": "a" })
      assert.strictEqual((yield* once).status, 200)
      for (let time = 0; time < 3; time++) assert.strictEqual((yield* once).headers["x-gateway-replayed"], "1")
      assert.strictEqual((yield* ask(url, secret)).status, 200)
      assert.strictEqual((yield* ask(url, secret)).status, 429)
    })
  )
})

describe("bytes in flight", () => {
  it.live(
    "one key holds at most half, all keys at most all; health, small requests and other keys are served beside",
    () =>
      Effect.gen(function* () {
        const { createKey, url } = yield* started("max_bytes_in_flight_mb: 8")
        const [greedy, other, third] = [yield* createKey(), yield* createKey(), yield* createKey()]
        const holding = (secret: string) => begin(url, `${head(secret, [`Content-Length: ${3 * MB}`])}{"model":"`)
        const refusedBy = (secret: string, size: number) =>
          Effect.map(
            say(url, { pieces: [head(secret, [`Content-Length: ${size}`])], answers: 1 }),
            ({ answers }) => answers[0]!
          )
        const first = yield* holding(greedy.secret)
        const full = yield* eventually(ask(url, greedy.secret, 2 * MB), ({ status }) => status === 503)
        assert.strictEqual(full.json.error.code, "no_room")
        assert.include(full.json.error.message, "This key's requests in flight")
        assert.isAtLeast(Number(full.headers["retry-after"]), 1)
        // Its head is enough.
        assert.strictEqual((yield* refusedBy(greedy.secret, 2 * MB)).status, 503)
        const chunk = `${MB.toString(16)}\r\n${"x".repeat(MB)}\r\n`
        const chunked = yield* say(url, {
          pieces: [head(greedy.secret, ["Transfer-Encoding: chunked"]), chunk, chunk],
          answers: 1
        })
        assert.deepStrictEqual(
          chunked.answers.map(({ status }) => status),
          [503]
        )
        assert.strictEqual((yield* ask(url, greedy.secret)).status, 200)
        assert.strictEqual((yield* ask(url, other.secret, 2 * MB)).status, 200)

        yield* holding(other.secret)
        const all = yield* eventually(ask(url, third.secret, 3 * MB), ({ status }) => status === 503)
        assert.match(all.json.error.message, /^Requests in flight/)
        assert.strictEqual((yield* call(url, { method: "GET", path: "/healthz" })).status, 200)
        assert.strictEqual((yield* ask(url, third.secret)).status, 200)

        first.destroy()
        yield* eventually(ask(url, third.secret, 3 * MB), ({ status }) => status === 200)
      })
  )

  it.live("refuses a body that never has room as too large, not for now", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* started("max_bytes_in_flight_mb: 2")
      const { secret } = yield* createKey()
      const refused = yield* ask(url, secret, 2 * MB)
      assert.strictEqual(refused.status, 413)
      assert.include(refused.json.error.message, String(MB))
    })
  )

  it.live("hold a body until its answer has left, and not longer", () =>
    Effect.gen(function* () {
      let finish = () => {}
      const gate = new Promise<void>((resolve) => (finish = resolve))
      const { asked, baseUrl } = yield* upstream(() => ({ gate, body: completion("hello") }))
      const { createKey, url } = yield* startGateway({
        yaml: `
server: { max_bytes_in_flight_mb: 4 }
providers: { p: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: p, model: fast, id: fast, price: { input: 1, output: 1 }, context_window: 10000000 }]
`
      })
      const { secret } = yield* createKey()
      const asking = yield* Effect.forkChild(ask(url, secret, 1.5 * MB))
      yield* until(() => asked.length > 0)
      assert.strictEqual((yield* ask(url, secret, MB)).status, 503)
      finish()
      assert.strictEqual((yield* Fiber.join(asking)).status, 200)
      yield* eventually(ask(url, secret, 1.5 * MB), ({ status }) => status === 200)
    })
  )

  it.live("count a large answer: without room it ends with 503, and a small one always has room", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* upstream(({ body }) => ({
        body: completion("x".repeat(body.model === "large" ? 3 * MB : 0.9 * MB))
      }))
      const outcomes = Effect.fnUntraced(function* (megabytes: number) {
        const { createKey, url } = yield* startGateway({
          yaml: `
server: { max_bytes_in_flight_mb: ${megabytes} }
providers: { p: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: p, model: large }, { provider: p, model: small }]
failover: { attempts: 1 }
`
        })
        const { secret } = yield* createKey()
        const body = (model: string) => ({ model: `p/${model}`, messages: [{ role: "user", content: "Hi" }] })
        const path = "/v1/chat/completions"
        const of = (model: string) =>
          Effect.map(call(url, { path, key: secret, body: body(model) }), ({ status }) => status)
        return [yield* of("large"), yield* of("small"), yield* of("large")]
      })
      assert.deepStrictEqual(yield* outcomes(1), [503, 200, 503])
      assert.deepStrictEqual(yield* outcomes(16), [200, 200, 200])
    })
  )

  it.live("count kept and stored responses that are sent again, and conversations that a request continues", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* upstream(() => ({ body: completion("x".repeat(1.5 * MB)) }))
      const { createKey, url } = yield* startGateway({
        yaml: `
server: { max_bytes_in_flight_mb: 16 }
providers: { p: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: p, model: fast, id: fast, context_window: 10000000 }]
`
      })
      const { secret: key } = yield* createKey()
      const respond = (fields: object) => call(url, { path: "/v1/responses", key, body: { model: "fast", ...fields } })
      const retrieve = (path: string) => call(url, { method: "GET", path: `/v1/responses/${path}`, key })
      const id: string = (yield* respond({ input: "x".repeat(1.5 * MB) })).json.id
      const again = ask(url, key, 10, { "idempotency-key": "a" })
      const requests = [
        again,
        retrieve(id),
        retrieve(`${id}?stream=true`),
        retrieve(`${id}/input_items`),
        respond({ input: "Go on", previous_response_id: id, store: false })
      ]
      const statuses = Effect.map(Effect.all(requests), (all) => all.map(({ status }) => status))
      assert.strictEqual((yield* again).status, 200)
      const other = yield* begin(url, `${head(key, [`Content-Length: ${7 * MB}`])}{"model":"`)
      yield* eventually(ask(url, key, 1.5 * MB), ({ status }) => status === 503)
      assert.deepStrictEqual(yield* statuses, [503, 503, 503, 503, 503])
      other.destroy()
      yield* eventually(ask(url, key, 2 * MB), ({ status }) => status === 200)
      assert.deepStrictEqual(yield* statuses, [200, 200, 200, 200, 200])
    })
  )

  it.live(
    "answers a crowd of large bodies with what there is room for and readable refusals, and /healthz beside them",
    () =>
      Effect.gen(function* () {
        const { createKey, url } = yield* started("max_bytes_in_flight_mb: 16")
        const { secret } = yield* createKey()
        const crowd = Effect.forEach(Array.from({ length: 40 }), () => ask(url, secret, 3 * MB), {
          concurrency: "unbounded"
        })
        const ended: Array<string> = []
        const health = Effect.tap(call(url, { method: "GET", path: "/healthz" }), ({ status }) =>
          Effect.sync(() => ended.push(`health ${status}`))
        )
        const all = Effect.tap(crowd, () => Effect.sync(() => ended.push("crowd")))
        const [answers] = yield* Effect.all([all, health], { concurrency: "unbounded" })
        assert.deepStrictEqual(ended, ["health 200", "crowd"])
        const statuses = answers.map(({ status }) => status)
        assert.isTrue(
          statuses.every((status) => status === 200 || status === 503),
          String(statuses)
        )
        assert.include(statuses, 200)
        assert.include(statuses, 503)
        yield* eventually(ask(url, secret, 3 * MB), ({ status }) => status === 200)
      })
  )
})
