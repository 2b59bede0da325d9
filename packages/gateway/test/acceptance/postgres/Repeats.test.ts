/** Requests with an `Idempotency-Key` that are repeated at another gateway on the same store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { rowsIn } from "../../support/postgres/Queries.ts"
import { clusterOf, newKey } from "../../support/postgres/Gateways.ts"
import { eventually, until } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { completion, upstream } from "../../support/Upstream.ts"

/** Gateways before a provider that answers `held` when it is let, and refuses as often as it is told. */
const cluster = Effect.fnUntraced(function* (count: number) {
  let asked = 0
  let refusals = 0
  let open = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const { baseUrl } = yield* upstream(({ body }) => {
    asked++
    if (refusals-- > 0) return { status: 400, body: { error: { message: "no" } } }
    const answer = { body: completion(`answer ${asked}`) }
    return body.messages[0].content === "held" ? { ...answer, gate } : answer
  })
  const database = yield* freshDatabase
  const { start } = yield* clusterOf({ database, provider: baseUrl })
  const nodes = yield* Effect.replicateEffect(start, count, { concurrency: count })
  const urls = nodes.map(({ ready }) => ready)
  const { secret } = yield* newKey(urls[0] ?? "", {})
  const chat = (url: string, name: string, content: string) =>
    call(url, {
      path: "/v1/chat/completions",
      key: secret,
      headers: { "idempotency-key": name },
      body: { model: "up/m", max_tokens: 100, messages: [{ role: "user", content }] }
    })
  return {
    chat,
    database,
    nodes,
    urls,
    open: () => open(),
    asked: () => asked,
    refuse: (times: number) => (refusals = times)
  }
})

const claims = (database: string) => rowsIn(database, "SELECT id FROM model_gateway.running_requests")

describe.skipIf(isSkipped)("an Idempotency-Key that is repeated at another gateway", () => {
  it.live("waits while the first one runs, gets its answer then, and with another body is refused", () =>
    Effect.gen(function* () {
      const { asked, chat, database, open, urls } = yield* cluster(2)
      const [one = "", two = ""] = urls
      const first = yield* Effect.forkChild(chat(one, "a", "held"))
      yield* until(() => asked() === 1)
      const early = yield* chat(two, "a", "held")
      assert.deepStrictEqual([early.status, early.json.error.code], [409, "idempotency_key_in_use"])
      assert.strictEqual(early.headers["retry-after"], "1")
      const other = yield* chat(two, "a", "another")
      assert.deepStrictEqual([other.status, other.json.error.code], [422, "idempotency_key_reused"])
      open()
      const { text } = yield* Fiber.join(first)
      const again = yield* chat(two, "a", "held")
      assert.deepStrictEqual([again.status, again.text, again.headers["x-gateway-replayed"]], [200, text, "1"])
      assert.strictEqual(asked(), 1)
      assert.deepStrictEqual(yield* claims(database), [])
    })
  )

  it.live("of many at once at all of them one is made, and after a failure the next one", () =>
    Effect.gen(function* () {
      const { asked, chat, database, refuse, urls } = yield* cluster(3)
      const many = (name: string) =>
        Effect.forEach(
          Array.from({ length: 30 }),
          (_, index) => eventually(chat(urls[index % 3] ?? "", name, "Hi"), ({ status }) => status !== 409),
          { concurrency: 30 }
        )
      for (let round = 1; round <= 5; round++) {
        const answers = yield* many(`storm ${round}`)
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
        assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
        assert.strictEqual(asked(), round)
      }
      refuse(2)
      assert.strictEqual((yield* chat(urls[0] ?? "", "failed", "Hi")).status, 400)
      assert.strictEqual((yield* chat(urls[1] ?? "", "failed", "Hi")).status, 400)
      assert.strictEqual((yield* chat(urls[2] ?? "", "failed", "Hi")).status, 200)
      assert.strictEqual(asked(), 8)
      assert.deepStrictEqual(yield* claims(database), [])
    })
  )

  it.live("is free once the gateway that ran it is dead", () =>
    Effect.gen(function* () {
      const { asked, chat, nodes, open, urls } = yield* cluster(2)
      const [one = "", two = ""] = urls
      const first = yield* Effect.forkChild(Effect.exit(chat(one, "a", "held")))
      yield* until(() => asked() === 1)
      assert.strictEqual((yield* chat(two, "a", "held")).status, 409)
      yield* nodes[0]!.end("SIGKILL")
      open()
      yield* Fiber.await(first)
      const again = yield* eventually(chat(two, "a", "held"), ({ status }) => status !== 409)
      assert.deepStrictEqual([again.status, again.headers["x-gateway-replayed"]], [200, undefined])
      assert.strictEqual(asked(), 2)
    })
  )
})
