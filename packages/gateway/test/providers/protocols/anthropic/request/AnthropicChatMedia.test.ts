import { assert, describe, it } from "@effect/vitest"
import { assertDropped, refused, sent } from "../Support.ts"

const withPart = (part: unknown) => ({ messages: [{ role: "user", content: [{ type: "text", text: "See:" }, part] }] })
const block = (part: unknown): unknown => sent(withPart(part))["messages"][0].content[1]
const image = (url: string) => ({ type: "image_url", image_url: { url } })
const file = (fields: object) => ({ type: "file", file: fields })

describe("images", () => {
  it("sends data: URLs as base64 with their type", () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" }
    assert.deepStrictEqual(block(image("data:image/png;base64,AAAA")), { type: "image", source })
    assert.deepStrictEqual(block({ type: "image_url", image_url: "data:image/png;base64,AAAA" }), {
      type: "image",
      source
    })
  })

  it("names image/jpg as it is registered", () => {
    const source = { type: "base64", media_type: "image/jpeg", data: "AAAA" }
    assert.deepStrictEqual(block(image("data:image/jpg;base64,AAAA")), { type: "image", source })
  })

  it("leaves web addresses to Anthropic", () => {
    const source = { type: "url", url: "https://example.com/a.png" }
    assert.deepStrictEqual(block(image("https://example.com/a.png")), { type: "image", source })
  })

  it("refuses other addresses and data that is not base64", () => {
    for (const url of [
      "gs://bucket/a.png",
      "file:///etc/passwd",
      "data:image/svg+xml,<svg/>",
      "data:;base64,AAAA",
      ""
    ]) {
      assert.strictEqual(refused(withPart(image(url))).param, "messages[0].content[1].image_url")
    }
  })

  it("reports a wanted detail", () => {
    assertDropped(
      withPart({ type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } }),
      "image_url.detail"
    )
  })
})

describe("files", () => {
  it("sends a PDF as a document with its name", () => {
    const source = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" }
    const given = { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" }
    assert.deepStrictEqual(block(file(given)), { type: "document", source, title: "a.pdf" })
    assert.deepStrictEqual(block(file({ file_data: "JVBERi0=" })), { type: "document", source })
  })

  it("sends text as a text document", () => {
    const file_data = `data:text/markdown;charset=utf-8;base64,${Buffer.from("# Ü").toString("base64")}`
    assert.deepStrictEqual(block(file({ file_data })), {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "# Ü" }
    })
  })

  it("sends an image file as an image and an address as one", () => {
    assert.deepStrictEqual(block(file({ file_data: "data:image/webp;base64,AAAA" })), {
      type: "image",
      source: { type: "base64", media_type: "image/webp", data: "AAAA" }
    })
    assert.deepStrictEqual(block(file({ file_data: "https://example.com/a.pdf" })), {
      type: "document",
      source: { type: "url", url: "https://example.com/a.pdf" }
    })
  })

  it("refuses files kept elsewhere and types that can't be read", () => {
    for (const given of [
      { file_id: "file-1" },
      { file_data: "data:application/zip;base64,AAAA" },
      { file_data: "data:x" }
    ]) {
      assert.strictEqual(refused(withPart(file(given))).param, "messages[0].content[1].file")
    }
  })
})
