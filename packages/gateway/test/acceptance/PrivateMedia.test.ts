/** Addresses of media in private networks, before servers that would fetch them from inside. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HostAddresses } from "../../src/providers/transport/PrivateHost.ts"
import { type Fetch, NotFetched, PublicFetch } from "../../src/providers/transport/PublicFetch.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const fetchAllowed: Fetch = (url, { hosts = [] }) =>
  hosts.includes(new URL(url).hostname)
    ? Effect.succeed({ mediaType: "image/png", bytes: png })
    : Effect.fail(new NotFetched({ message: "is at no public address" }))

const addressesOf = async (hostname: string) =>
  hostname === "images.example" ? ["93.184.216.34"] : hostname === "inside.example" ? ["93.184.216.34", "10.0.0.7"] : []

const served = Effect.fnUntraced(function* (settings = "", provider = "protocol: openai-chat") {
  const { asked, baseUrl } = yield* upstream(() => ({ body: completion("Seen") }))
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { ${provider}, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, supports: [chat, stream, images, files, audio]${settings} }]
`
  }).pipe(Effect.provideService(PublicFetch, fetchAllowed), Effect.provideService(HostAddresses, addressesOf))
  const { secret } = yield* gateway.createKey()
  const send = (part: object) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      body: { model: "up/m", messages: [{ role: "user", content: [{ type: "text", text: "http://10.0.0.1/" }, part] }] }
    })
  return { asked, baseUrl, send, image: (url: string) => send({ type: "image_url", image_url: { url } }) }
})

const inside = [
  "http://127.0.0.1/a.png",
  "http://169.254.169.254/latest/meta-data",
  "http://10.1.2.3:8080/a.png",
  "http://2130706433/a.png",
  "http://0x7f.1/a.png",
  "http://[::1]/a.png",
  "http://[::ffff:10.0.0.1]/a.png",
  "HTTP://LOCALHOST./a.png",
  " http://localhost/a.png",
  "http://minio/a.png",
  "https://files.internal/a.png",
  "http://inside.example/a.png",
  "http://images.example@10.0.0.1/a.png",
  "http://images.example\\@10.0.0.1/a.png",
  "file:///etc/passwd"
]

describe("media at an address in a private network", () => {
  it.live("is never passed to a server of the operator's, however the address is written", () =>
    Effect.gen(function* () {
      const { asked, image } = yield* served()
      for (const url of inside) {
        const { json, status } = yield* image(url)
        assert.strictEqual(status, 400, url)
        assert.deepInclude(json.error, { code: "unsupported_parameter" }, url)
        assert.include(json.error.message, "media_hosts")
      }
      assert.lengthOf(asked, 0)
    })
  )

  it.live("is refused at the server's own address too: its other paths are not the caller's", () =>
    Effect.gen(function* () {
      const { asked, baseUrl, image } = yield* served()
      assert.strictEqual((yield* image(`${new URL(baseUrl).origin}/metrics`)).status, 400)
      assert.lengthOf(asked, 0)
    })
  )

  it.live("is found in every kind of part, also in one that nobody knows", () =>
    Effect.gen(function* () {
      const { asked, send } = yield* served()
      const url = "http://10.0.0.1/a"
      for (const part of [
        { type: "image_url", image_url: url },
        { type: "file", file: { file_data: url } },
        { type: "audio_url", audio_url: { url } },
        { type: "video_url", video_url: { url } },
        { type: "document", source: { type: "url", url } },
        { type: "sketch", of: { at: url } }
      ]) {
        assert.strictEqual((yield* send(part)).status, 400, part.type)
      }
      assert.lengthOf(asked, 0)
    })
  )

  it.live("is fetched by the gateway where the operator allows its host", () =>
    Effect.gen(function* () {
      const { asked, image, send } = yield* served(", media_hosts: [files.internal]")
      assert.strictEqual((yield* image("https://files.internal/a.png")).status, 200)
      const [, part] = asked[0]!.body.messages[0].content
      assert.strictEqual(part.image_url.url, `data:image/png;base64,${png.toString("base64")}`)
      assert.strictEqual((yield* image("https://other.internal/a.png")).status, 400)
      const video = { type: "video_url", video_url: { url: "https://files.internal/a.mp4" } }
      assert.strictEqual((yield* send(video)).status, 400)
      assert.lengthOf(asked, 1)
    })
  )

  it.live("changes nothing for public addresses, for vendors, and where `inline_images` is false", () =>
    Effect.gen(function* () {
      for (const [settings, provider, url] of [
        ["", "protocol: openai-chat", "https://images.example/a.png"],
        ["", "protocol: openai-chat", "https://unknown.example/a.png"],
        ["", "vendor: openai", "http://10.0.0.1/a.png"],
        [", inline_images: false", "protocol: openai-chat", "http://10.0.0.1/a.png"]
      ] as const) {
        const { asked, image } = yield* served(settings, provider)
        assert.strictEqual((yield* image(url)).status, 200, url)
        assert.strictEqual(asked[0]!.body.messages[0].content[1].image_url.url, url)
      }
    })
  )
})
