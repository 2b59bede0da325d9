/** Recordings to text and text to speech through the port, with the vendor's own client. */
import { createReadStream, writeFileSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { toFile } from "openai"
import { limits, startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { uploadsOnDisk, wave } from "../support/Uploads.ts"
import { type Asked, upstream, vendorError } from "../support/Upstream.ts"
import { until } from "../support/Patience.ts"
import { resolved } from "./Promised.ts"

const yaml = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/transcribe, demo/speech]
router: { buckets: { simple: [demo/mini] } }
`

const demo = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml })
  // Neither seconds nor characters are tokens.
  const { secret } = yield* gateway.createKey({ limits: limits({ tpm: 1 }) })
  return { ...gateway, secret, openai: gateway.client(secret) }
})

/** The fields and the file of a form that an upstream got. */
const formIn = ({ body, headers }: Asked) =>
  Effect.promise(async () => {
    const data = await new Response(new Uint8Array(body as Buffer), { headers }).formData()
    const file = data.get("file")
    const bytes = file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0)
    data.delete("file")
    return { bytes, fields: Object.fromEntries(data.entries()), name: file instanceof File ? file.name : "" }
  })

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

describe("a transcript", () => {
  it.live("of what the demo provider spoke has its words, in every format", () =>
    Effect.gen(function* () {
      const { openai } = yield* demo
      const input = "Hello there. How are you today?"
      const spoken = yield* resolved(() => openai.audio.speech.create({ model: "demo/speech", voice: "alloy", input }))
      const bytes = Buffer.from(yield* resolved(() => spoken.arrayBuffer()))
      const folder = dirname(yield* temporaryStore)
      const path = join(folder, "spoken.wav")
      writeFileSync(path, bytes)
      const file = () => createReadStream(path)
      const model = "demo/transcribe"
      const json = yield* resolved(() => openai.audio.transcriptions.create({ model, file: file() }))
      assert.strictEqual(json.text, input)
      assert.deepEqual<unknown>(json.usage, { type: "duration", seconds: 2, cost: 0.0002 })
      assert.deepInclude(Reflect.get(json, "gateway"), { decision: model, cost_usd: 0.0002 })
      const text = yield* resolved(() =>
        openai.audio.transcriptions.create({ model, file: file(), response_format: "text" })
      )
      assert.strictEqual(String(text), `${input}\n`)
      const srt = yield* resolved(() =>
        openai.audio.transcriptions.create({ model, file: file(), response_format: "srt" }).withResponse()
      )
      assert.strictEqual(srt.response.headers.get("x-gateway-cost-usd"), "0.0002")
      assert.strictEqual(srt.response.headers.get("content-type"), "text/plain; charset=utf-8")
      assert.match(
        String(srt.data),
        /^1\n00:00:00,000 --> 00:00:00,\d{3}\nHello there\.\n\n2\n00:00:00,\d{3} --> 00:00:01,8\d\d\nHow are you today\?\n\n$/
      )
      const vtt = yield* resolved(() =>
        openai.audio.transcriptions.create({ model, file: file(), response_format: "vtt" })
      )
      assert.match(String(vtt), /^WEBVTT\n\n00:00:00\.000 --> 00:00:00\.\d{3}\nHello there\.\n\n/)
      const verbose = yield* resolved(() =>
        openai.audio.transcriptions.create({ model, file: file(), response_format: "verbose_json" })
      )
      assert.strictEqual(verbose.segments?.length, 2)
      assert.deepEqual<unknown>(verbose.usage, { type: "duration", seconds: 2, cost: 0.0002 })
      const translated = yield* resolved(() => openai.audio.translations.create({ model, file: file() }))
      assert.strictEqual(translated.text, input)
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
      assert.include(said, "2.003 seconds")
      assert.deepEqual<unknown>(last.usage, { type: "duration", seconds: 3, cost: 0.0003 })
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
      // 60.003 seconds are held as 62.
      assert.strictEqual(yield* ask(6_199_999, 60), "429 insufficient_quota")
      assert.strictEqual(up.asked.length, 0)
      assert.strictEqual(yield* ask(6_200_000, 60), "0.006")
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, { reserved: 6_200_000, cost: 6_000_000, estimated: 0, operation: "transcriptions" })
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
      assert.isAtLeast(row?.reserved ?? 0, 611 * 3_000 + 16_384 * 5_000)
    })
  )

  it.live(
    "holds what a recording of unknown length can be at the most: by its bytes, or by what the vendor accepts",
    () =>
      Effect.gen(function* () {
        const noise = Buffer.alloc(3_000_000, "x")
        const held = Effect.fnUntraced(function* (model: string) {
          const { ask, gateway } = yield* listening(model, { text: "Hi", duration: 1, segments: [] })
          yield* ask(100_000_000_000, noise)
          return (yield* gateway.ledger)[0]?.reserved ?? 0
        })
        // 750 bytes a second: 4,000 seconds, and one more.
        assert.strictEqual(yield* held("whisper-1"), 400_100_000)
        // At most 1,500 seconds of 10 tokens.
        const sound = 1_501 * 10 * 3_000
        const rest = (yield* held("gpt-4o-mini-transcribe")) - sound - 16_384 * 5_000
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
