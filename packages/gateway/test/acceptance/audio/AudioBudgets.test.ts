/** What sound may cost: held before, settled after. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toFile } from "openai"
import { startGateway } from "../../support/RunningGateway.ts"
import { wave } from "../../support/Uploads.ts"
import { upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"

describe("a budget", () => {
  const listening = Effect.fnUntraced(function* (model: string, answer: object, price = "") {
    const up = yield* upstream(() => ({ body: answer }))
    const gateway = yield* startGateway({
      yaml: `
providers: { openai: { api_key: sk-test, base_url: "${up.baseUrl}" } }
deployments: [{ provider: openai, model: ${model}${price} }]
`
    })
    const ask = Effect.fnUntraced(function* (nanoUsd: number, sound: number | Buffer) {
      const { secret } = yield* gateway.createKey({ budgets: [{ limit: nanoUsd, window: "total", timeZone: "UTC" }] })
      return yield* resolved(async () => {
        const file = await toFile(typeof sound === "number" ? wave(sound) : sound, "a.wav")
        try {
          const { response } = await gateway
            .client(secret)
            .audio.transcriptions.create({ model: `openai/${model}`, file })
            .withResponse()
          return response.headers.get("x-gateway-cost-usd")
        } catch (error) {
          return `${Reflect.get(error as object, "status")} ${Reflect.get(error as object, "code")}`
        }
      })
    })
    return { ask, gateway, up }
  })

  it.live("holds the length of a recording by the second, and settles what the provider says", () =>
    Effect.gen(function* () {
      const { ask, gateway, up } = yield* listening("whisper-1", { text: "Hi", duration: 60, segments: [] })
      // 60 seconds are held as 61.
      assert.strictEqual(yield* ask(6_099_999, 60), "429 insufficient_quota")
      assert.strictEqual(up.asked.length, 0)
      assert.strictEqual(yield* ask(6_100_000, 60), "0.006")
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, { reserved: 6_100_000, cost: 6_000_000, estimated: 0, operation: "transcriptions" })
      assert.deepInclude(JSON.parse(row?.details ?? "{}"), { audio_seconds: 60 })
    })
  )

  it.live("holds the tokens of sound and of the longest transcript, and settles what the provider says", () =>
    Effect.gen(function* () {
      const usage = {
        type: "tokens",
        input_tokens: 610,
        input_token_details: { text_tokens: 10, audio_tokens: 600 },
        output_tokens: 100,
        total_tokens: 710
      }
      const { ask, gateway } = yield* listening("gpt-4o-mini-transcribe", { text: "Hi", usage })
      assert.strictEqual(yield* ask(80_000_000, 60), "429 insufficient_quota")
      assert.strictEqual(yield* ask(90_000_000, 60), "0.0023125")
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, { cost: 2_312_500, estimated: 0, input: 10, output: 100 })
      assert.isAtLeast(row?.reserved ?? 0, 611 * 3_000 + 16_000 * 5_000)
    })
  )

  it.live("refuses a recording whose length can't be read, or reserves what the vendor accepts at the most", () =>
    Effect.gen(function* () {
      const noise = Buffer.alloc(3_000_000, "x")
      const whisper = yield* listening("whisper-1", { text: "Hi", duration: 1, segments: [] })
      assert.strictEqual(yield* whisper.ask(100_000_000_000, noise), "400 cost_unbounded")
      assert.lengthOf(whisper.up.asked, 0)
      // At most 1,500 seconds of 10 tokens.
      const mini = yield* listening("gpt-4o-mini-transcribe", { text: "Hi" })
      yield* mini.ask(100_000_000_000, noise)
      const sound = 1_501 * 10 * 3_000
      const rest = ((yield* mini.gateway.ledger)[0]?.reserved ?? 0) - sound - 16_000 * 5_000
      assert.isTrue(rest > 0 && rest < 1_000_000, String(rest))
    })
  )

  it.live("books an estimate of the recording's length where the provider says nothing", () =>
    Effect.gen(function* () {
      const { ask, gateway } = yield* listening("gpt-4o-transcribe", { text: "Hi" })
      assert.notMatch(String(yield* ask(1_000_000_000, 60)), /429/)
      assert.deepInclude((yield* gateway.ledger)[0], { estimated: 1 })
    })
  )

  it.live("refuses what has no price, and takes the operator's", () =>
    Effect.gen(function* () {
      const unknown = yield* listening("whisper-99", { text: "Hi", duration: 60, segments: [] })
      assert.strictEqual(yield* unknown.ask(1_000_000_000, 60), "400 price_unknown")
      const price = ", price: { input: 0, output: 0, audio_second: 0.001 }"
      const known = yield* listening("whisper-99", { text: "Hi", duration: 60, segments: [] }, price)
      assert.strictEqual(yield* known.ask(1_000_000_000, 60), "0.06")
    })
  )
})
