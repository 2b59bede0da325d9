/** Recordings to text through the port: formats, uploads, failover, what is refused. */
import { createReadStream, writeFileSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { toFile } from "openai"
import { startGateway, temporaryStore } from "../../support/RunningGateway.ts"
import { uploadsOnDisk, wave } from "../../support/Uploads.ts"
import { upstream, vendorError } from "../../support/Upstream.ts"
import { until } from "../../support/Patience.ts"
import { resolved } from "../Promised.ts"
import { demo, formIn } from "./DemoSound.ts"

describe("a transcript", () => {
  it.live("of the demo provider comes in every format", () =>
    Effect.gen(function* () {
      const { openai } = yield* demo
      const expected = "This is a recording of 2 seconds. The demo provider does not know its words."
      const path = join(dirname(yield* temporaryStore), "spoken.wav")
      writeFileSync(path, wave(2))
      const file = () => createReadStream(path)
      const model = "demo/transcribe"
      const json = yield* resolved(() => openai.audio.transcriptions.create({ model, file: file() }))
      assert.strictEqual(json.text, expected)
      assert.deepEqual<unknown>(json.usage, { type: "duration", seconds: 2, cost: 0.0002 })
      assert.deepInclude(Reflect.get(json, "gateway"), { decision: model, cost_usd: 0.0002 })
      const text = yield* resolved(() =>
        openai.audio.transcriptions.create({ model, file: file(), response_format: "text" })
      )
      assert.strictEqual(String(text), `${expected}\n`)
      const srt = yield* resolved(() =>
        openai.audio.transcriptions.create({ model, file: file(), response_format: "srt" }).withResponse()
      )
      assert.strictEqual(srt.response.headers.get("x-gateway-cost-usd"), "0.0002")
      assert.strictEqual(srt.response.headers.get("content-type"), "text/plain; charset=utf-8")
      assert.strictEqual(
        String(srt.data),
        "1\n00:00:00,000 --> 00:00:01,000\nThis is a recording of 2 seconds.\n\n2\n00:00:01,000 --> 00:00:02,000\nThe demo provider does not know its words.\n\n"
      )
      const vtt = yield* resolved(() =>
        openai.audio.transcriptions.create({ model, file: file(), response_format: "vtt" })
      )
      assert.match(String(vtt), /^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.000\nThis is a recording of 2 seconds\.\n\n/)
      const verbose = yield* resolved(() =>
        openai.audio.transcriptions.create({ model, file: file(), response_format: "verbose_json" })
      )
      assert.strictEqual(verbose.segments?.length, 2)
      assert.deepEqual<unknown>(verbose.usage, { type: "duration", seconds: 2, cost: 0.0002 })
      const translated = yield* resolved(() => openai.audio.translations.create({ model, file: file() }))
      assert.strictEqual(translated.text, expected)
    })
  )

  it.live("is streamed, and its last event has the cost", () =>
    Effect.gen(function* () {
      const { openai } = yield* demo
      const file = yield* resolved(() => toFile(wave(2), "a.wav"))
      const events = yield* resolved(async () => {
        const all = []
        const stream = await openai.audio.transcriptions.create({ model: "auto", file, stream: true })
        for await (const event of stream) all.push(event)
        return all
      })
      const last = events.at(-1)
      if (last?.type !== "transcript.text.done") return assert.fail("no end")
      const said = events.map((event) => (event.type === "transcript.text.delta" ? event.delta : "")).join("")
      assert.strictEqual(said, last.text)
      assert.include(said, "of 2 seconds")
      assert.deepEqual<unknown>(last.usage, { type: "duration", seconds: 2, cost: 0.0002 })
    })
  )

  it.live("of an upload goes to the next provider when the first one fails, with the same bytes", () =>
    Effect.gen(function* () {
      const sound = wave(200)
      const up = yield* upstream((_, number) =>
        number === 0
          ? { status: 503, body: vendorError("overloaded") }
          : {
              body: {
                text: "Hi",
                language: "english",
                duration: 200,
                segments: [],
                usage: { type: "duration", seconds: 200 }
              }
            }
      )
      const gateway = yield* startGateway({
        yaml: `
providers:
  openai: { api_key: sk-test, base_url: "${up.baseUrl}" }
  other: { vendor: openai, api_key: sk-test, base_url: "${up.baseUrl}/other" }
deployments: [openai/whisper-1, other/whisper-1]
models: { ears: [openai/whisper-1, other/whisper-1] }
failover: { base_delay: 1ms }
`
      })
      const { secret } = yield* gateway.createKey()
      const { data, response } = yield* resolved(async () =>
        gateway
          .client(secret)
          .audio.transcriptions.create({ model: "ears", file: await toFile(sound, "Büro.wav"), prompt: 'Names: "Öl"' })
          .withResponse()
      )
      assert.strictEqual(data.text, "Hi")
      assert.strictEqual(response.headers.get("x-gateway-retries"), "1")
      assert.strictEqual(response.headers.get("x-gateway-cost-usd"), "0.02")
      assert.deepStrictEqual(
        up.asked.map(({ path }) => path),
        ["/v1/audio/transcriptions", "/v1/other/audio/transcriptions"]
      )
      for (const asked of up.asked) {
        assert.strictEqual(asked.headers["content-length"], String((asked.body as Buffer).length))
        const { bytes, fields, name } = yield* formIn(asked)
        assert.isTrue(sound.equals(bytes))
        assert.strictEqual(name, "Büro.wav")
        assert.deepStrictEqual(fields, { model: "whisper-1", prompt: 'Names: "Öl"', response_format: "verbose_json" })
      }
      yield* until(() => uploadsOnDisk().length === 0)
    })
  )

  it.live("is not made for a caller that leaves in the middle of its upload, and no file stays", () =>
    Effect.gen(function* () {
      const { ledger, requests: _, secret, url } = yield* demo
      const socket = connect(Number(new URL(url).port), "127.0.0.1")
      socket.on("error", () => {})
      socket.write(
        `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\nContent-Type: multipart/form-data; boundary=B\r\n` +
          `Content-Length: 9000000\r\n\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n${"x".repeat(3_000_000)}`
      )
      if (process.platform === "linux") yield* until(() => uploadsOnDisk().length === 1)
      socket.destroy()
      yield* until(() => uploadsOnDisk().length === 0)
      assert.deepStrictEqual(yield* ledger, [])
    })
  )

  it.live("of a caller that leaves while the provider takes nothing of it leaves no file", () =>
    Effect.gen(function* () {
      const sockets = new Set<Socket>()
      const provider = createServer((socket) => void sockets.add(socket.pause().on("error", () => {})))
      yield* Effect.promise(() => new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve)))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          provider.close()
        })
      )
      const { port } = provider.address() as AddressInfo
      const gateway = yield* startGateway({
        yaml: `
providers: { up: { protocol: openai-chat, base_url: "http://127.0.0.1:${port}/v1", api_key: none } }
deployments: [up/whisper]
`
      })
      const { secret } = yield* gateway.createKey()
      const file = yield* resolved(() => toFile(wave(1_500), "a.wav"))
      const { audio } = gateway.client(secret)
      const asked = yield* Effect.forkChild(
        Effect.promise((signal) => audio.transcriptions.create({ model: "up/whisper", file }, { signal }))
      )
      yield* until(() => sockets.size === 1)
      if (process.platform === "linux") assert.strictEqual(uploadsOnDisk().length, 1)
      yield* Fiber.interrupt(asked)
      yield* until(() => uploadsOnDisk().length === 0)
    })
  )

  it.live("is refused with what is wrong: no file, two of them, no form, a model that can't", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* demo
      const post = (fields: ReadonlyArray<readonly [string, string | Blob]>) => {
        const body = new FormData()
        for (const [name, value] of fields) body.append(name, value)
        return send(body)
      }
      const send = (body: FormData | string) =>
        resolved(async () => {
          const headers = { authorization: `Bearer ${secret}` }
          const response = await fetch(`${url}/v1/audio/transcriptions`, { method: "POST", headers, body })
          return { status: response.status, text: await response.text() }
        })
      const sound = new Blob([new Uint8Array(wave(1))])
      const cases = [
        [yield* post([["model", "auto"]]), 400, "the form must have a file in `file`"],
        [yield* post([["file", "words"]]), 400, "`file` must be a file, found a text"],
        [yield* post([["audio", sound]]), 400, "found files in `audio`"],
        [
          yield* post([
            ["file", sound],
            ["file", sound]
          ]),
          400,
          "`file` must be one file, found 2"
        ],
        [yield* post([["file", new Blob([])]]), 400, "must not be empty"],
        [
          yield* post([
            ["file", sound],
            ["stream", "yes"]
          ]),
          400,
          "`stream` must be true or false"
        ],
        [
          yield* post([
            ["file", sound],
            ["model", "demo/mini"]
          ]),
          400,
          "demo/mini can't serve transcriptions; it serves chat"
        ],
        [yield* send("{}"), 415, "the body must be multipart/form-data, not `text/plain"]
      ] as const
      for (const [{ status, text }, expected, words] of cases) {
        assert.strictEqual(status, expected, text)
        assert.include(JSON.parse(text).error.message, words)
      }
      assert.deepStrictEqual(uploadsOnDisk(), [])
    })
  )
})
