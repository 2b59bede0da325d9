/** Images for tests: what the demo vendor draws, and servers that answer with some. */
import { inflateSync } from "node:zlib"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../support/Upstream.ts"

export const prompt = "A lighthouse at dusk"

export const demo = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/picture]
`

/** Width, height, and whether the pixels are all there. */
export const readPng = (base64: string) => {
  const file = Buffer.from(base64, "base64")
  assert.strictEqual(file.subarray(1, 4).toString(), "PNG")
  const at = file.indexOf("IDAT")
  const pixels = inflateSync(file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4)))
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)]
  assert.lengthOf(pixels, (1 + Math.ceil(width / 8)) * height)
  return `${width}x${height}`
}

/** Providers `one`, `two` with these scripts, each with the model `m` at 0.04 USD an image. */
export const over = Effect.fnUntraced(function* (
  scripts: ReadonlyArray<(asked: Asked, number: number) => Reply>,
  { budget, model = "m", more = "price: { input: 0, output: 0, image: 0.04 }" } = {} as {
    readonly budget?: number
    readonly model?: string
    readonly more?: string
  }
) {
  const servers = yield* Effect.forEach(scripts, (script) => upstream(script))
  const names = ["one", "two"].slice(0, servers.length)
  const gateway = yield* startGateway({
    yaml: `
providers:
${servers.map(({ baseUrl }, at) => `  ${names[at]}: { vendor: openai, base_url: "${baseUrl}", api_key: none }`).join("\n")}
deployments:
${names.map((name) => `  - { provider: ${name}, model: ${model}, operations: [images, image_edits, image_variations]${more === "" ? "" : `, ${more}`} }`).join("\n")}
failover: { base_delay: 1ms }
`
  })
  const budgets = budget === undefined ? [] : [{ limit: budget, window: "day" as const, timeZone: "UTC" }]
  const { secret } = yield* gateway.createKey({ budgets })
  const post = (body: object) =>
    call(gateway.url, { path: "/v1/images/generations", key: secret, body: { model, prompt, ...body } })
  return { ...gateway, asked: servers.map(({ asked }) => asked), client: gateway.client(secret), post, secret }
})

export const picture = "iVBORw0KGgo="
export const made =
  (image: object = { b64_json: picture }, more: object = {}) =>
  (): Reply => ({ body: { created: 1, data: [image], ...more } })

export const usage = {
  input_tokens: 50,
  output_tokens: 272,
  total_tokens: 322,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 }
}
const told = { created_at: 1, size: "1024x1024", quality: "low", background: "opaque", output_format: "png" }
const sse = (data: { readonly type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
export const partial = (at: number) =>
  sse({ type: "image_generation.partial_image", b64_json: picture, partial_image_index: at, ...told } as never)
export const completed = (more: object = { usage }, image = picture) =>
  sse({ type: "image_generation.completed", b64_json: image, ...told, ...more } as never)
