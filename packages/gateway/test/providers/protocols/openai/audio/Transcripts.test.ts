/** Transcripts as OpenAI and others write them: recorded ones, and documented ones in every format, whole and in pieces. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { transcriptions } from "../../../../../src/core/operations/audio/Transcriptions.ts"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { noUsage, type Usage } from "../../../../../src/core/domain/Usage.ts"
import type { RequestBody, Upload } from "../../../../../src/core/operations/RequestBody.ts"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../../src/core/pool/Protocol.ts"
import { sheetFromConfig } from "../../../../../src/providers/prices/ConfiguredPrices.ts"
import { OpenAiTranscriptions as Dialect } from "../../../../../src/providers/protocols/openai/transcripts/OpenAiTranscripts.ts"
import { SseDecoder } from "../../../../../src/providers/framing/Sse.ts"
import { problemWith } from "../../../../support/OpenAiSchema.ts"
import { hasData, loadFamily, sayWhenMissing } from "../../../../support/Transcripts.ts"
import { wave } from "../../../../support/Uploads.ts"
import { deployment, NOW, requestOf, seeded } from "../Support.ts"

sayWhenMissing("replay of recorded transcripts")

const bytes = wave(1)
const file: Upload = {
  field: "file",
  filename: "a.wav",
  contentType: "audio/wav",
  size: bytes.length,
  head: bytes,
  async *pieces() {
    yield bytes
  }
}

const callOf = (fields: JsonObject, changes: Parameters<typeof deployment>[0] = {}): UpstreamCall => {
  const form: RequestBody = { kind: "form", fields, files: [file], bytes: bytes.length }
  return {
    operation: "transcriptions",
    request: Result.getOrThrow(transcriptions.read(form)),
    deployment: deployment({ model: "gpt-4o-transcribe", ...changes }),
    maxOutput: undefined,
    strict: false,
    now: NOW
  }
}

const price = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined }
const byToken = sheetFromConfig({ ...price, input: 1, output: 2, audioInput: 3 })
const bySecond = sheetFromConfig({ ...price, input: Number.NaN, output: Number.NaN, audioSeconds: 0.0001 })

/** The fields of the form that is sent. */
const sent = (call: UpstreamCall) =>
  Effect.promise(async () => {
    const { form, headers } = Result.getOrThrow(Dialect.lower(call))
    const pieces: Array<Uint8Array> = []
    for await (const piece of form!.pieces()) pieces.push(piece)
    const data = await new Response(Buffer.concat(pieces), { headers }).formData()
    const { file, ...fields } = Object.fromEntries(data.entries())
    assert.isTrue(file instanceof File && file.size === bytes.length)
    return fields
  })

const events = (call: UpstreamCall, pieces: ReadonlyArray<Uint8Array>): ReadonlyArray<StreamEvent> => {
  const decoder = new SseDecoder()
  const lifter = Dialect.stream(call)
  const wire = [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
  return [...wire.flatMap((event) => lifter.push(event)), ...lifter.end()]
}

const tokens = {
  type: "tokens",
  input_tokens: 26,
  input_token_details: { text_tokens: 5, audio_tokens: 21 },
  output_tokens: 4,
  total_tokens: 30
}

const verbose = {
  task: "transcribe",
  language: "english",
  duration: 3661.5,
  text: "One. Two --> three.",
  segments: [
    {
      id: 0,
      seek: 0,
      start: 0,
      end: 1.25,
      text: " One.",
      tokens: [1],
      temperature: 0,
      avg_logprob: 0,
      compression_ratio: 1,
      no_speech_prob: 0
    },
    {
      id: 1,
      seek: 0,
      start: 1.25,
      end: 3661.5,
      text: " Two --> three.",
      tokens: [2],
      temperature: 0,
      avg_logprob: 0,
      compression_ratio: 1,
      no_speech_prob: 0
    }
  ]
}

describe("a transcript", () => {
  it.skipIf(!hasData)("that was recorded goes on as it came, with its usage", () => {
    const recorded = [...loadFamily("openai.audio.transcriptions"), ...loadFamily("openai.audio.translations")]
    assert.strictEqual(recorded.length, 5)
    for (const { name, response } of recorded) {
      const text = Buffer.from(response.bytes).toString()
      const { body, text: own, usage } = Result.getOrThrow(Dialect.lift(text, callOf({}, { price: byToken })))
      const told = JSON.parse(text)
      assert.deepStrictEqual(body, told, name)
      assert.strictEqual(own, text)
      assert.isUndefined(problemWith("CreateTranscriptionResponseJson", body), name)
      const { input_token_details: details, output_tokens: output } = told.usage ?? {}
      const expected: Usage | undefined = told.usage && {
        ...noUsage,
        input: details.text_tokens,
        audioInput: details.audio_tokens,
        output
      }
      assert.deepStrictEqual(usage, expected, name)
    }
  })

  it.effect("is asked for in a format that tells its usage, and other fields go on", () =>
    Effect.gen(function* () {
      const whisper = { model: "whisper-1" }
      const formats = (changes: Parameters<typeof deployment>[0]) =>
        Effect.forEach(["", "json", "text", "srt", "vtt", "verbose_json", "diarized_json"], (response_format) =>
          Effect.map(sent(callOf({ response_format }, changes)), (fields) => fields["response_format"])
        )
      const all = "verbose_json"
      assert.deepStrictEqual(yield* formats(whisper), [all, all, all, all, all, all, "diarized_json"])
      assert.deepStrictEqual(yield* formats({}), ["json", "json", "json", "srt", "vtt", all, "diarized_json"])
      const other = { vendor: "openai-compatible", model: "whisper-large-v3" }
      assert.deepStrictEqual(yield* formats(other), ["json", "json", "json", all, all, all, "diarized_json"])
      const fields = {
        model: "auto",
        prompt: "Öl",
        temperature: "0.2",
        chunking_strategy: '{"type":"auto"}',
        stream: "true"
      }
      assert.deepStrictEqual(yield* sent(callOf(fields)), {
        ...fields,
        model: "gpt-4o-transcribe"
      })
      assert.deepStrictEqual(yield* sent(callOf({ include: ["logprobs"] })), {
        "include[]": "logprobs",
        model: "gpt-4o-transcribe"
      })
    })
  )

  it("is written in the format that was asked for", () => {
    const whisper = { model: "whisper-1", price: bySecond }
    const written = (response_format: string) => {
      const { body, raw, usage } = Result.getOrThrow(
        Dialect.lift(JSON.stringify(verbose), callOf({ response_format }, whisper))
      )
      assert.deepStrictEqual(usage, { ...noUsage, audioSeconds: 3662 })
      return raw === undefined ? body : Buffer.from(raw.bytes).toString()
    }
    assert.deepStrictEqual(written("json"), { text: verbose.text })
    assert.strictEqual(written("text"), "One. Two --> three.\n")
    assert.strictEqual(
      written("srt"),
      "1\n00:00:00,000 --> 00:00:01,250\nOne.\n\n2\n00:00:01,250 --> 01:01:01,500\nTwo -> three.\n\n"
    )
    assert.strictEqual(
      written("vtt"),
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nOne.\n\n00:00:01.250 --> 01:01:01.500\nTwo -> three.\n\n"
    )
    assert.deepStrictEqual(written("verbose_json"), verbose)
    const subtitles = Dialect.lift("1\n00:00 …", callOf({ response_format: "srt" }))
    assert.deepInclude(Result.getOrThrow(subtitles).raw, { contentType: "text/plain; charset=utf-8" })
  })

  it("tells its usage in what the deployment is priced by, or none", () => {
    const usage = (body: object, changes: Parameters<typeof deployment>[0]) =>
      Result.getOrThrow(Dialect.lift(JSON.stringify({ text: "", ...body }), callOf({}, changes))).usage
    const seconds = (audioSeconds: number) => ({ ...noUsage, audioSeconds })
    assert.deepStrictEqual(usage({ usage: { type: "duration", seconds: 9 } }, { price: bySecond }), seconds(9))
    assert.deepStrictEqual(usage({ duration: "8.47" }, { price: bySecond }), seconds(9))
    assert.deepStrictEqual(usage({ usage: tokens, duration: 2.1 }, { price: bySecond }), seconds(3))
    assert.isUndefined(usage({ usage: tokens }, { price: bySecond }))
    assert.isUndefined(usage({ usage: { type: "duration", seconds: 9 } }, { price: byToken }))
    assert.isUndefined(usage({ usage: { ...tokens, output_tokens: -1 } }, { price: byToken }))
    assert.isUndefined(usage({ duration: -1 }, { price: bySecond }))
    // Without details all of it is sound.
    const { input_token_details: _, ...plain } = tokens
    assert.deepInclude(usage({ usage: plain }, { price: byToken }), { input: 0, audioInput: 26 })
  })

  it("that is none is a failure", () => {
    const failure = (text: string, fields: JsonObject = {}) =>
      Result.getOrThrow(Result.flip(Dialect.lift(text, callOf(fields, { model: "whisper-1" }))))
    for (const text of ["", "<html>", "{}", "[]", '{"text":1}']) assert.strictEqual(failure(text).class, "truncated")
    assert.strictEqual(failure('{"error":{"message":"no","code":"invalid_api_key"}}').class, "auth")
    assert.include(failure('{"text":"a"}', { response_format: "srt" }).message, "no segments")
  })
})

describe("a streamed transcript", () => {
  const call = callOf({ stream: "true" }, { price: byToken })
  const frames = [
    { type: "transcript.text.delta", delta: "Grüß" },
    { type: "transcript.text.delta", delta: " Gott 🎉", logprobs: [] },
    { type: "transcript.text.done", text: "Grüß Gott 🎉", usage: tokens }
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`)

  it("is the same however it is split", () => {
    const chance = seeded(3)
    const whole = events(call, [Buffer.from(frames.join(""))])
    assert.deepStrictEqual(
      whole.map(({ kind }) => kind),
      ["content", "content", "finish", "usage", "done"]
    )
    for (const text of [frames.join(""), frames.join(": ping\n\n").replaceAll("\n", "\r\n")]) {
      const all = Buffer.from(text)
      for (let round = 0; round < 50; round++) {
        const pieces: Array<Buffer> = []
        for (let at = 0; at < all.length;) {
          const size = 1 + Math.floor(chance() * 20)
          pieces.push(all.subarray(at, at + size))
          at += size
        }
        assert.deepStrictEqual(events(call, pieces), whole)
      }
    }
  })

  it("that is cut at any frame, or tells an error, is not complete", () => {
    for (let most = 0; most < frames.length; most++) {
      const relay = transcriptions.relay(requestOf({}))
      relay.push(events(call, [Buffer.from(frames.slice(0, most).join(""))]))
      relay.close()
      assert.strictEqual(relay.failure?.class, "truncated")
    }
    const relay = transcriptions.relay(requestOf({}))
    relay.push(
      events(call, [
        Buffer.from(`${frames[0]}data: {"type":"error","error":{"message":"x","code":"server_error"}}\n\n`)
      ])
    )
    assert.strictEqual(relay.failure?.class, "unavailable")
    assert.strictEqual(relay.produced.all().text, "Grüß")
  })

  it.skipIf(!hasData)("is made of a complete answer, where the model does not stream", () => {
    const answer = Result.getOrThrow(
      Dialect.lift(JSON.stringify(verbose), callOf({ stream: "true" }, { model: "whisper-1" }))
    )
    const replayed = Dialect.replay?.(answer, call) ?? []
    assert.deepStrictEqual(
      replayed.map(({ kind }) => kind),
      ["content", "finish", "usage", "done"]
    )
    for (const event of replayed) {
      if (event.kind === "content") assert.isUndefined(problemWith("TranscriptTextDeltaEvent", JSON.parse(event.data)))
      if (event.kind === "finish") assert.isUndefined(problemWith("TranscriptTextDoneEvent", JSON.parse(event.data)))
    }
  })
})
