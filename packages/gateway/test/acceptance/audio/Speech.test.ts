/** Text to speech through the port, with the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { wave } from "../../support/Uploads.ts"
import { upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { demo } from "./DemoSound.ts"

describe("speech", () => {
  it.live("is sound with the headers of every answer, priced by the character", () =>
    Effect.gen(function* () {
      const { openai } = yield* demo
      const input = "Hello there. How are you?"
      const answer = yield* resolved(() => openai.audio.speech.create({ model: "demo/speech", voice: "alloy", input }))
      assert.strictEqual(answer.headers.get("content-type"), "audio/wav")
      assert.strictEqual(answer.headers.get("x-gateway-decision"), "demo/speech")
      assert.strictEqual(answer.headers.get("x-gateway-cost-usd"), (input.length * 0.000015).toFixed(6))
      const again = yield* resolved(() => openai.audio.speech.create({ model: "demo/speech", voice: "alloy", input }))
      const [one, two] = yield* Effect.promise(() => Promise.all([answer.arrayBuffer(), again.arrayBuffer()]))
      assert.strictEqual(Buffer.from(one).toString("latin1", 0, 4), "RIFF")
      assert.isTrue(Buffer.from(one).equals(Buffer.from(two)))
    })
  )

  it.live("comes as events that end with the cost, and without a model the first deployment speaks", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* demo
      const response = yield* resolved(() =>
        fetch(`${url}/v1/audio/speech`, {
          method: "POST",
          headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
          body: JSON.stringify({ input: "Hi there", voice: "alloy", stream_format: "sse" })
        })
      )
      const text = yield* resolved(() => response.text())
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream; charset=utf-8")
      const events = text.split("\n\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line.slice(6))]))
      assert.isAbove(events.length, 1)
      assert.isTrue(events.slice(0, -1).every(({ type }) => type === "speech.audio.delta"))
      const { gateway, type, usage } = events.at(-1)
      assert.strictEqual(type, "speech.audio.done")
      assert.deepInclude(usage, { characters: 8, cost: 0.00012 })
      assert.deepInclude(gateway, { decision: "demo/speech", bucket: "none", cost_usd: 0.00012 })
    })
  )

  it.live("of a model that is billed by the token is asked for as events, which say what it cost", () =>
    Effect.gen(function* () {
      const sound = wave(1)
      const up = yield* upstream(({ body }) => {
        if (body.model === "tts-1") return { headers: { "content-type": "audio/mpeg" }, body: sound }
        const [first, second] = [sound.subarray(0, 5_000), sound.subarray(5_000)]
        return {
          body: [
            `data: ${JSON.stringify({ type: "speech.audio.delta", audio: first.toString("base64") })}\n\n`,
            `data: ${JSON.stringify({ type: "speech.audio.delta", audio: second.toString("base64") })}\n\n`,
            `data: ${JSON.stringify({ type: "speech.audio.done", usage: { input_tokens: 10, output_tokens: 100, total_tokens: 110 } })}\n\n`
          ]
        }
      })
      const gateway = yield* startGateway({
        yaml: `
providers: { openai: { api_key: sk-test, base_url: "${up.baseUrl}" } }
deployments: [openai/gpt-4o-mini-tts, openai/tts-1]
`
      })
      const { secret } = yield* gateway.createKey({
        budgets: [{ limit: 1_000_000_000, window: "total", timeZone: "UTC" }]
      })
      const openai = gateway.client(secret)
      const speak = (model: string) =>
        resolved(() => openai.audio.speech.create({ model, voice: "alloy", input: "Grüße 🎉", response_format: "wav" }))
      const byToken = yield* speak("gpt-4o-mini-tts")
      assert.strictEqual(up.asked[0]?.body.stream_format, "sse")
      assert.strictEqual(byToken.headers.get("content-type"), "audio/wav")
      assert.strictEqual(byToken.headers.get("x-gateway-cost-usd"), "0.001206")
      assert.isTrue(sound.equals(Buffer.from(yield* resolved(() => byToken.arrayBuffer()))))
      const byCharacter = yield* speak("tts-1")
      assert.deepStrictEqual(up.asked[1]?.body, {
        model: "tts-1",
        voice: "alloy",
        input: "Grüße 🎉",
        response_format: "wav"
      })
      assert.strictEqual(byCharacter.headers.get("content-type"), "audio/mpeg")
      assert.strictEqual(byCharacter.headers.get("x-gateway-cost-usd"), "0.000105")
      const rows = yield* gateway.ledger
      assert.deepStrictEqual(
        rows.map(({ estimated, operation }) => [operation, estimated]),
        [
          ["speech", 0],
          ["speech", 0]
        ]
      )
    })
  )
})
