/** Images: made, streamed, changed. */
import assert from "node:assert/strict"
import { toFile } from "openai"
import { check } from "../node/checks.mjs"
import { connect } from "./_client.mjs"

const model = "demo/picture"
const size = "256x256"

const isPng = (base64) => Buffer.from(base64, "base64").subarray(1, 4).toString() === "PNG"

const drawn = async () => {
  const { data } = await connect().images.generate({ model, prompt: "a raven", size })
  return toFile(Buffer.from(data[0].b64_json, "base64"), "raven.png", { type: "image/png" })
}

check("images of a text, with a model and without", async () => {
  const { data, response } = await connect().images.generate({ model, prompt: "a raven", size, n: 2 }).withResponse()
  assert.equal(data.data.length, 2)
  assert.ok(data.data.every(({ b64_json }) => isPng(b64_json)))
  assert.ok(Number(response.headers.get("x-gateway-cost-usd")) > 0)
  assert.equal((await connect().images.generate({ prompt: "a raven", size })).data.length, 1)
})

check("an image's previews, streamed", async () => {
  const asked = { model, prompt: "a raven", size, stream: true, partial_images: 2 }
  const events = await Array.fromAsync(await connect().images.generate(asked))
  assert.deepEqual(
    events.map(({ type }) => type),
    ["image_generation.partial_image", "image_generation.partial_image", "image_generation.completed"]
  )
  assert.ok(events.every(({ b64_json }) => isPng(b64_json)))
})

check("an edit of an uploaded image", async () => {
  const { data } = await connect().images.edit({ model, image: await drawn(), prompt: "a white raven", size })
  assert.ok(isPng(data[0].b64_json))
})

check("an edit of two images", async () => {
  const image = [await drawn(), await drawn()]
  const { data } = await connect().images.edit({ model, image, prompt: "two ravens", size })
  assert.ok(isPng(data[0].b64_json))
})

check("a variation", async () => {
  const { data } = await connect().images.createVariation({ model, image: await drawn(), size })
  assert.ok(isPng(data[0].b64_json))
})
