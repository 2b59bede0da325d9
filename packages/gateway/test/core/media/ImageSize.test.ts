import { assert, describe, it } from "@effect/vitest"
import { imageSize } from "@model-gateway/protocol/files"
import { png } from "../../support/Media.ts"

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))))

const jpeg = (width: number, height: number): Buffer =>
  bytes(
    [0xff, 0xd8],
    // A profile in front, that holds something like a frame.
    [0xff, 0xe1, 0, 12, 0xff, 0xc0, 0, 17, 8, 0, 1, 0, 1, 0],
    [0xff, 0xff, 0xc4, 0, 2],
    [0xff, 0xc2, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3]
  )

describe("imageSize", () => {
  it("reads PNG, JPEG, GIF and WebP", () => {
    assert.deepStrictEqual(imageSize(Buffer.from(png(1024, 77).split(",")[1]!, "base64")), { width: 1024, height: 77 })
    assert.deepStrictEqual(imageSize(jpeg(640, 481)), { width: 640, height: 481 })
    // A canvas of 2 by 2 with a frame of 300 by 1.
    const frame = [0x2c, 0, 0, 0, 0, 44, 1, 1, 0, 0, 2, 1, 0x44, 0]
    const gif = bytes("GIF89a", [2, 0, 2, 0, 0, 0, 0], [0x21, 0xf9, 1, 0, 0], frame, [0x3b])
    assert.deepStrictEqual(imageSize(gif), { width: 300, height: 2 })
    const vp8 = bytes(
      "RIFF",
      [0, 0, 0, 0],
      "WEBPVP8 ",
      Array.from({ length: 10 }, () => 0),
      [0x80, 2, 0xe0, 1]
    )
    assert.deepStrictEqual(imageSize(vp8), { width: 640, height: 480 })
    const vp8x = bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0], [0xff, 15, 0], [0xff, 7, 0])
    assert.deepStrictEqual(imageSize(vp8x), { width: 4096, height: 2048 })
    const lossless = bytes("RIFF", [0, 0, 0, 0], "WEBPVP8L", [0, 0, 0, 0, 0x2f], [99, 0, 0x0c, 0], [0, 0, 0, 0, 0])
    assert.deepStrictEqual(imageSize(lossless), { width: 100, height: 49 })
  })

  it("does not know the size of an image that names several, or is of another type than it is said to be", () => {
    const small = Buffer.from(png(8, 8).split(",")[1]!, "base64")
    const large = Buffer.from(png(8_000, 8_000).split(",")[1]!, "base64")
    assert.isUndefined(imageSize(Buffer.concat([small, large.subarray(8)])))
    assert.isUndefined(imageSize(Buffer.concat([jpeg(8, 8), jpeg(8_000, 8_000).subarray(2)])))
    const canvas = bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0], [7, 0, 0], [7, 0, 0])
    const lossless = bytes("VP8L", [9, 0, 0, 0, 0x2f], [99, 0, 0x0c, 0], [0, 0, 0, 0, 0])
    assert.isUndefined(imageSize(Buffer.concat([canvas, lossless])))
    assert.isUndefined(imageSize(small, "image/jpeg"))
    assert.deepStrictEqual(imageSize(jpeg(8, 8), "image/jpg"), { width: 8, height: 8 })
  })

  it("takes the largest frame of a GIF, wherever it stands", () => {
    const frame = (width: number) => [0x2c, 0, 0, 0, 0, width, 0, 1, 0, 0, 2, 1, 0x44, 0]
    const gif = bytes("GIF89a", [2, 0, 2, 0, 0, 0, 0], frame(2), [0x21, 0xf9, 1, 0, 0], frame(200), [0x3b])
    assert.deepStrictEqual(imageSize(gif), { width: 200, height: 2 })
  })

  it("knows nothing of what is cut off or of another kind", () => {
    assert.isUndefined(imageSize(jpeg(640, 480).subarray(0, 20)))
    for (const text of ["", "GIF89a", "<svg width='1' height='1'/>", "\x89PNG", "RIFF....WEBP", "BM"]) {
      assert.isUndefined(imageSize(Buffer.from(text, "latin1")))
    }
    assert.isUndefined(imageSize(Buffer.from(png(0, 5).split(",")[1]!, "base64")))
    // Markers without an end.
    assert.isUndefined(imageSize(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(100_000, 0xff)])))
  })
})
