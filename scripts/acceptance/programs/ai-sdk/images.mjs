/** Images. */
import assert from "node:assert/strict"
import { generateImage } from "ai"
import { check } from "../node/checks.mjs"
import { openai } from "./_providers.mjs"

check("generateImage", async () => {
  const { image } = await generateImage({ model: openai.image("demo/picture"), prompt: "a raven", size: "256x256" })
  assert.equal(image.mediaType, "image/png")
  assert.ok(image.uint8Array.length > 100)
})
