/** Files whose bytes, names or addresses say different things cost a budget no more than was reserved for them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { pagesOf, pdfOf, streamOf } from "../../support/Pdf.ts"
import { wave } from "../../support/Uploads.ts"
import { counted, image, priced, say, world } from "./BudgetedGateway.ts"

const WINDOW = 128_000
const models = (...names: ReadonlyArray<string>) =>
  names.map((name) => `{ provider: openai, model: ${name}, ${priced}, context_window: ${WINDOW} }`)

const document = (bytes: Buffer, type = "application/pdf") => ({
  type: "file",
  file: { filename: "a.pdf", file_data: `data:${type};base64,${bytes.toString("base64")}` }
})

describe("files under a budget", () => {
  it.live("reserves the pages of a plain PDF, and the context window for one whose pages are unclear", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({ deployments: models("gpt-4o") })
      const chat = yield* key(10)
      const reserved = Effect.fnUntraced(function* (part: object) {
        const { status } = yield* chat({ model: "gpt-4o", max_tokens: 16, messages: say([part]) })
        assert.strictEqual(status, 200)
        return Math.round((yield* held) * 1e6) - 32
      })
      const page = 85 + 8 * 170 + 3_000
      assert.closeTo(yield* reserved(document(pdfOf(pagesOf(5)))), 5 * page, 400)
      const hidden = pdfOf(pagesOf(5), { head: "%PDF-1.4\n% stream\n% 9 0 obj\n" })
      const twice = pdfOf({ ...pagesOf(3), 2: "<< /Type /Pages /Count 3 /Kids [10 0 R 10 0 R 10 0 R] >>" })
      for (const bytes of [hidden, twice, Buffer.from("%PDF-1.4\nnothing")]) {
        assert.strictEqual(yield* reserved(document(bytes)), WINDOW)
      }
      // The type that is sent and the bytes differ.
      assert.strictEqual(yield* reserved(document(pdfOf(pagesOf(5)), "text/plain")), WINDOW)
    })
  )

  it.live("sends recordings and scans however many bytes they have, with a budget and without", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({ deployments: models("gpt-4o-audio-preview", "gpt-4o") })
      // 9.6 MB, and 6,000 tokens.
      const data = wave(600).toString("base64")
      const recording = { type: "input_audio", input_audio: { data, format: "wav" } }
      const scan = document(pdfOf({ ...pagesOf(2), 90: streamOf("", "1".repeat(4_000_000)) }))
      for (const [model, part] of [
        ["gpt-4o-audio-preview", recording],
        ["gpt-4o", scan]
      ] as const) {
        for (const usd of [undefined, 10]) {
          const { status, text } = yield* (yield* key(usd))({ model, max_tokens: 16, messages: say([part]) })
          assert.strictEqual(status, 200, text)
        }
      }
      assert.isAbove(yield* held, 0)
    })
  )

  it.live("answers others while it reads PDFs that were made to take long", () =>
    Effect.gen(function* () {
      const deployment = `{ provider: openai, model: gpt-4o, ${priced}, context_window: 10000000 }`
      const { createKey, url } = yield* world({ deployments: [deployment] })
      const { secret } = yield* createKey({ budgets: [{ limit: 100_000_000_000, window: "day", timeZone: "UTC" }] })
      const files = ["/Contents[", "/Kids[", "1", "[", "<<>>", "1 0 obj\n", "%\n", "(", "stream\nendstream "].map(
        (piece) => document(Buffer.from(`%PDF-1.4\n1 0 obj ${piece.repeat(60_000)}`))
      )
      let slowest = 0
      const watch = Effect.gen(function* () {
        const began = performance.now()
        yield* call(url, { path: "/healthz" })
        slowest = Math.max(slowest, performance.now() - began)
      })
      const body = { model: "gpt-4o", max_tokens: 10, messages: say(files) }
      const send = call(url, { path: "/v1/chat/completions", key: secret, body })
      const { status } = yield* Effect.raceFirst(send, Effect.forever(watch))
      assert.strictEqual(status, 200)
      assert.isBelow(slowest, 5_000)
    })
  )

  it.live("takes what is sent as an image for what its address, its type or its bytes say that it is", () =>
    Effect.gen(function* () {
      const { asked, key } = yield* world({
        deployments: [
          `{ provider: openai, model: gpt-4o, ${priced}, ${counted} }`,
          `{ provider: up, model: m, ${priced}, ${counted} }`
        ]
      })
      const chat = yield* key(1)
      const video = Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom").toString("base64")
      const uploaded = "https://generativelanguage.googleapis.com/v1beta/files/abc"
      const cases: ReadonlyArray<readonly [object, setting: string]> = [
        [image("gs://bucket/hour.mp4"), "video_tokens"],
        [image("https://example.com/hour.MP4?x=1"), "video_tokens"],
        [{ type: "image_url", image_url: { url: "gs://bucket/a", format: "video/mp4" } }, "video_tokens"],
        [{ type: "image_url", image_url: { url: "gs://bucket/a", mime_type: "application/pdf" } }, "file_tokens"],
        [{ type: "image_url", image_url: { url: "gs://bucket/a.mp4", format: "image/png" } }, "part_tokens"],
        [image(`data:video/mp4;base64,${video}`), "video_tokens"],
        [image(`data:image/png;base64,${video}`), "part_tokens"],
        [image(`data:image/png;base64,${pdfOf(pagesOf(9)).toString("base64")}`), "part_tokens"],
        [image("https://www.youtube.com/watch?v=1"), "part_tokens"],
        [{ type: "file", file: { file_id: "gs://bucket/hour.mp4" } }, "video_tokens"],
        [{ type: "file", file: { file_data: "gs://bucket/a", format: "audio/mpeg" } }, "audio_tokens_per_second"],
        [{ type: "file", file: { file_data: `data:video/webm;base64,${video}` } }, "video_tokens"],
        [{ type: "input_audio", input_audio: { data: video, format: "mp4" } }, "audio_tokens_per_second"],
        [{ type: "audio_url", audio_url: { url: "gs://bucket/hour.mp4" } }, "part_tokens"],
        [{ type: "video_url", video_url: { url: "gs://bucket/hour.mp4", format: "image/png" } }, "part_tokens"],
        [{ type: "document", source: { type: "base64", media_type: "video/mp4", data: video } }, "video_tokens"],
        [{ type: "file", file: { file_id: uploaded, format: "image/png" } }, "file_tokens"],
        [{ type: "image_url", image_url: { url: uploaded, mime_type: "image/png" } }, "part_tokens"],
        [{ type: "image", source: { type: "base64", media_type: "application/pdf", data: video } }, "file_tokens"]
      ]
      for (const [part, setting] of cases) {
        const { json, status } = yield* chat({ model: "up/m", max_tokens: 10, messages: say([part]) })
        assert.strictEqual(status, 400, JSON.stringify(part))
        assert.include(json.error.message, `bounds.${setting}`, JSON.stringify(part).slice(0, 200))
      }
      assert.lengthOf(asked, 0)
    })
  )

  it.live("says in a refusal which files it can measure", () =>
    Effect.gen(function* () {
      const { key } = yield* world({ deployments: [`{ provider: up, model: m, ${priced}, ${counted} }`] })
      const chat = yield* key(1)
      const { json } = yield* chat({ model: "up/m", max_tokens: 10, messages: say([document(Buffer.from("%PDF-"))]) })
      assert.match(json.error.message, /messages\[0\]\.content\[0\].*UTF-8 text, or a PDF without encryption/)
      const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }
      const { json: other } = yield* chat({ model: "up/m", max_tokens: 10, messages: say([audio]) })
      assert.match(other.error.message, /WAV file without compression, an MP3, a FLAC, or an Ogg file/)
    })
  )
})
