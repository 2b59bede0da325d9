import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mostSeconds, mostSecondsOf } from "../../../src/core/media/MediaLength.ts"

/** 16 kHz, 16 bit, one channel: 32,000 bytes a second. */
const wave = (seconds: number, format = 1): Buffer => {
  const header = Buffer.alloc(44)
  header.write("RIFF", 0, "latin1")
  header.write("WAVEfmt ", 8, "latin1")
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(format, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(16_000, 24)
  header.writeUInt32LE(32_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write("data", 36, "latin1")
  // What it says of its own length is not believed.
  header.writeUInt32LE(1, 40)
  return Buffer.concat([header, Buffer.alloc(seconds * 32_000)])
}

/** MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes and 26 ms a frame. */
const mp3 = (frames: number): Buffer => {
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x00])
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}

/** Frames of 65,535 samples at 8 kHz, all of them 0: 8.192 seconds in 14 bytes. */
const flac = (frames: number): Buffer => {
  const head = Buffer.alloc(42)
  head.write("fLaC\x80\x00\x00\x22", 0, "latin1")
  head.writeUIntBE((8_000 << 4) | 0, 18, 3)
  // Sync, 16 bits of block size, 8 kHz, one channel of 16 bits, frame 0, 65,535 samples, its checksum; then one constant.
  const frame = Buffer.from([0xff, 0xf8, 0x74, 0x08, 0x00, 0xff, 0xfe, 0xb6, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame)])
}

/** Pages of 255 packets of one byte each. */
const opus = (pages: number): Buffer => {
  const page = Buffer.concat([
    Buffer.from("OggS", "latin1"),
    Buffer.alloc(22),
    Buffer.from([255]),
    Buffer.alloc(255, 1)
  ])
  return Buffer.concat(Array.from({ length: pages }, () => Buffer.concat([page, Buffer.alloc(255, 0x1b)])))
}

describe("mostSeconds", () => {
  it("reads wave files by their rate and MP3 frame by frame", () => {
    assert.closeTo(mostSeconds(wave(10)), 10, 0.01)
    assert.closeTo(mostSeconds(mp3(1000)), (1000 * 1152) / 44_100, 0.1)
    const tagged = Buffer.concat([
      Buffer.from("ID3\x04\x00\x00\x00\x00\x01\x00", "latin1"),
      Buffer.alloc(128),
      mp3(100)
    ])
    assert.closeTo(mostSeconds(tagged), (100 * 1152) / 44_100, 0.1)
  })

  it.effect("reads a file in pieces as it reads it whole", () =>
    Effect.gen(function* () {
      const tag = Buffer.concat([Buffer.from("ID3\x04\x00\x00\x00\x00\x01\x00", "latin1"), Buffer.alloc(128)])
      const files = [
        wave(10),
        mp3(1000),
        flac(500),
        opus(9),
        Buffer.concat([tag, mp3(100), Buffer.alloc(5_000, 1), mp3(7)]),
        Buffer.alloc(99)
      ]
      for (const file of files) {
        for (const size of [11, 417, 1_000, 65_536]) {
          const pieces = async function* () {
            for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size)
          }
          const recording = { size: file.length, head: file.subarray(0, 65_536), pieces }
          assert.closeTo(yield* Effect.promise(() => mostSecondsOf(recording)), mostSeconds(file), 1e-9)
        }
      }
    })
  )

  it("counts the frames of silence, which takes next to no bytes", () => {
    const silence = flac(1_000)
    assert.isBelow(silence.length, 20_000)
    assert.closeTo(mostSeconds(silence), 8_192, 1)
    // A tag in front does not make it MP3.
    const tag = Buffer.from("ID3\x04\x00\x00\x00\x00\x00\x00", "latin1")
    assert.closeTo(mostSeconds(Buffer.concat([tag, silence])), 8_192, 30)
    assert.isAtLeast(mostSeconds(opus(10)), 10 * 255 * 0.12)
    // A tag that claims to be longer than the file.
    const boast = Buffer.from("ID3\x04\x00\x00\x7f\x7f\x7f\x7f", "latin1")
    assert.isAtLeast(mostSeconds(Buffer.concat([boast, mp3(1_000)])), 417)
  })

  it("takes the slowest codec there is for all else", () => {
    assert.strictEqual(mostSeconds(Buffer.alloc(7_500, 1)), 10)
    // A codec inside of a wave file that is not known here.
    assert.isAbove(mostSeconds(wave(10, 0x31)), 400)
    // Between frames anything may stand.
    const gap = Buffer.concat([mp3(1), Buffer.alloc(10_000, 1), mp3(1)])
    assert.isAtLeast(mostSeconds(gap), 10)
  })
})
