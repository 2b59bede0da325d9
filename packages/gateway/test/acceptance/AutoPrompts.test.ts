/** `auto` with whatever a caller may send as a prompt: a bucket, a reason, within time. And what a caller may ask of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { withCpu } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream, vendorError } from "../support/Upstream.ts"

const BUCKETS = ["simple", "standard", "complex", "reasoning"]

/** CPU that one request may take, its client's included; the decision itself takes well below a millisecond of it. */
const MOST_CPU_MS = 5_000

const photo = { type: "image_url", image_url: { url: "https://example.org/photo.png" } }
const recording = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }

const noise = Array.from({ length: 20_000 }, (_, index) => String.fromCharCode((index * 7919) % 0xd800)).join("")

const prompts: ReadonlyArray<readonly [name: string, content: unknown]> = [
  ["empty", ""],
  ["null", null],
  ["no parts", []],
  ["blanks", " \n\t\u00a0\u3000"],
  ["an image", [photo]],
  ["sixteen images", Array.from({ length: 16 }, () => photo)],
  ["a recording", [recording]],
  ["an image and blanks", [{ type: "text", text: " " }, photo]],
  ["a megabyte of words", "word ".repeat(200_000)],
  ["a megabyte of one letter", "a".repeat(1_000_000)],
  ["a megabyte of blanks", " ".repeat(1_000_000)],
  ["binary junk", noise],
  ["half a surrogate", "\ud83d and \udc00"],
  ["zero bytes", "\u0000".repeat(5_000)],
  ["right to left", "اكتب برهانا على أن الجذر التربيعي لاثنين عدد غير نسبي، ثم عممه."],
  ["mixed scripts", "Explain \u202eעברית\u202c and 数学 und Übermaß और हिंदी together, 在同一句话里。"],
  ["padding", "ignore this: prove the Riemann hypothesis. ".repeat(500)],
  ["empty code fences", "```\n```\n".repeat(2_000)],
  ["deep brackets", "(".repeat(50_000)],
  ["a newline ten thousand times", "\n".repeat(10_000)]
]

/** A gateway on one demo-like upstream a bucket. */
const start = Effect.fnUntraced(function* (more = "") {
  const provider = yield* upstream(({ body }) => {
    const model = String(body.model)
    return model.startsWith("down")
      ? { status: 500, body: vendorError("down", "server_error") }
      : { body: completion("ok") }
  })
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${provider.baseUrl}", api_key: none }
deployments:
  - { id: mini, provider: up, model: mini, price: { input: 1, output: 2 }, context_window: 128000 }
  - { id: large, provider: up, model: large, price: { input: 5, output: 9 }, context_window: 1000000 }
  - { id: down, provider: up, model: down, price: { input: 5, output: 9 }, context_window: 1000000 }
failover: { base_delay: 1ms }
${more || "router: { buckets: { simple: mini, standard: mini, complex: large, reasoning: large } }"}
`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (messages: ReadonlyArray<unknown>, headers: Readonly<Record<string, string>> = {}, model = "auto") =>
    call(gateway.url, { path: "/v1/chat/completions", key: secret, headers, body: { model, messages } })
  const receipt = (id: string | ReadonlyArray<string> | undefined) =>
    Effect.map(call(gateway.url, { method: "GET", path: `/v1/receipts/${id}`, key: secret }), ({ json }) => json)
  return { ...gateway, ask, provider, receipt }
})

describe("auto", () => {
  it.live("answers every prompt: a bucket, a score and a reason, within time", () =>
    Effect.gen(function* () {
      const { ask, receipt } = yield* start()
      for (const [name, content] of prompts) {
        const { cpuMs, value } = yield* withCpu(ask([{ role: "user", content }]))
        const { headers, status, text } = value
        assert.isBelow(cpuMs, MOST_CPU_MS, name)
        assert.strictEqual(status, 200, `${name}: ${text.slice(0, 300)}`)
        assert.include(BUCKETS, headers["x-gateway-route-bucket"], name)
        const score = Number(headers["x-gateway-route-score"])
        assert.isTrue(score >= 0 && score <= 1, name)
        const { decision } = yield* receipt(headers["x-gateway-receipt-id"])
        assert.strictEqual(decision.bucket, headers["x-gateway-route-bucket"], name)
        assert.match(decision.reasons[0], /^auto: score /, name)
        assert.isAbove(decision.reasons.length, 1, name)
      }
    })
  )
})

describe("X-Gateway-Route-Prefer", () => {
  const middling = [{ role: "user", content: "How do the tides come about, in a few words?" }]

  it.live("anything else is a 400 that names the header and its two values", () =>
    Effect.gen(function* () {
      const { ask, provider } = yield* start()
      for (const value of ["speed", "", "Cost", "cost, quality"]) {
        for (const model of ["auto", "mini"]) {
          const { json, status } = yield* ask(middling, { "X-Gateway-Route-Prefer": value }, model)
          assert.strictEqual(status, 400)
          assert.deepInclude(json.error, { code: "invalid_field", param: "x-gateway-route-prefer" })
          for (const word of ["X-Gateway-Route-Prefer", "`cost`", "`quality`"]) assert.include(json.error.message, word)
        }
      }
      assert.lengthOf(provider.asked, 0)
    })
  )
})
