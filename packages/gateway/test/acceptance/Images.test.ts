/** Images through the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { NotFetched, PublicFetch } from "../../src/providers/transport/PublicFetch.ts"
import { hasData } from "../support/Transcripts.ts"
import { problemWith } from "../support/OpenAiSchema.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { vendorError } from "../support/Upstream.ts"
import { completed, demo, made, over, partial, picture, prompt, readPng, usage } from "./Pictures.ts"
import { resolved } from "./Promised.ts"

const withDemo = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml: demo })
  const { secret } = yield* gateway.createKey()
  const post = (body: object) => call(gateway.url, { path: "/v1/images/generations", key: secret, body })
  return { ...gateway, client: gateway.client(secret), post, secret }
})

describe("images of the demo provider", () => {
  it.live("are real, cost what an image costs, and are the same each time", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* withDemo
      const { data, response } = yield* resolved(() =>
        client.images.generate({ model: "picture", prompt, size: "256x256", n: 2 }).withResponse()
      )
      assert.deepStrictEqual(
        data.data?.map(({ b64_json: base64 }) => readPng(base64 ?? "")),
        ["1024x1024", "1024x1024"]
      )
      const again = yield* resolved(() => client.images.generate({ prompt, size: "256x256", n: 2 }))
      assert.deepStrictEqual(again.data, data.data)
      for (const name of ["Decision", "Route-Bucket", "Route-Score", "Cost-Usd", "Retries"]) {
        assert.isNotNull(response.headers.get(`X-Gateway-${name}`), name)
      }
      assert.strictEqual(response.headers.get("X-Gateway-Decision"), "demo/picture")
      assert.strictEqual(response.headers.get("X-Gateway-Route-Bucket"), "none")
      assert.strictEqual(response.headers.get("X-Gateway-Cost-Usd"), "0.02")
      assert.deepInclude(Reflect.get(data, "gateway"), { decision: "demo/picture", cost_usd: 0.02 })
      assert.strictEqual(Reflect.get(data.usage ?? {}, "cost"), 0.02)
      const [row] = yield* ledger
      assert.deepInclude(row, { operation: "images", status: "settled", cost: 20_000_000, estimated: 0, input: 0 })
      assert.deepStrictEqual(JSON.parse(row?.details ?? "{}").usage ?? JSON.parse(row?.details ?? "{}"), { images: 2 })
    })
  )

  it.live("as addresses are data URLs", () =>
    Effect.gen(function* () {
      const { client } = yield* withDemo
      const answer = yield* resolved(() =>
        client.images.generate({ model: "picture", prompt, size: "64x32", response_format: "url" })
      )
      const { b64_json: base64, url = "" } = answer.data?.[0] ?? {}
      assert.isUndefined(base64)
      assert.isTrue(url.startsWith("data:image/png;base64,"))
      const fetched = yield* resolved(async () => Buffer.from(await (await fetch(url)).arrayBuffer()))
      assert.strictEqual(readPng(fetched.toString("base64")), "1024x1024")
    })
  )

  it.live("are streamed with previews, and the last event tells the cost", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* withDemo
      const events = yield* resolved(async () => {
        const stream = await client.images.generate({
          model: "picture",
          prompt,
          size: "1024x1024",
          quality: "low",
          stream: true,
          partial_images: 2
        })
        const seen = []
        for await (const event of stream) seen.push(event)
        return seen
      })
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["image_generation.partial_image", "image_generation.partial_image", "image_generation.completed"]
      )
      assert.deepStrictEqual(
        events.map(({ b64_json: base64 }) => readPng(base64)),
        ["1024x1024", "1024x1024", "1024x1024"]
      )
      const last = events.at(-1)!
      assert.deepInclude(Reflect.get(last, "gateway"), { decision: "demo/picture", cost_usd: 0.01 })
      assert.strictEqual(Reflect.get(Reflect.get(last, "usage"), "cost"), 0.01)
      if (hasData) for (const event of events) assert.isUndefined(problemWith("ImageGenStreamEvent", event))
      assert.deepInclude((yield* ledger)[0], { status: "settled", cost: 10_000_000, estimated: 0 })
    })
  )

  it.live("what is wrong is named, and what is right is said", () =>
    Effect.gen(function* () {
      const { post } = yield* withDemo
      const wrong: ReadonlyArray<readonly [object, string, RegExp]> = [
        [{ prompt: undefined }, "prompt", /must say what the image shows, and it is missing/],
        [{ n: 0 }, "n", /from 1 to 10, not 0/],
        [{ n: 11 }, "n", /from 1 to 10, not 11/],
        [{ n: 1.5 }, "n", /whole number/],
        [{ partial_images: 4 }, "partial_images", /from 0 to 3, not 4/],
        [{ size: 512 }, "size", /a text, not 512/],
        [{ model: 7 }, "model", /a model name or "auto", not 7/],
        [{ stream: "yes" }, "stream", /true or false, not "yes"/],
        [{ response_format: "png" }, "response_format", /"url" or "b64_json", not "png"/]
      ]
      for (const [body, param, message] of wrong) {
        const { json, status } = yield* post({ prompt, ...body })
        assert.strictEqual(status, 400)
        assert.deepInclude(json.error, { code: "invalid_field", param })
        assert.match(json.error.message, message)
      }
      const chat = yield* post({ prompt, model: "mini" })
      assert.strictEqual(chat.status, 400)
      assert.match(chat.json.error.message, /demo\/mini can't serve images; it serves chat/)
    })
  )
})

describe("images of providers", () => {
  it.live("keep every field, and the answer its text", () =>
    Effect.gen(function* () {
      const text =
        '{ "created": 1, "data": [ {"url": "https://images.example/a.png", "revised_prompt": "x"} ], "odd": 1e2 }'
      const { asked, post } = yield* over([() => ({ body: text })])
      const body = { n: 1, size: "512x512", response_format: "url", style: "vivid", user: "u", odd: { deep: [1] } }
      const answer = yield* post({ ...body, api_base: "http://evil", quality: null })
      assert.deepStrictEqual(asked[0]![0]!.body, { model: "m", prompt, ...body })
      assert.strictEqual(asked[0]![0]!.path, "/v1/images/generations")
      assert.isTrue(answer.text.startsWith(text.slice(0, -1)))
      assert.deepInclude(answer.json.gateway, { cost_usd: 0.04 })
      assert.notProperty(answer.json, "usage")
    })
  )

  it.live("are fetched where the caller wants base64 and there is only an address", () =>
    Effect.gen(function* () {
      const address = "https://images.example/a.png"
      const fetched: Array<string> = []
      const { ledger, post } = yield* over([made({ url: address, revised_prompt: "x" })]).pipe(
        Effect.provideService(PublicFetch, (url, { accepts }) => {
          fetched.push(url)
          return accepts("image/png")
            ? Effect.succeed({ mediaType: "image/png", bytes: Buffer.from("png") })
            : Effect.fail(new NotFetched({ message: "is no image" }))
        })
      )
      const { json } = yield* post({ response_format: "b64_json" })
      assert.deepStrictEqual(json.data, [{ revised_prompt: "x", b64_json: Buffer.from("png").toString("base64") }])
      assert.deepStrictEqual(fetched, [address])
      const plain = yield* post({})
      assert.deepStrictEqual(plain.json.data, [{ url: address, revised_prompt: "x" }])
      assert.lengthOf(fetched, 1)
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost }) => cost),
        [40_000_000, 40_000_000]
      )
    })
  )

  it.live("that can't be fetched are billed, and another provider is asked", () =>
    Effect.gen(function* () {
      const { headers, json, ledger } = yield* Effect.gen(function* () {
        const { ledger, post } = yield* over([made({ url: "http://10.0.0.1/a.png" }), made()])
        const { headers, json } = yield* post({ model: "auto", response_format: "b64_json" })
        return { headers, json, ledger: yield* ledger }
      }).pipe(
        Effect.provideService(PublicFetch, () => Effect.fail(new NotFetched({ message: "is at no public address" })))
      )
      assert.strictEqual(json.data[0].b64_json, picture)
      assert.strictEqual(headers["x-gateway-retries"], "1")
      assert.strictEqual(headers["x-gateway-cost-usd"], "0.08")
      assert.deepStrictEqual(
        ledger.map(({ cost, estimated }) => [cost, estimated]),
        [
          [40_000_000, 0],
          [40_000_000, 0]
        ]
      )
    })
  )

  it.live("billed by the token: text, images read and images written each at its price", () =>
    Effect.gen(function* () {
      const { asked, ledger, post } = yield* over([made({ b64_json: picture }, { usage })], {
        model: "gpt-image-1",
        more: ""
      })
      const { headers, json } = yield* post({ response_format: "url", quality: "low", size: "1024x1024" })
      assert.notProperty(asked[0]![0]!.body, "response_format")
      assert.strictEqual(json.data[0].url, `data:image/png;base64,${picture}`)
      // 10 at 5 USD per million, 40 at 10, 272 at 40.
      assert.strictEqual(headers["x-gateway-cost-usd"], "0.01133")
      assert.deepStrictEqual(json.usage, { ...usage, cost: 0.01133 })
      assert.deepInclude((yield* ledger)[0], { cost: 11_330_000, estimated: 0, input: 10 })
    })
  )

  it.live("streams: an event may have megabytes, the last one tells what all cost", () =>
    Effect.gen(function* () {
      const large = "A".repeat(3 * 1024 * 1024)
      const { ledger, post } = yield* over([() => ({ body: [partial(0), completed({ usage }, large)] })], {
        model: "gpt-image-1",
        more: ""
      })
      const { status, text } = yield* post({ stream: true, partial_images: 1 })
      assert.strictEqual(status, 200)
      const [first, last, rest] = text.split("\n\n")
      assert.strictEqual(`${first}\n\n`, partial(0))
      assert.strictEqual(rest, "")
      const event = JSON.parse(last!.slice(last!.indexOf("{")))
      assert.lengthOf(event.b64_json, large.length)
      assert.strictEqual(event.usage.cost, 0.01133)
      assert.strictEqual(event.gateway.cost_usd, 0.01133)
      assert.deepInclude((yield* ledger)[0], { cost: 11_330_000, estimated: 0, status: "settled" })
    })
  )

  it.live("a stream that ends early is an error, and billed as an image that was made", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over([() => ({ body: [partial(0)] })], { model: "gpt-image-1", more: "" })
      const { text } = yield* post({ stream: true, partial_images: 1, quality: "low", size: "1024x1024" })
      assert.include(text, '"error"')
      const [row] = yield* ledger
      assert.deepInclude(row, { estimated: 1, status: "settled" })
      // 272 tokens and 100 for the preview, at 40 USD per million.
      assert.isAtLeast(row!.cost, 14_880_000)
    })
  )

  it.live("a stream that fails before its first preview goes to another provider, unseen", () =>
    Effect.gen(function* () {
      const failing = 'event: error\ndata: {"error":{"message":"overloaded","type":"server_error"}}\n\n'
      const { post } = yield* over([() => ({ body: [failing] }), () => ({ body: [partial(0), completed()] })])
      const { text } = yield* post({ model: "auto", stream: true, partial_images: 1 })
      assert.notInclude(text, "overloaded")
      const last = JSON.parse(text.slice(text.lastIndexOf("data: ") + 6))
      assert.deepInclude(last.gateway, { decision: "two/m", retries: 1, cost_usd: 0.04 })
    })
  )

  it.live("whole images for a stream become its events", () =>
    Effect.gen(function* () {
      const { post } = yield* over([made()])
      const { text } = yield* post({ stream: true })
      const event = JSON.parse(text.slice(text.indexOf("{")))
      assert.deepInclude(event, { type: "image_generation.completed", b64_json: picture })
      assert.strictEqual(event.gateway.cost_usd, 0.04)
    })
  )

  it.live("an answer without an image goes to the next provider; the vendor's refusal stays as it is", () =>
    Effect.gen(function* () {
      for (const body of ["", "<html>", "[]", { created: 1, data: [] }, { created: 1, data: [{ url: null }] }]) {
        const { post } = yield* over([() => ({ body }), made()])
        const { headers, json } = yield* post({ model: "auto" })
        assert.strictEqual(headers["x-gateway-retries"], "1")
        assert.strictEqual(json.data[0].b64_json, picture)
      }
      const refusal = vendorError("Your request was rejected by the safety system.", "image_generation_user_error")
      const { asked, post } = yield* over([() => ({ status: 400, body: refusal }), made()])
      const { json, status } = yield* post({ model: "auto" })
      assert.strictEqual(status, 400)
      assert.include(json.error.message, "rejected by the safety system")
      assert.lengthOf(asked[1]!, 0)
    })
  )
})
