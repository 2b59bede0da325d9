/** Speech as OpenAI documents it: sound, or events with pieces of it. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { speech } from "../../../../../src/core/operations/speech/Speech.ts"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { noUsage } from "../../../../../src/core/domain/Usage.ts"
import type { UpstreamCall } from "../../../../../src/core/pool/Protocol.ts"
import { sheetFromConfig } from "../../../../../src/providers/prices/ConfiguredPrices.ts"
import { OpenAiSpeech as Dialect } from "../../../../../src/providers/protocols/openai/transcripts/OpenAiTranscripts.ts"
import { deployment, NOW } from "../Support.ts"

const read = (body: unknown) => speech.read({ kind: "json", value: body, bytes: 100 })

const price = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined }
const byToken = sheetFromConfig({ ...price, input: 0.6, output: 12 })
const byCharacter = sheetFromConfig({ ...price, input: Number.NaN, output: Number.NaN, characters: 15 })

const callOf = (fields: JsonObject, changes: Parameters<typeof deployment>[0] = {}): UpstreamCall => ({
  operation: "speech",
  request: Result.getOrThrow(read({ model: "auto", voice: "alloy", input: "Öl 🎉", ...fields })),
  deployment: deployment({ model: "gpt-4o-mini-tts", price: byToken, ...changes }),
  maxOutput: undefined,
  strict: false,
  now: NOW
})

const sent = (call: UpstreamCall) => JSON.parse(Result.getOrThrow(Dialect.lower(call)).body)
const lifted = (contentType: string, text: string | Uint8Array, call: UpstreamCall) =>
  Dialect.liftRaw!({ contentType, bytes: Buffer.from(text) }, call)

describe("speech", () => {
  it("is asked for as events where only those tell what it cost", () => {
    assert.strictEqual(sent(callOf({})).stream_format, "sse")
    assert.strictEqual(sent(callOf({ stream_format: "audio" })).stream_format, "sse")
    assert.isUndefined(sent(callOf({}, { model: "tts-1", price: byCharacter })).stream_format)
    assert.isUndefined(sent(callOf({}, { vendor: "openai-compatible" })).stream_format)
    assert.strictEqual(sent(callOf({ stream_format: "sse" }, { vendor: "openai-compatible" })).stream_format, "sse")
    assert.deepStrictEqual(
      sent(callOf({ speed: 2, instructions: "", extra: [1] }, { model: "tts-1", price: byCharacter })),
      {
        model: "tts-1",
        voice: "alloy",
        input: "Öl 🎉",
        speed: 2,
        extra: [1]
      }
    )
  })

  it("is put together from events, and is a failure where they end early or tell an error", () => {
    const frames = [
      { type: "speech.audio.delta", audio: Buffer.from("RI").toString("base64") },
      { type: "speech.audio.delta", audio: Buffer.from("FF!").toString("base64") },
      { type: "speech.audio.done", usage: { input_tokens: 4, output_tokens: 50, total_tokens: 54 } }
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`)
    const answer = Result.getOrThrow(lifted("text/event-stream", frames.join(""), callOf({ response_format: "opus" })))
    assert.strictEqual(Buffer.from(answer.raw?.bytes ?? []).toString(), "RIFF!")
    assert.strictEqual(answer.raw?.contentType, "audio/opus")
    assert.deepStrictEqual(answer.usage, { ...noUsage, input: 4, output: 50 })
    for (let most = 0; most < frames.length; most++) {
      const cut = lifted("text/event-stream", frames.slice(0, most).join(""), callOf({}))
      assert.strictEqual(Result.getOrThrow(Result.flip(cut)).class, "truncated")
    }
    const error = lifted(
      "text/event-stream",
      `${frames[0]}data: {"type":"error","error":{"code":"server_error"}}\n\n`,
      callOf({})
    )
    assert.strictEqual(Result.getOrThrow(Result.flip(error)).class, "unavailable")
  })

  it("as sound is billed by its characters, or estimated", () => {
    const sound = lifted("audio/mpeg", "sound", callOf({}, { model: "tts-1", price: byCharacter }))
    assert.deepStrictEqual(Result.getOrThrow(sound).usage, { ...noUsage, characters: 4 })
    assert.isUndefined(Result.getOrThrow(lifted("audio/mpeg", "sound", callOf({}))).usage)
    for (const [type, text] of [
      ["audio/mpeg", ""],
      ["application/json", "{}"]
    ] as const) {
      assert.strictEqual(Result.getOrThrow(Result.flip(lifted(type, text, callOf({})))).class, "truncated")
    }
    assert.strictEqual(
      Result.getOrThrow(Result.flip(Dialect.lift('{"error":{"code":"invalid_api_key"}}', callOf({})))).class,
      "auth"
    )
  })

  it("needs a text, and says what is wrong", () => {
    for (const [body, words] of [
      [[], "the body must be a JSON object"],
      [{ model: "m" }, "`input` must be the text to speak, and it is missing"],
      [{ model: 1, input: "a" }, "`model` must be a model name"],
      [{ input: "a", stream_format: "mp3" }, '`stream_format` must be "audio" or "sse"']
    ] as const) {
      assert.include(Result.getOrThrow(Result.flip(read(body))).message, words)
    }
  })
})
