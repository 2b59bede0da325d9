/** Callers that hang up, over real sockets: what they are booked is what their provider bills. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { eventually, until } from "../support/Patience.ts"
import { call, open } from "../support/RawHttp.ts"
import { masterKey, startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, event, upstream } from "../support/Upstream.ts"

const dear = { prompt_tokens: 12, completion_tokens: 9_000, total_tokens: 9_012 }
const words = completionEvents("one ", "two ")

/** Models: `late` answers once `finish` runs, `ending` streams its words at once and its end then, `o3` says a word and goes silent. */
const setup = Effect.fnUntraced(function* (failover = "") {
  let finish = () => {}
  const gate = new Promise<void>((resolve) => (finish = resolve))
  const { asked, baseUrl } = yield* upstream(({ body }) => {
    if (body.stream !== true) return { gate, body: completion("hello", { usage: dear }) }
    if (body.model === "ending")
      return { gate, body: [...words.slice(0, 4), event({ choices: [], usage: dear }), words[5]!] }
    return { body: words.slice(0, 2), ending: "silence" }
  })
  const gateway = yield* startGateway({
    yaml: `
providers:
  billing: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none, bills_after_disconnect: plain }
  closing: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
deployments: [${[
      ["billing", "late"],
      ["closing", "late"],
      ["closing", "ending"],
      ["closing", "o3"],
      ["closing", "plain-words"]
    ]
      .map(
        ([provider, model]) =>
          `{ provider: ${provider}, model: ${model}, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }`
      )
      .join(", ")}]
failover: { attempts: 1${failover} }
`
  })
  const { id, secret } = yield* gateway.createKey({
    budgets: [{ limit: 1_000_000_000, window: "day", timeZone: "UTC" }]
  })
  const hangUp = Effect.fnUntraced(function* (model: string, stream: boolean, afterMs = 100) {
    const path = "/v1/chat/completions"
    const body = { model, stream, max_tokens: 10_000, messages: [{ role: "user", content: "Hi" }] }
    const asking = yield* Effect.forkChild(call(gateway.url, { path, key: secret, body }))
    yield* until(() => asked.length > 0)
    yield* Effect.sleep(afterMs)
    yield* Fiber.interrupt(asking)
    yield* Effect.sleep("100 millis")
  })
  const booked = Effect.map(
    eventually(gateway.ledger, (rows) => rows.length > 0 && rows.every(({ status }) => status !== "reserved")),
    (rows) => ({ ...rows[0]! })
  )
  const receipt = Effect.map(
    eventually(
      call(gateway.url, { method: "GET", path: `/admin/requests?key=${id}`, key: masterKey }),
      ({ json }) => json.data?.length > 0
    ),
    ({ json }) => json.data[0]
  )
  return { ...gateway, asked, booked, finish: () => finish(), hangUp, receipt }
})

describe("a caller that hangs up", () => {
  it.live("on a plain call that is billed all the same: it is read to its end and booked exactly", () =>
    Effect.gen(function* () {
      const { booked, finish, hangUp, ledger, receipt } = yield* setup()
      yield* hangUp("billing/late", false)
      assert.strictEqual((yield* ledger)[0]!.status, "reserved")
      finish()
      assert.deepInclude(yield* booked, { status: "settled", estimated: 0, input: 12, output: 9_000, cost: 18_012_000 })
      assert.deepInclude(yield* receipt, { status: "client_gone", cost_usd: 0.018012 })
    })
  )

  it.live("on a stream frees its slot of max_parallel while the stream is still read for its usage", () =>
    Effect.gen(function* () {
      const { createKey, finish, ledger, url } = yield* setup(", finish_abandoned: 60s")
      const { secret } = yield* createKey({ limits: { rpm: undefined, tpm: undefined, maxParallel: 1 } })
      const wish = (model: string) => ({
        path: "/v1/chat/completions",
        key: secret,
        body: { model, stream: true, max_tokens: 10, messages: [{ role: "user", content: "Hi" }] }
      })
      const { hangUp } = yield* open(url, wish("closing/o3"))
      assert.strictEqual((yield* call(url, wish("closing/plain-words"))).status, 429)
      hangUp()
      const asking = yield* Effect.forkChild(
        eventually(call(url, wish("closing/ending")), ({ status }) => status === 200)
      )
      yield* eventually(ledger, (rows) => rows.length === 2)
      assert.strictEqual((yield* ledger)[0]!.status, "reserved")
      finish()
      yield* Fiber.join(asking)
      assert.deepStrictEqual(
        (yield* ledger).map(({ status }) => status),
        ["reserved", "settled"]
      )
    })
  )
})
