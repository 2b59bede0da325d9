/** Postgres fails under a running gateway: work in flight ends well, new work is refused within the lease, and it goes on by itself. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import * as ReadOnly from "../../../../model-gateway/src/store/reading/PostgresReadOnly.ts"
import { inspection } from "../../../../model-gateway/src/store/reading/PostgresVerify.ts"
import { rowsIn } from "../../support/postgres/Queries.ts"
import { canStart, ownServer } from "../../support/postgres/Guarded.ts"
import { troubles } from "../../support/postgres/TroubledServer.ts"
import { eventually, until } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../../support/Upstream.ts"

const LEASE_MS = 1_000

/** A gateway on the server, before an upstream that answers at once, and requests for `slow` only when `release` runs. */
const setup = Effect.fnUntraced(function* (url: string) {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const up = yield* upstream(({ body }) => ({
    ...(body.model === "slow" ? { gate } : {}),
    body: body.stream === true ? completionEvents("one ", "two") : completion("one two")
  }))
  const gateway = yield* startGateway({
    yaml: `
store: { postgres: { url: "${url}", lease: ${LEASE_MS}ms } }
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 } }
  - { provider: up, model: slow, price: { input: 1, output: 2 } }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (fields: object = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      body: { model: "up/m", max_tokens: 10, messages: [{ role: "user", content: "Hi" }], ...fields }
    })
  const get = (path: string) => call(gateway.url, { method: "GET", path })
  return { ...gateway, chat, get, release: () => release(), up }
})

const soon = <A extends { readonly status: number }>(chat: Effect.Effect<A>, status: number) =>
  eventually(chat, (answer) => answer.status === status)

const open = (url: string) =>
  Effect.map(rowsIn(url, "SELECT count(*)::int AS n FROM model_gateway.attempts_open"), ([row]) => row?.["n"])

describe.skipIf(!canStart)("Postgres in trouble", () => {
  for (const [name, make] of Object.entries(troubles)) {
    it.live(`${name}: new work is a 503, work in flight ends well, and all goes on without a restart`, () =>
      Effect.gen(function* () {
        const server = yield* ownServer()
        const url = server.url()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { admin, chat, get, release, up } = yield* setup(url)
            assert.strictEqual((yield* chat()).status, 200)
            const plain = yield* Effect.forkChild(chat({ model: "up/slow" }))
            const stream = yield* Effect.forkChild(chat({ model: "up/slow", stream: true }))
            yield* until(() => up.asked.length === 3)
            yield* eventually(open(url), (count) => count === 2)
            const trouble = make(server)
            // Whatever becomes of the test, nothing stays frozen.
            let isOver = false
            yield* Effect.addFinalizer(() => (isOver ? Effect.void : trouble.end))
            yield* trouble.begin
            const began = performance.now()
            const notReady = yield* soon(get("/readyz"), 503)
            assert.isBelow(performance.now() - began, LEASE_MS + PATIENCE_MS)
            const [failing] = notReady.json.failing
            assert.include(trouble.reasons, failing.reason)
            const refused = yield* soon(chat(), 503)
            assert.strictEqual(refused.json.error.code, "store_unavailable")
            assert.match(String(refused.headers["retry-after"]), /^[1-9]\d*$/)
            const asked = up.asked.length
            for (let count = 0; count < 20; count++) {
              const answer = yield* chat({ stream: count % 2 === 0 })
              assert.deepStrictEqual([answer.status, answer.json.error.code], [503, "store_unavailable"])
            }
            assert.strictEqual(up.asked.length, asked, "nothing refused reached the provider")
            assert.strictEqual((yield* admin("POST", "/admin/keys", {})).status, 503)
            assert.strictEqual((yield* get("/healthz")).status, 200)
            const nodes = yield* admin("GET", "/admin/nodes")
            assert.strictEqual(nodes.status, 200)
            assert.deepStrictEqual(
              nodes.json.data.map(({ is_this, state }: { is_this: boolean; state: string }) => [is_this, state]),
              [[true, "refusing"]]
            )
            // One that takes no writes can be read.
            if (name !== "read-only") assert.include(nodes.json.trouble, "The store is not available")

            release()
            assert.strictEqual((yield* Fiber.join(plain)).status, 200)
            const streamed = yield* Fiber.join(stream)
            assert.isTrue(streamed.text.endsWith("data: [DONE]\n\n"))
            assert.strictEqual(streamed.trailers["x-gateway-cost-usd"], "0.00002")

            yield* trouble.end
            isOver = true
            yield* soon(get("/readyz"), 200)
            yield* soon(chat(), 200)
            assert.strictEqual((yield* admin("POST", "/admin/keys", {})).status, 201)
            const rows = yield* eventually(
              rowsIn(url, "SELECT status FROM model_gateway.ledger"),
              ({ length }) => length >= up.asked.length
            )
            assert.deepStrictEqual(
              rows.map(({ status }) => status),
              up.asked.map(() => "settled")
            )
            assert.strictEqual(yield* open(url), 0)
          })
        )
        const { differences } = yield* Effect.provide(
          inspection,
          Layer.fresh(ReadOnly.layer({ url: Redacted.make(url) }))
        )
        assert.deepStrictEqual(differences, [])
      })
    )
  }
})

/** Beyond the lease: a busy machine looks a little late. */
const PATIENCE_MS = 6_000
