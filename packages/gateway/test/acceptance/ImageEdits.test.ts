/** Images changed and varied, through the vendor's own client: forms with files, and JSON. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toFile } from "openai"
import { problemWith } from "../support/OpenAiSchema.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { hasData } from "../support/Transcripts.ts"
import type { Asked } from "../support/Upstream.ts"
import { demo, made, over, picture, prompt, readPng, usage } from "./Pictures.ts"
import { resolved } from "./Promised.ts"

const withDemo = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml: demo })
  const { secret } = yield* gateway.createKey()
  return { ...gateway, client: gateway.client(secret), secret }
})

/** Bytes of any kind, so many. */
const bytes = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 256))
const file = (length: number, name = "a.png") => toFile(bytes(length), name, { type: "image/png" })

/** What a server reads of a form. */
const formIn = ({ body, headers }: Asked) =>
  resolved(async () => {
    const form = await new Response(body, { headers: { "content-type": headers["content-type"] ?? "" } }).formData()
    const entries = [...form.entries()]
    return Promise.all(
      entries.map(async ([name, value]) => {
        if (typeof value === "string") return [name, value] as const
        return [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString("base64")] as const
      })
    )
  })

describe("image edits", () => {
  it.live("of the demo provider: a file and a text make an image", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* withDemo
      const { data, response } = yield* resolved(async () =>
        client.images.edit({ image: await file(500), prompt, size: "64x64", n: 2 }).withResponse()
      )
      assert.deepStrictEqual(
        data.data?.map(({ b64_json: base64 }) => readPng(base64 ?? "")),
        ["1024x1024", "1024x1024"]
      )
      assert.strictEqual(response.headers.get("X-Gateway-Decision"), "demo/picture")
      assert.strictEqual(response.headers.get("X-Gateway-Cost-Usd"), "0.02")
      assert.deepInclude((yield* ledger)[0], { operation: "image_edits", status: "settled", cost: 20_000_000 })
    })
  )

  it.live("are streamed", () =>
    Effect.gen(function* () {
      const { client } = yield* withDemo
      const events = yield* resolved(async () => {
        const stream = await client.images.edit({
          model: "picture",
          image: await file(500),
          prompt,
          size: "1024x1024",
          quality: "low",
          stream: true,
          partial_images: 1
        })
        const seen = []
        for await (const event of stream) seen.push(event)
        return seen
      })
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["image_edit.partial_image", "image_edit.completed"]
      )
      assert.strictEqual(Reflect.get(Reflect.get(events.at(-1)!, "gateway"), "cost_usd"), 0.01)
      if (hasData) for (const event of events) assert.isUndefined(problemWith("ImageEditStreamEvent", event))
    })
  )

  it.live("reach the provider whole: every field, every file in order", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* over([made()])
      yield* resolved(async () =>
        client.images.edit({
          model: "m",
          image: [await file(70_000), await file(3, "b.png")],
          mask: await file(9, "mask.png"),
          prompt: "Ünïcode",
          n: 1,
          size: "512x512",
          user: "u"
        })
      )
      const [one] = asked[0]!
      assert.strictEqual(one!.path, "/v1/images/edits")
      assert.strictEqual(Number(one!.headers["content-length"]), one!.body.length)
      const form = yield* formIn(one!)
      assert.sameDeepMembers(
        [...form],
        [
          ["model", "m"],
          ["prompt", "Ünïcode"],
          ["n", "1"],
          ["size", "512x512"],
          ["user", "u"],
          ["image[]", "a.png", "image/png", bytes(70_000).toString("base64")],
          ["image[]", "b.png", "image/png", bytes(3).toString("base64")],
          ["mask", "mask.png", "image/png", bytes(9).toString("base64")]
        ]
      )
    })
  )

  it.live("fail over with the same bytes", () =>
    Effect.gen(function* () {
      const { asked, client, ledger } = yield* over([() => ({ status: 500, body: {} }), made()])
      const size = 1_500_000
      const { data, response } = yield* resolved(async () =>
        client.images.edit({ image: await file(size), prompt, response_format: "b64_json" }).withResponse()
      )
      assert.strictEqual(data.data?.[0]?.b64_json, picture)
      assert.strictEqual(response.headers.get("X-Gateway-Retries"), "1")
      const forms = yield* Effect.forEach([asked[0]![0]!, asked[1]![0]!], formIn)
      assert.deepStrictEqual(forms[0], forms[1])
      assert.deepInclude([...forms[1]!], ["image", "a.png", "image/png", bytes(size).toString("base64")])
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost, status }) => [status, cost]),
        [
          ["void", 0],
          ["settled", 40_000_000]
        ]
      )
    })
  )

  it.live("may be JSON with addresses", () =>
    Effect.gen(function* () {
      const { asked, url, secret } = yield* over([made({ b64_json: picture }, { usage })], {
        model: "gpt-image-1",
        more: ""
      })
      const body = { images: [{ image_url: "https://images.example/a.png" }, { file_id: "file-1" }], prompt, n: 1 }
      const { json, status } = yield* call(url, { path: "/v1/images/edits", key: secret, body })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(asked[0]![0]!.body, { ...body, model: "gpt-image-1" })
      assert.strictEqual(json.usage.cost, 0.01133)
      const large = { ...body, images: [{ image_url: `data:image/png;base64,${"A".repeat(2_000_000)}` }], mask: null }
      const again = yield* call(url, { path: "/v1/images/edits", key: secret, body: large })
      assert.strictEqual(again.status, 200)
      const { mask: _, ...rest } = large
      assert.deepStrictEqual(asked[0]![1]!.body, { ...rest, model: "gpt-image-1" })
    })
  )

  it.live("under a budget hold what images to start from may cost", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* over([made({ b64_json: picture }, { usage })], {
        model: "gpt-image-1",
        more: "",
        budget: 10_000_000_000
      })
      const edit = (input_fidelity: "high" | "low") =>
        resolved(async () =>
          client.images.edit({
            model: "gpt-image-1",
            image: [await file(10), await file(20)],
            prompt,
            quality: "low",
            size: "1024x1024",
            input_fidelity
          })
        )
      yield* edit("low")
      yield* edit("high")
      const [low, high] = yield* ledger
      const base = 272 * 40_000 + 2 * 581 * 10_000
      assert.isAtLeast(low!.reserved, base)
      assert.isBelow(low!.reserved, base + 10_000_000)
      assert.strictEqual(high!.reserved - low!.reserved, 2 * 6_240 * 10_000)
    })
  )

  it.live("what is wrong is named, and what is right is said", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* withDemo
      const send = (path: string, form: FormData) =>
        resolved(async () => {
          const answer = await fetch(`${url}${path}`, {
            method: "POST",
            headers: { authorization: `Bearer ${secret}` },
            body: form
          })
          const { error } = (await answer.json()) as {
            readonly error: { readonly param: string; readonly message: string }
          }
          return [answer.status, error.param, error.message] as const
        })
      const form = (fields: Record<string, string | Blob>) => {
        const made = new FormData()
        for (const [name, value] of Object.entries(fields)) {
          if (typeof value === "string") made.append(name, value)
          else made.append(name, value, "a.png")
        }
        return made
      }
      const image = new Blob([bytes(10)])
      const wrong: ReadonlyArray<readonly [string, FormData, string, RegExp]> = [
        ["edits", form({ prompt }), "image", /must have a file in `image`/],
        ["edits", form({ prompt, image: new Blob([]) }), "image", /must not be empty/],
        ["edits", form({ image }), "prompt", /must say what the image shows/],
        ["edits", form({ prompt, image, n: "0" }), "n", /from 1 to 10, not "0"/],
        ["variations", form({ image, stream: "true" }), "stream", /not streamed/],
        ["variations", form({ n: "1" }), "image", /must have a file in `image`/]
      ]
      for (const [name, body, param, message] of wrong) {
        const [status, found, said] = yield* send(`/v1/images/${name}`, body)
        assert.deepStrictEqual([status, found], [400, param])
        assert.match(said, message)
      }
      const json = yield* call(url, { path: "/v1/images/edits", key: secret, body: { prompt, images: [] } })
      assert.deepStrictEqual([json.status, json.json.error.param], [400, "images"])
      const varied = yield* call(url, { path: "/v1/images/variations", key: secret, body: {} })
      assert.strictEqual(varied.status, 415)
    })
  )
})

describe("image variations", () => {
  it.live("of the demo provider and of others", () =>
    Effect.gen(function* () {
      const { client } = yield* withDemo
      const drawn = yield* resolved(async () =>
        client.images.createVariation({ image: await file(50), size: "512x512" })
      )
      assert.strictEqual(readPng(drawn.data?.[0]?.b64_json ?? ""), "1024x1024")
      const { asked, client: other } = yield* over([made()])
      const answer = yield* resolved(async () => other.images.createVariation({ image: await file(50), n: 1 }))
      assert.strictEqual(Reflect.get(answer, "gateway").cost_usd, 0.04)
      assert.strictEqual(asked[0]![0]!.path, "/v1/images/variations")
      assert.sameDeepMembers(
        [...(yield* formIn(asked[0]![0]!))],
        [
          ["model", "m"],
          ["n", "1"],
          ["image", "a.png", "image/png", bytes(50).toString("base64")]
        ]
      )
    })
  )

  it.live("go only to models that have them", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        yaml: `
providers: { openai: { api_key: none } }
deployments: [openai/dall-e-3, openai/gpt-image-1]
`
      })
      const { secret } = yield* gateway.createKey()
      const client = gateway.client(secret)
      for (const [model, serves] of [
        ["dall-e-3", "images"],
        ["gpt-image-1", "images, image_edits"]
      ]) {
        const error = yield* resolved(async () =>
          client.images.createVariation({ image: await file(5), model: model! }).then(
            () => assert.fail("it was answered"),
            (cause: unknown) => String(cause)
          )
        )
        assert.match(error, /^Error: 400 /)
        const streamed = yield* call(gateway.url, {
          path: "/v1/images/generations",
          key: secret,
          body: { model: "dall-e-3", prompt, stream: true }
        })
        assert.deepStrictEqual([streamed.status, streamed.json.error.type], [400, "invalid_request_error"])
        assert.include(streamed.json.error.message, "openai/dall-e-3 does not support stream")
        assert.include(error, `openai/${model} can't serve image_variations; it serves ${serves}`)
      }
    })
  )
})
