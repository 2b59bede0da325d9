import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call } from "../support/RawHttp.ts"
import { startGateway, temporaryStore } from "../support/RunningGateway.ts"

const NOON = Date.UTC(2026, 10, 21, 12)
const SECRET = "a-secret-of-the-receiver"

interface Told {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver that answers with these statuses, the last one from then on; with "hang" it takes a message and says nothing. */
const receiver = (...statuses: ReadonlyArray<number | "hang" | (() => number)>) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly told: ReadonlyArray<Told>; readonly close: () => void }>(
      (resume) => {
        const told: Array<Told> = []
        const server = createServer((request, response) => {
          let body = ""
          request.setEncoding("utf8").on("data", (piece: string) => (body += piece))
          request.on("end", () => {
            const given = statuses[Math.min(told.length, statuses.length - 1)] ?? 204
            const status = typeof given === "function" ? given() : given
            told.push({ headers: request.headers, body })
            if (status === "hang") return
            response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end()
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(
            Effect.succeed({
              url: `http://127.0.0.1:${port}/hook`,
              told,
              close: () => void server.close().closeAllConnections()
            })
          )
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

const yamlWith = (alert: string, url: string, more = "allow_private: true") => `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/status-500]
alerts: [{ ${alert}, url: "${url}", secret: "${SECRET}", ${more} }]
`

/** Time goes on, and the sockets get turns enough to answer within the seconds that a message may take. */
const pass = Effect.fnUntraced(function* (seconds: number) {
  for (let second = 0; second < seconds; second++) {
    yield* TestClock.adjust("1 second")
    for (let turn = 0; turn < 200; turn++) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})

const until = Effect.fnUntraced(function* (fits: () => boolean) {
  while (!fits()) yield* pass(1)
})

const ask = (url: string, key: string, model = "demo/mini") =>
  call(url, {
    path: "/v1/chat/completions",
    key,
    headers: { "x-gateway-no-fallback": "1" },
    body: { model, messages: [{ role: "user", content: "Hello" }] }
  })

describe("an alert", () => {
  it.effect("on a budget comes once a window, signed, also over a restart", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver(200)
      const store = yield* temporaryStore
      const yaml = yamlWith("on: budget, at: 0.04", hook)
      const key = yield* Effect.scoped(
        Effect.gen(function* () {
          const { admin, url } = yield* startGateway({ yaml, store })
          const plain = (yield* admin("POST", "/admin/keys", {})).json
          yield* ask(url, plain.key)
          const cost = (yield* admin("GET", "/admin/spend")).json.total.cost_usd
          const usd = Number((cost * 20).toFixed(9))
          const made = (yield* admin("POST", "/admin/keys", { name: "app", budgets: [{ usd, window: "day" }] })).json
          yield* pass(31)
          assert.strictEqual(told.length, 0)
          assert.strictEqual((yield* ask(url, made.key)).status, 200)
          yield* until(() => told.length > 0)
          yield* pass(65)
          return made
        })
      )
      assert.strictEqual(told.length, 1)
      const [{ body, headers }] = told as [Told]
      const message = JSON.parse(body)
      assert.deepInclude(message, { object: "alert", on: "budget", scope: `key:${key.id}` })
      assert.match(message.message, /^app has spent 5 % of its budget/)
      assert.strictEqual(message.id, headers["x-gateway-alert-id"])
      const timestamp = String(headers["x-gateway-timestamp"])
      const signature = createHmac("sha256", SECRET).update(`${timestamp}.${body}`).digest("hex")
      assert.strictEqual(headers["x-gateway-signature"], `v1=${signature}`)
      assert.isTrue(Number(timestamp) >= NOON / 1000 && Number(timestamp) < NOON / 1000 + 3600, timestamp)
      assert.notInclude(body, key.key)
      yield* startGateway({ yaml, store })
      yield* pass(65)
      assert.strictEqual(told.length, 1)
    })
  )

  it.effect("on a model's shutdown comes 30, 7 and 1 days before, each once", () =>
    Effect.gen(function* () {
      const { told, url: hook } = yield* receiver(204)
      const yaml = yamlWith("on: model_shutdown", hook)
        .replace("providers: {", "providers: { openai: { api_key: sk-1 },")
        .replace("[demo/mini,", "[openai/gpt-5-mini, openai/gpt-6.2-sol, demo/mini,")
      for (const [count, day] of ["2026-11-20", "2026-12-05", "2026-12-10"].entries()) {
        yield* TestClock.setTime(Date.parse(`${day}T12:00:00Z`))
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* startGateway({ yaml, store: yield* temporaryStore })
            yield* until(() => told.length > count)
            yield* pass(65)
          })
        )
        assert.strictEqual(told.length, count + 1)
      }
      const { data, message, scope } = JSON.parse(told.at(-1)!.body)
      assert.strictEqual(scope, "openai/gpt-5-mini")
      assert.deepInclude(data, { shutdown_on: "2026-12-11", days_left: 1 })
      assert.match(message, /^openai\/gpt-5-mini shuts down on 2026-12-11, in 1 day; its replacement is /)
    })
  )

  it.effect("on a circuit comes when it opens, and is tried again until the receiver takes it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver(500, 302, 204)
      const { createKey, url } = yield* startGateway({ yaml: yamlWith("on: circuit", hook) })
      const { secret } = yield* createKey()
      for (let count = 0; count < 5; count++) yield* ask(url, secret, "demo/status-500")
      // A redirect is not followed: it is a failure like any other.
      yield* until(() => told.length === 3)
      yield* pass(65)
      assert.strictEqual(told.length, 3)
      assert.strictEqual(new Set(told.map(({ headers }) => headers["x-gateway-alert-id"])).size, 1)
      assert.deepInclude(JSON.parse(told[0]!.body), { on: "circuit", scope: "demo/status-500" })
    })
  )

  it.effect("is tried again where the receiver takes it and never answers", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver("hang", "hang", 204)
      const { createKey, url } = yield* startGateway({ yaml: yamlWith("on: circuit", hook) })
      const { secret } = yield* createKey()
      for (let count = 0; count < 5; count++) yield* ask(url, secret, "demo/status-500")
      yield* until(() => told.length === 1)
      // It has ten seconds, and the pause before the next try is five.
      yield* pass(9)
      assert.strictEqual(told.length, 1)
      yield* until(() => told.length === 3)
      yield* pass(65)
      assert.strictEqual(told.length, 3)
      assert.strictEqual(new Set(told.map(({ body }) => body)).size, 1)
    })
  )

  it.effect("on failing calls comes once an hour for each deployment, and not for a few", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver(200)
      const { createKey, url } = yield* startGateway({ yaml: yamlWith("on: error_rate, at: 0.5", hook) })
      const { secret } = yield* createKey()
      const fail = (times: number) => Effect.repeat(ask(url, secret, "demo/status-500"), { times: times - 1 })
      for (let count = 0; count < 25; count++) assert.strictEqual((yield* ask(url, secret)).status, 200)
      yield* fail(19)
      yield* pass(65)
      assert.strictEqual(told.length, 0)
      yield* fail(1)
      yield* until(() => told.length === 1)
      yield* fail(10)
      yield* pass(65)
      assert.strictEqual(told.length, 1)
      const first = JSON.parse(told[0]!.body)
      assert.deepInclude(first, { on: "error_rate", scope: "demo/status-500", data: { calls: 20, failed: 20 } })
      assert.strictEqual(first.message, "20 of 20 calls of demo/status-500 failed in the last five minutes.")
      yield* TestClock.setTime(NOON + 3_600_000)
      yield* pass(65)
      assert.strictEqual(told.length, 1)
      yield* fail(20)
      yield* until(() => told.length === 2)
      yield* pass(65)
      assert.strictEqual(told.length, 2)
    })
  )

  it.effect("on a store that takes no writes comes once, though nothing can be noted", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver(200)
      const store = yield* temporaryStore
      const { createKey, url } = yield* startGateway({ yaml: yamlWith("on: store", hook), store })
      const { secret } = yield* createKey()
      const intruder = new DatabaseSync(store)
      intruder.exec("BEGIN EXCLUSIVE")
      yield* ask(url, secret)
      yield* until(() => told.length > 0)
      yield* pass(65)
      assert.strictEqual(told.length, 1)
      assert.deepInclude(JSON.parse(told[0]!.body), { on: "store", scope: null })
      intruder.exec("ROLLBACK")
      intruder.close()
      yield* pass(65)
      assert.strictEqual((yield* ask(url, secret)).status, 200)
      assert.strictEqual(told.length, 1)
    })
  )

  it.effect("that was told while the store took no writes is not told again once it does, nor after a restart", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver(200)
      const store = yield* temporaryStore
      const yaml = yamlWith("on: circuit", hook)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { createKey, url } = yield* startGateway({ yaml, store })
          const { secret } = yield* createKey()
          for (let count = 0; count < 5; count++) yield* ask(url, secret, "demo/status-500")
          const intruder = new DatabaseSync(store)
          intruder.exec("BEGIN EXCLUSIVE")
          yield* until(() => told.length > 0)
          intruder.exec("ROLLBACK")
          intruder.close()
          yield* pass(65)
        })
      )
      yield* startGateway({ yaml, store })
      yield* pass(65)
      assert.strictEqual(told.length, 1)
    })
  )

  it.effect("never reaches a private address that was not allowed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver(200)
      const { createKey, url } = yield* startGateway({ yaml: yamlWith("on: circuit", hook, "allow_private: false") })
      const { secret } = yield* createKey()
      for (let count = 0; count < 5; count++) yield* ask(url, secret, "demo/status-500")
      yield* pass(65)
      assert.strictEqual(told.length, 0)
    })
  )

  it.effect("on a circuit comes for each opening, also for those that closed again before the next look", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver(200)
      const { admin, createKey, url } = yield* startGateway({ yaml: yamlWith("on: circuit", hook) })
      const { secret } = yield* createKey()
      yield* pass(2)
      for (let opening = 0; opening < 3; opening++) {
        for (let count = 0; count < 5; count++) yield* ask(url, secret, "demo/status-500")
        yield* admin("POST", "/admin/deployments/reset", { deployment: "demo/status-500" })
        yield* pass(2)
      }
      yield* until(() => told.length === 3)
      yield* pass(65)
      assert.strictEqual(told.length, 3)
      const openings = told.map(({ body }) => JSON.parse(body).data.since)
      assert.strictEqual(new Set(openings).size, 3)
    })
  )

  it.effect("that could not be delivered is signed with its own secret after a restart", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      let isDown = true
      const { told, url: hook } = yield* receiver(() => (isDown ? 500 : 200))
      const store = yield* temporaryStore
      const secrets = ["the-secret-of-the-first-one", "the-secret-of-the-second-one"]
      const yaml = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/status-500]
alerts: [${secrets.map((secret) => `{ on: circuit, url: "${hook}", secret: ${secret}, allow_private: true }`).join(", ")}]
`
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { createKey, url } = yield* startGateway({ yaml, store })
          const { secret } = yield* createKey()
          for (let count = 0; count < 5; count++) yield* ask(url, secret, "demo/status-500")
          yield* until(() => told.length >= 2)
        })
      )
      isDown = false
      const before = told.length
      yield* startGateway({ yaml, store })
      yield* until(() => told.length >= before + 2)
      const signedBy = ({ body, headers }: Told) =>
        secrets.findIndex((secret) => {
          const text = `${String(headers["x-gateway-timestamp"])}.${body}`
          return headers["x-gateway-signature"] === `v1=${createHmac("sha256", secret).update(text).digest("hex")}`
        })
      const byId = Map.groupBy(told, ({ headers }) => headers["x-gateway-alert-id"])
      assert.strictEqual(byId.size, 2)
      const signers = Array.from(byId.values(), (same) => [...new Set(same.map(signedBy))])
      assert.sameDeepMembers(signers, [[0], [1]])
    })
  )

  it.effect("with format slack is a text that Slack shows, and needs no secret", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { told, url: hook } = yield* receiver(200)
      const yaml = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/status-500]
alerts: [{ on: circuit, format: slack, url: "${hook}", allow_private: true }]
`
      const { createKey, url } = yield* startGateway({ yaml })
      const { secret } = yield* createKey()
      for (let count = 0; count < 5; count++) yield* ask(url, secret, "demo/status-500")
      yield* until(() => told.length === 1)
      const [{ body, headers }] = told as [Told]
      assert.deepStrictEqual(Object.keys(JSON.parse(body)), ["text"])
      assert.match(JSON.parse(body).text, /^demo\/status-500 failed, so its circuit opened/)
      assert.isUndefined(headers["x-gateway-signature"])
    })
  )
})
