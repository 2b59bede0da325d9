/** Images by URL, before providers that take bytes and before those that fetch for themselves. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Fetch, NotFetched, PublicFetch } from "../../src/providers/transport/PublicFetch.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

/** `https://images.example/<bytes>.png` has so many bytes; other hosts are not public. */
const fetch =
  (fetched: Array<string>): Fetch =>
  (url, { accepts, maxBytes }) => {
    fetched.push(url)
    const size = Number(/^https:\/\/images\.example\/(\d+)\.png$/.exec(url)?.[1] ?? -1)
    if (size < 0) return Effect.fail(new NotFetched({ message: "is at no public address" }))
    if (size > maxBytes || !accepts("image/png")) return Effect.fail(new NotFetched({ message: "is too large" }))
    return Effect.succeed({ mediaType: "image/png", bytes: Buffer.alloc(size, 1) })
  }

const started = Effect.gen(function* () {
  const fetched: Array<string> = []
  const up = yield* upstream(({ body }) => ({
    body: body.stream === true ? completionEvents("one") : completion("one")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none }
  ollama: { base_url: "${up.baseUrl}" }
deployments:
  - { provider: up, model: fetches, price: { input: 1, output: 2 } }
  - { provider: up, model: bytes, price: { input: 1, output: 2 }, inline_images: true }
  - { provider: ollama, model: llava, price: { input: 0, output: 0 } }
models: { either: [up/bytes, up/fetches] }
`
  }).pipe(Effect.provideService(PublicFetch, fetch(fetched)))
  const { secret } = yield* gateway.createKey()
  const chat = (model: string, content: unknown, stream = false) => {
    const body = {
      model,
      stream,
      messages: [
        { role: "system", content: "Look" },
        { role: "user", content }
      ]
    }
    return call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
  }
  const message = (model: string, content: unknown) =>
    call(gateway.url, {
      path: "/v1/messages",
      key: secret,
      body: { model, max_tokens: 9, messages: [{ role: "user", content }] }
    })
  return { chat, fetched, message, up }
})

const image = (url: string, detail?: string) => ({
  type: "image_url",
  image_url: detail === undefined ? { url } : { url, detail }
})
const three = "https://images.example/3.png"
const asData = "data:image/png;base64,AQEB"

describe("images by URL", () => {
  it.live("become data URLs before a provider that takes bytes only; all else stays as it was", () =>
    Effect.gen(function* () {
      const { chat, fetched, up } = yield* started
      const given = "data:image/gif;base64,R0lG"
      const content = [
        { type: "text", text: "What?", extra: 1 },
        image(three, "low"),
        image(given),
        { ...image(three), image_url: three }
      ]
      for (const [model, stream] of [
        ["up/bytes", false],
        ["up/bytes", true],
        ["ollama/llava", false]
      ] as const) {
        const { status, text } = yield* chat(model, content, stream)
        assert.strictEqual(status, 200, text)
        const [system, user] = up.asked.at(-1)!.body.messages
        assert.deepStrictEqual(system, { role: "system", content: "Look" })
        assert.deepStrictEqual(user.content, [content[0], image(asData, "low"), image(given), image(asData)])
      }
      // Once for each request, although it stands there twice.
      assert.strictEqual(fetched.length, 3)
    })
  )

  it.live("pass untouched to a provider that fetches them itself", () =>
    Effect.gen(function* () {
      const { chat, fetched, up } = yield* started
      const content = [image("http://93.184.216.34/latest"), image(three)]
      assert.strictEqual((yield* chat("up/fetches", content)).status, 200)
      assert.deepStrictEqual(up.asked[0]!.body.messages[1].content, content)
      assert.deepStrictEqual(fetched, [])
    })
  )

  it.live("that can't be fetched are a 400 that names the part, and no provider is asked", () =>
    Effect.gen(function* () {
      const { chat, up } = yield* started
      for (const stream of [false, true]) {
        const { json, status } = yield* chat("up/bytes", [image(three), image("http://127.0.0.1/x")], stream)
        assert.strictEqual(status, 400)
        assert.deepInclude(json.error, { type: "invalid_request_error", param: "messages[1].content[1].image_url" })
        assert.include(json.error.message, "is at no public address; send the image as a data URL")
      }
      assert.lengthOf(up.asked, 0)
    })
  )

  it.live("that can't be fetched leave a deployment that needs no bytes to try", () =>
    Effect.gen(function* () {
      const { chat, up } = yield* started
      const { headers, status } = yield* chat("either", [image("http://93.184.216.34/x")])
      assert.deepStrictEqual([status, headers["x-gateway-deployment"]], [200, "up/fetches"])
      assert.lengthOf(up.asked, 1)
    })
  )

  it.live("are fetched in bounds: so many, and so large together", () =>
    Effect.gen(function* () {
      const { chat, fetched } = yield* started
      const many = yield* chat(
        "up/bytes",
        Array.from({ length: 17 }, () => image(three))
      )
      assert.deepStrictEqual([many.status, many.json.error.param], [400, "messages[1].content[16].image_url"])
      assert.deepStrictEqual(fetched, [])
      const large = yield* chat(
        "up/bytes",
        Array.from({ length: 4 }, () => image("https://images.example/10000000.png"))
      )
      assert.strictEqual(large.status, 400)
      assert.include(large.json.error.message, "larger than 30 MiB together")
    })
  )

  it.live("become data in the Messages API too", () =>
    Effect.gen(function* () {
      const { fetched, message, up } = yield* started
      const { status } = yield* message("up/bytes", [{ type: "image", source: { type: "url", url: three } }])
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(fetched, [three])
      assert.deepStrictEqual(up.asked[0]?.body.messages[0].content, [image(asData)])
    })
  )
})
