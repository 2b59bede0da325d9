/** A provider that refuses one prompt with a 403: its caller opens no circuit, takes no key from others, and is not quoted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Asked, completion, type Reply, upstream, vendorError } from "../support/Upstream.ts"

const page: Reply = { status: 403, headers: { "content-type": "text/html" }, body: "<html>Request blocked</html>" }

/** Behind a firewall that lets through what `reply` has no answer for. `ask`: a caller by its number, and what it says. */
const walled = Effect.fnUntraced(function* (reply: (prompt: string, asked: Asked) => Reply | undefined) {
  const up = yield* upstream(
    (asked) => reply(String(asked.body.messages[0].content), asked) ?? { body: completion("ok") }
  )
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: [sk-first-0123456789, sk-second-0123456789] } }
deployments: [up/m]
failover: { base_delay: 1ms }
`
  })
  const callers = [yield* gateway.createKey(), yield* gateway.createKey()]
  const ask = (caller: number, content: string) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: callers[caller]!.secret,
      body: { model: "up/m", messages: [{ role: "user", content }] }
    })
  const shown = Effect.map(gateway.admin("GET", "/admin/deployments"), ({ json }) => json.data[0])
  return { ...gateway, up, ask, shown }
})

const states = (one: { readonly keys: ReadonlyArray<{ readonly state: string }> }) => one.keys.map(({ state }) => state)

describe("a provider that refuses a prompt with 403", () => {
  it.live("to one caller, again and again, in whatever words: nothing is held against deployment or keys", () =>
    Effect.gen(function* () {
      const { ask, shown, up } = yield* walled((prompt) => (prompt.startsWith("attack") ? page : undefined))
      for (let n = 0; n < 12; n++) {
        const { json, status } = yield* ask(0, n % 2 === 0 ? "attack" : `attack ${n}`)
        assert.deepStrictEqual([status, json.error.code], [502, "upstream_auth"])
        assert.include(json.error.message, "or this request")
      }
      // The key might have been at fault: one other is tried, not all of them.
      assert.lengthOf(up.asked, 24)
      const { health, keys } = yield* shown
      assert.deepInclude(health, { circuit: "closed", consecutive_failures: 0 })
      assert.deepStrictEqual(states({ keys }), ["ready", "ready"])
      const { headers, status } = yield* ask(1, "hello")
      assert.deepStrictEqual([status, headers["x-gateway-retries"]], [200, "0"])
    })
  )

  it.live("to several callers, while others are answered: nothing either", () =>
    Effect.gen(function* () {
      const { ask, shown } = yield* walled((prompt) => (prompt.startsWith("attack") ? page : undefined))
      for (let n = 0; n < 6; n++) {
        yield* ask(0, `attack ${n}`)
        // Both keys.
        for (let key = 0; key < 2; key++) assert.strictEqual((yield* ask(1, "hello")).status, 200)
        yield* ask(1, `attack, too ${n}`)
        for (let key = 0; key < 2; key++) assert.strictEqual((yield* ask(0, "hello")).status, 200)
      }
      assert.deepStrictEqual(states(yield* shown), ["ready", "ready"])
    })
  )

  it.live("and the next, of another caller, and every other: the key is refused", () =>
    Effect.gen(function* () {
      const { ask, shown, up } = yield* walled((_, { headers }) =>
        headers["authorization"]?.includes("first") === true ? page : undefined
      )
      yield* ask(0, "one")
      yield* ask(0, "two")
      assert.deepStrictEqual(states(yield* shown), ["ready", "ready"])
      // The same prompt from somebody else says nothing new.
      yield* ask(1, "one")
      yield* ask(1, "one")
      assert.deepStrictEqual(states(yield* shown), ["ready", "ready"])
      for (let n = 0; n < 4; n++) assert.strictEqual((yield* ask(1, `three ${n}`)).status, 200)
      assert.deepStrictEqual(states(yield* shown), ["refused", "ready"])
      const before = up.asked.length
      for (let n = 0; n < 4; n++) assert.strictEqual((yield* ask(0, `four ${n}`)).status, 200)
      assert.strictEqual(up.asked.length, before + 4)
    })
  )

  it.live("402 because this request asks for more than the credit affords: the key stays", () =>
    Effect.gen(function* () {
      const words =
        "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 4000"
      const { ask, shown } = yield* walled((prompt) =>
        prompt === "large" ? { status: 402, body: { error: { message: words, code: 402 } } } : undefined
      )
      for (let n = 0; n < 4; n++) {
        const { json, status } = yield* ask(0, "large")
        assert.deepStrictEqual([status, json.error.code], [503, "upstream_quota"])
      }
      assert.deepStrictEqual(states(yield* shown), ["ready", "ready"])
    })
  )
})

describe("last_error", () => {
  it.live("holds class, status and code, and nothing that a provider quotes", () =>
    Effect.gen(function* () {
      const secret = "my diary of yesterday"
      for (const [status, type, code] of [
        [400, "invalid_request_error", "invalid_value"],
        [422, "invalid_request_error", null],
        [429, "requests", "rate_limit_exceeded"],
        [500, "server_error", null],
        [403, "permission_error", secret]
      ] as const) {
        const { admin, ask } = yield* walled((prompt) => ({
          status,
          body: vendorError(`Invalid: ${prompt}`, type, code)
        }))
        yield* ask(0, secret)
        const { json, text } = yield* admin("GET", "/admin/deployments")
        assert.notInclude(text, secret)
        const { last_error } = json.data[0].health
        assert.deepInclude(last_error, { status, code: code === secret ? null : code })
        assert.include(last_error.message, String(status))
      }
    })
  )
})
