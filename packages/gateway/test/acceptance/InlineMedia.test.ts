/** Documents and recordings by URL, before providers that take bytes; and what several attempts fetch. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Fetch, NotFetched, PublicFetch } from "../../src/providers/transport/PublicFetch.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream, vendorError } from "../support/Upstream.ts"

const pdf = Buffer.from("%PDF-1.4 nothing")
const files: { readonly [path: string]: readonly [mediaType: string, bytes: Buffer] } = {
  "/report.pdf": ["application/pdf", pdf],
  "/download": ["application/octet-stream", pdf],
  "/notes.txt": ["text/plain", Buffer.from("Notes")],
  "/said.mp3": ["audio/mpeg", Buffer.from([1, 2, 3])],
  "/page": ["application/zip", Buffer.from("PK")],
  "/unknown": ["application/octet-stream", Buffer.from("?")],
  "/picture.png": ["image/png", Buffer.from([1, 1, 1])]
}

const fetchFrom =
  (fetched: Array<string>): Fetch =>
  (url, { accepts }) => {
    fetched.push(url)
    const { hostname, pathname } = new URL(url)
    const file = hostname === "files.example" ? files[pathname] : undefined
    if (file === undefined) return Effect.fail(new NotFetched({ message: "is at no public address" }))
    const [mediaType, bytes] = file
    if (!accepts(mediaType))
      return Effect.fail(new NotFetched({ message: "is not of a media type that is wanted here" }))
    return Effect.succeed({ mediaType, bytes })
  }

const started = Effect.gen(function* () {
  const fetched: Array<string> = []
  const broken = yield* upstream(() => ({ status: 503, body: vendorError("busy", "server_error") }))
  const up = yield* upstream(({ path }) => ({
    body: path.endsWith("/messages")
      ? {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [{ type: "text", text: "Seen" }],
          stop_reason: "end_turn",
          usage: { input_tokens: 1, output_tokens: 1 }
        }
      : completion("Seen")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  broken: { protocol: openai-chat, base_url: "${broken.baseUrl}", api_key: none }
  up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none }
  vendor: { vendor: openai, base_url: "${up.baseUrl}", api_key: k }
  claude: { protocol: anthropic-messages, base_url: "${up.baseUrl}", api_key: none }
deployments:
  - { provider: broken, model: bytes, inline_images: true }
  - { provider: up, model: bytes, inline_images: true }
  - { provider: vendor, model: gpt-4.1, inline_images: true }
  - { provider: claude, model: claude-sonnet-4-5, inline_images: true }
models: { either: [broken/bytes, up/bytes] }
failover: { base_delay: 1ms }
`
  }).pipe(Effect.provideService(PublicFetch, fetchFrom(fetched)))
  const { secret } = yield* gateway.createKey()
  const chat = (content: unknown, model = "up/bytes") =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      body: { model, messages: [{ role: "user", content }] }
    })
  const ask = (path: string, body: object) => call(gateway.url, { path, key: secret, body })
  return { ask, chat, fetched, up }
})

const at = (path: string) => `https://files.example${path}`
const dataUrl = (path: string, mediaType = files[path]![0]) =>
  `data:${mediaType};base64,${files[path]![1].toString("base64")}`

describe("documents and recordings by URL", () => {
  it.live("become data, with a name, before a provider that takes bytes only", () =>
    Effect.gen(function* () {
      const { chat, up } = yield* started
      const { status, text } = yield* chat([
        { type: "file", file: { file_data: at("/report.pdf") } },
        { type: "file", file: { file_data: at("/download"), filename: "own.pdf" } },
        { type: "audio_url", audio_url: { url: at("/said.mp3") } }
      ])
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(up.asked[0]?.body.messages[0].content, [
        { type: "file", file: { filename: "report.pdf", file_data: dataUrl("/report.pdf") } },
        { type: "file", file: { filename: "own.pdf", file_data: dataUrl("/download", "application/pdf") } },
        { type: "audio_url", audio_url: { url: dataUrl("/said.mp3") } }
      ])
    })
  )

  it.live("become data in the other APIs too", () =>
    Effect.gen(function* () {
      const { ask, up } = yield* started
      const message = yield* ask("/v1/messages", {
        model: "claude/claude-sonnet-4-5",
        max_tokens: 9,
        messages: [
          {
            role: "user",
            content: [
              { type: "document", source: { type: "url", url: at("/report.pdf") } },
              { type: "document", source: { type: "url", url: at("/notes.txt") } },
              { type: "text", text: "What do they say?" }
            ]
          }
        ]
      })
      assert.strictEqual(message.status, 200, message.text)
      assert.deepStrictEqual(up.asked[0]?.body.messages[0].content.slice(0, 2), [
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: pdf.toString("base64") }
        },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "Notes" } }
      ])
      const response = yield* ask("/v1/responses", {
        model: "up/bytes",
        store: false,
        input: [{ role: "user", content: [{ type: "input_file", file_url: at("/report.pdf") }] }]
      })
      assert.strictEqual(response.status, 200, response.text)
      assert.deepStrictEqual(up.asked[1]?.body.messages[0].content, [
        { type: "file", file: { filename: "report.pdf", file_data: dataUrl("/report.pdf") } }
      ])
    })
  )

  it.live("images in what a tool said become data as well", () =>
    Effect.gen(function* () {
      const { ask, up } = yield* started
      const { status, text } = yield* ask("/v1/messages", {
        model: "claude/claude-sonnet-4-5",
        max_tokens: 9,
        tools: [{ name: "look", input_schema: { type: "object" } }],
        messages: [
          { role: "user", content: "Look" },
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "toolu_1",
                content: [{ type: "image", source: { type: "url", url: at("/picture.png") } }]
              }
            ]
          }
        ]
      })
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(up.asked[0]?.body.messages[2].content[0].content[0].source, {
        type: "base64",
        media_type: "image/png",
        data: "AQEB"
      })
    })
  )

  it.live("are fetched once for all attempts at a request", () =>
    Effect.gen(function* () {
      const { chat, fetched, up } = yield* started
      const { headers, status } = yield* chat([{ type: "image_url", image_url: { url: at("/picture.png") } }], "either")
      assert.strictEqual(status, 200)
      assert.notStrictEqual(headers["x-gateway-retries"], "0")
      assert.deepStrictEqual(fetched, [at("/picture.png")])
      assert.strictEqual(up.asked[0]?.body.messages[0].content[0].image_url.url, dataUrl("/picture.png"))
    })
  )

  it.live("of an unwanted or unknown kind are a 400 that says so", () =>
    Effect.gen(function* () {
      const { chat, up } = yield* started
      for (const [path, words] of [
        ["/page", /not of a media type that is wanted here; send the file as a data URL/],
        ["/unknown", /does not say what kind of file it is; send the file as a data URL/]
      ] as const) {
        const { json, status } = yield* chat([{ type: "file", file: { file_data: at(path) } }])
        assert.strictEqual(status, 400)
        assert.strictEqual(json.error.param, "messages[0].content[0].file.file_data")
        assert.match(json.error.message, words)
      }
      assert.lengthOf(up.asked, 0)
    })
  )

  it.live("at a vendor's own address stay what they are", () =>
    Effect.gen(function* () {
      const { chat, fetched, up } = yield* started
      const own = `${new URL(up.baseUrl).origin}/files/1`
      assert.strictEqual((yield* chat([{ type: "image_url", image_url: { url: own } }], "vendor/gpt-4.1")).status, 200)
      assert.strictEqual(up.asked[0]?.body.messages[0].content[0].image_url.url, own)
      assert.lengthOf(fetched, 0)
    })
  )
})
