/** Requests that a client sends ahead, before it has read the responses to those before them. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { quickest, until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { say } from "../support/RawSocket.ts"
import { demoYaml, startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** A gateway with so many deployments that its metrics are large. */
const large = startGateway({
  yaml: demoYaml.replace(
    "deployments: [",
    `deployments: [${Array.from({ length: 100 }, (_, n) => `{ id: "d${n}", provider: demo, model: mini }`).join(", ")}, `
  )
})

describe("requests that are sent ahead", () => {
  for (const path of ["/metrics", "/openapi.json"]) {
    it.live(`for ${path} by the thousand, with nobody reading, hold up no other caller and take no memory`, () =>
      Effect.gen(function* () {
        const { url } = yield* large
        const { hostname, port } = new URL(url)
        const before = process.memoryUsage().rss
        const slow = yield* quickest(
          200,
          Effect.fnUntraced(function* () {
            const socket = connect(Number(port), hostname, () => socket.write(get(path).repeat(3_000)))
            yield* until(() => socket.bytesWritten > 0)
            const began = performance.now()
            for (let times = 0; times < 3; times++) yield* call(url, { method: "GET", path: "/healthz" })
            const took = performance.now() - began
            socket.destroy()
            return took
          })
        )
        assert.isBelow(slow, 200)
        assert.isBelow(process.memoryUsage().rss - before, 200 * 2 ** 20)
      })
    )
  }

  it.live("are answered in their order, all of them", () =>
    Effect.gen(function* () {
      const { url } = yield* startGateway()
      const paths = Array.from({ length: 400 }, (_, n) =>
        n % 100 === 0 ? "/openapi.json" : n % 2 === 0 ? "/healthz" : `/no/${n}`
      )
      const { answers } = yield* say(url, { pieces: [paths.map(get).join("")], answers: paths.length })
      assert.lengthOf(answers, paths.length)
      for (const [n, { body, status }] of answers.entries()) {
        assert.strictEqual(status, n % 2 === 1 ? 404 : 200)
        assert.include(body, n % 100 === 0 ? "openapi" : n % 2 === 0 ? "ok" : `/no/${n}.`)
      }
    })
  )

  it.live("begin one at a time, bodies and all", () =>
    Effect.gen(function* () {
      const gates = [0, 1, 2].map(() => Promise.withResolvers<void>())
      const up = yield* upstream((_, number) => ({
        gate: gates[number]!.promise,
        body: completion(`answer ${number}`)
      }))
      const gateway = yield* startGateway({
        yaml: `
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
`
      })
      const { secret } = yield* gateway.createKey()
      const wish = (content: string) => {
        const body = JSON.stringify({ model: "up/m", messages: [{ role: "user", content }] })
        return `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      }
      const pieces = [wish("a") + wish("b".repeat(300_000)), wish("c")]
      const asking = yield* Effect.forkChild(say(gateway.url, { pieces, answers: 3 }))
      for (const [number, gate] of gates.entries()) {
        yield* until(() => up.asked.length === number + 1)
        yield* call(gateway.url, { method: "GET", path: "/healthz" })
        assert.lengthOf(up.asked, number + 1)
        gate.resolve()
      }
      const { answers } = yield* Fiber.join(asking)
      assert.deepStrictEqual(
        answers.map(({ body }) => JSON.parse(body).choices[0].message.content),
        ["answer 0", "answer 1", "answer 2"]
      )
    })
  )
})

describe("the metrics", () => {
  it.live("are made once a second at most", () =>
    Effect.gen(function* () {
      const { url } = yield* startGateway()
      const scrape = Effect.map(call(url, { method: "GET", path: "/metrics" }), ({ text }) => text)
      const first = yield* scrape
      assert.strictEqual(yield* scrape, first)
      yield* Effect.sleep("1100 millis")
      assert.notStrictEqual(yield* scrape, first)
    })
  )
})
