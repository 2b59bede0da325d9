/** `server.early_keepalive`: a stream whose first token is late, over real sockets. The provider answers when the test says so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { until } from "../support/Patience.ts"
import { call, open } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completionEvents, upstream, vendorError } from "../support/Upstream.ts"

/** Models: `slow` answers once `answer` runs, `failing` fails then, `quick` answers at once. */
const setup = Effect.fnUntraced(function* (server: string) {
  let answer = () => {}
  const gate = new Promise<void>((resolve) => (answer = resolve))
  const { asked, baseUrl } = yield* upstream(({ body }) => {
    if (body.model === "quick") return { body: completionEvents("one ", "two") }
    if (body.model === "slow") return { gate, body: completionEvents("one ", "two") }
    return { gate, status: 500, body: vendorError("broken") }
  })
  const price = "price: { input: 1, output: 2 }"
  const gateway = yield* startGateway({
    yaml: `
server: { ${server} }
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [${["quick", "slow", "failing"].map((model) => `{ provider: up, model: ${model}, ${price} }`).join(", ")}]
models: { second: [up/failing, up/quick], none: [up/failing] }
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  const wish = (model: string, stream = true) => ({
    path: "/v1/chat/completions",
    key: secret,
    body: { model, stream, max_tokens: 50, messages: [{ role: "user", content: "Hi" }] }
  })
  return { ...gateway, answer, asked, wish }
})

/** The `gateway` object of the last event that has one. */
const truth = (text: string) =>
  text
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice("data: ".length)).gateway)
    .findLast((gateway) => gateway !== undefined)

const COMMENT = ": keep-alive\n\n"

describe("server.early_keepalive", () => {
  it.live("sends headers and a comment before the first token, and the exact cost at the end", () =>
    Effect.gen(function* () {
      const { answer, ledger, url, wish } = yield* setup("early_keepalive: 200ms")
      // Its head comes although the provider has said nothing yet.
      const stream = yield* open(url, wish("up/slow"))
      const { headers, statusCode } = stream.response
      assert.strictEqual(statusCode, 200)
      assert.strictEqual(headers["content-type"], "text/event-stream; charset=utf-8")
      assert.strictEqual(headers["x-gateway-decision"], "up/slow")
      assert.strictEqual(headers["x-gateway-retries"], "0")
      assert.strictEqual(headers["x-gateway-cost-final"], "false")
      assert.isAbove(Number(headers["x-gateway-cost-usd"]), 0)
      let text = stream.first
      stream.response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      assert.strictEqual(text, COMMENT)
      answer()
      yield* until(() => stream.response.complete)
      assert.isTrue(text.endsWith("data: [DONE]\n\n"))
      assert.strictEqual(truth(text).cost_usd, 0.00002)
      assert.strictEqual(stream.response.trailers["x-gateway-cost-usd"], "0.00002")
      assert.deepInclude({ ...(yield* ledger)[0] }, { status: "settled", estimated: 0 })
    })
  )

  it.live("names the first attempt in the headers, and who answered in the last event and the trailers", () =>
    Effect.gen(function* () {
      const { answer, url, wish } = yield* setup("early_keepalive: 200ms")
      const stream = yield* open(url, wish("second"))
      assert.strictEqual(stream.response.headers["x-gateway-decision"], "up/failing")
      answer()
      let text = stream.first
      stream.response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      yield* until(() => stream.response.complete)
      assert.isTrue(text.endsWith("data: [DONE]\n\n"))
      assert.deepInclude(truth(text), { decision: "up/quick", retries: 1 })
      assert.deepInclude(
        { ...stream.response.trailers },
        { "x-gateway-decision": "up/quick", "x-gateway-deployment": "up/quick", "x-gateway-retries": "1" }
      )
    })
  )

  it.live("reports a total failure in one error event, without an end mark or the end of the body", () =>
    Effect.gen(function* () {
      const { answer, url, wish } = yield* setup("early_keepalive: 200ms")
      const stream = yield* open(url, wish("none"))
      assert.strictEqual(stream.response.statusCode, 200)
      answer()
      let text = stream.first
      stream.response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      yield* until(() => stream.response.destroyed)
      assert.isFalse(stream.response.complete)
      assert.match(text, /^: keep-alive\n\ndata: \{"error":\{.*"code":"upstream_unavailable".*\}\}\n\n$/)
    })
  )

  it.live("reports a total failure of the Responses API in its own last event, and ends the body", () =>
    Effect.gen(function* () {
      const { answer, url, wish } = yield* setup("early_keepalive: 200ms")
      const body = { model: "none", stream: true, max_output_tokens: 50, input: "Hi" }
      const stream = yield* open(url, { ...wish("none"), path: "/v1/responses", body })
      answer()
      let text = stream.first
      stream.response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      yield* until(() => stream.response.complete)
      const failed = JSON.parse(text.split("data: ").at(-1) ?? "")
      assert.strictEqual(failed.type, "response.failed")
      assert.deepInclude(failed.response, { object: "response", status: "failed", output: [] })
      assert.strictEqual(failed.response.error.code, "server_error")
      assert.match(text, /event: error\ndata: \{"type":"error","code":"upstream_unavailable"/)
    })
  )

  it.live("changes nothing for streams that begin in time, plain calls, errors before it, and where it is off", () =>
    Effect.gen(function* () {
      const { url, wish } = yield* setup("early_keepalive: 10s")
      const quick = yield* call(url, wish("up/quick"))
      assert.notInclude(quick.text, COMMENT)
      assert.strictEqual(quick.headers["trailer"], "x-gateway-cost-usd")
      assert.strictEqual((yield* call(url, wish("nobody/knows"))).status, 404)
      const off = yield* setup("early_keepalive: off")
      const asking = yield* Effect.forkChild(call(off.url, off.wish("none")))
      yield* until(() => off.asked.length === 1)
      off.answer()
      assert.strictEqual((yield* Fiber.join(asking)).status, 502)
      const plain = yield* setup("early_keepalive: 100ms")
      const whole = yield* Effect.forkChild(call(plain.url, plain.wish("none", false)))
      yield* until(() => plain.asked.length === 1)
      yield* Effect.sleep("300 millis")
      plain.answer()
      assert.strictEqual((yield* Fiber.join(whole)).status, 502)
    })
  )
})
