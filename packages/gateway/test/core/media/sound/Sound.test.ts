import { assert, describe, it } from "@effect/vitest"
import { soundSeconds } from "@model-gateway/protocol/files"
import { silentFlac } from "../../../support/Flac.ts"
import { wave } from "../../../support/Uploads.ts"

const bytesOf = (...parts: ReadonlyArray<string | ReadonlyArray<number> | Buffer>): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))))
const repeated = (bytes: Buffer, times: number): Buffer => Buffer.alloc(bytes.length * times, bytes)
const seconds = (bytes: Buffer, ...names: ReadonlyArray<string>) => soundSeconds(bytes, names)

/** A WAV file with another field in its header. */
const header = (change: (bytes: Buffer) => void): Buffer => {
  const bytes = wave(10)
  change(bytes)
  return bytes
}

/** A chunk of a RIFF file. */
const chunk = (name: string, data: Buffer): Buffer => {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(data.length)
  return bytesOf(name, size, data)
}

/** MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes and 26 ms. */
const frame = bytesOf([0xff, 0xfb, 0x90, 0x00], Buffer.alloc(413))
const FRAME_SECONDS = 1_152 / 44_100
const mp3 = (frames: number): Buffer => repeated(frame, frames)
const tag = (length: number, version = 4): Buffer =>
  bytesOf(
    "ID3",
    [version, 0, 0, (length >> 21) & 127, (length >> 14) & 127, (length >> 7) & 127, length & 127],
    Buffer.alloc(length)
  )
/** A frame that says how many follow. */
const counting = (name: string, count: number): Buffer => {
  const first = Buffer.from(frame)
  first.write(name, 36, "latin1")
  first.writeUInt32BE(3, 40)
  first.writeUInt32BE(count, 44)
  first.writeUInt32BE((count + 1) * frame.length, 48)
  return first
}

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0)
  return value
})
const page = (number: number, position: number, packets: ReadonlyArray<Buffer>, serial = 7): Buffer => {
  const lengths = packets.map((packet) => packet.length)
  const bytes = bytesOf("OggS", [0, number === 0 ? 2 : 0], Buffer.alloc(20), [lengths.length, ...lengths], ...packets)
  bytes.writeBigInt64LE(BigInt(position), 6)
  bytes.writeUInt32LE(serial, 14)
  bytes.writeUInt32LE(number, 18)
  let crc = 0
  for (const byte of bytes) crc = (crc << 8) ^ TABLE[(crc >>> 24) ^ byte]!
  bytes.writeUInt32LE(crc >>> 0, 22)
  return bytes
}
/** Packets of one byte that last 60 ms. */
const packet = Buffer.from([0x18])
const opusHead = page(0, 0, [bytesOf("OpusHead", Buffer.alloc(40))])
const opusTags = page(1, 0, [bytesOf("OpusTags", Buffer.alloc(40))])
const opus = (packets: number, position = packets * 2_880): Buffer =>
  bytesOf(
    opusHead,
    opusTags,
    page(
      2,
      position,
      Array.from({ length: packets }, () => packet)
    )
  )

describe("soundSeconds", () => {
  it("is the length of WAV, MP3, FLAC and Ogg files", () => {
    assert.strictEqual(seconds(wave(10), "wav", "audio/x-wav"), 10)
    assert.strictEqual(seconds(bytesOf(wave(10), chunk("LIST", Buffer.alloc(160))), "audio/wave"), 10 + 168 / 16_000)
    const piped = header((bytes) => bytes.writeUInt32LE(0xffffffff, 40))
    assert.strictEqual(seconds(piped), 10)
    assert.closeTo(
      seconds(bytesOf(tag(300), counting("Xing", 99), mp3(99)), "mp3", "audio/mpeg")!,
      100 * FRAME_SECONDS,
      1e-6
    )
    assert.closeTo(seconds(bytesOf(mp3(100), "TAG", Buffer.alloc(125)))!, 100 * FRAME_SECONDS, 0.1)
    assert.closeTo(seconds(silentFlac(1_000, 65_535_000), "flac")!, 8_192, 1)
    assert.closeTo(seconds(bytesOf(tag(70_000), silentFlac(1_000)), "audio/flac")!, 8_192, 1)
    assert.closeTo(seconds(opus(200), "ogg", "audio/ogg")!, 12, 1e-9)
  })

  it("is unknown where the fields of a WAV header contradict each other", () => {
    const files: ReadonlyArray<readonly [string, Buffer]> = [
      ["bytes of a sample", header((bytes) => bytes.writeUInt16LE(65_535, 32))],
      ["bytes a second", header((bytes) => bytes.writeUInt32LE(1_600_000, 28))],
      ["a codec", header((bytes) => bytes.writeUInt16LE(0x55, 20))],
      ["an extensible format without its fields", header((bytes) => bytes.writeUInt16LE(0xfffe, 20))],
      ["no channels", header((bytes) => bytes.writeUInt16LE(0, 22))],
      ["another format before", bytesOf(wave(1).subarray(0, 36), wave(10).subarray(12))],
      [
        "more samples than there are",
        bytesOf(wave(10).subarray(0, 36), chunk("fact", Buffer.alloc(4, 127)), wave(10).subarray(36))
      ],
      ["a video behind it", bytesOf(wave(10), chunk("SMV0", Buffer.alloc(60)))],
      ["something behind it", bytesOf(wave(10), Buffer.alloc(60, 1))]
    ]
    for (const [what, file] of files) assert.isUndefined(seconds(file), what)
  })

  it("is unknown where the samples of a WAV file are frames of a codec", () => {
    const adts = bytesOf([0xff, 0xf1, 0x6c, 0x40, 0x01, 0x7f, 0xfc], Buffer.alloc(4))
    const frames: ReadonlyArray<readonly [string, Buffer]> = [
      ["MP3", mp3(1_000)],
      ["AAC", repeated(adts, 3_000)],
      ["AC-3", repeated(bytesOf([0x0b, 0x77, 0, 0, 0x80, 0x40], Buffer.alloc(186)), 1_000)],
      ["S/PDIF", repeated(bytesOf([0x72, 0xf8, 0x1f, 0x4e], Buffer.alloc(60)), 1_000)],
      ["MP3 behind noise", bytesOf(wave(1).subarray(44), mp3(1_000))]
    ]
    for (const [what, data] of frames) {
      const bytes = bytesOf(wave(1).subarray(0, 40), Buffer.alloc(4), data)
      bytes.writeUInt32LE(data.length, 40)
      assert.isUndefined(seconds(bytes), what)
    }
  })

  it("is unknown for MP3 files with gaps, false tags or counts, or several kinds of frames", () => {
    const other = bytesOf([0xff, 0xf3, 0x10, 0xc4], Buffer.alloc(22))
    const boast = bytesOf("ID3\x04\x00\x00\x00\x00\x7f\xff", mp3(50))
    const files: ReadonlyArray<readonly [string, Buffer]> = [
      ["a gap", bytesOf(mp3(50), Buffer.alloc(100, 1), mp3(50))],
      ["a tag whose length has a high bit", boast],
      ["a tag of an unknown version", bytesOf(tag(200, 255), mp3(50))],
      ["a tag that is longer than the file", bytesOf("ID3\x04\x00\x00\x7f\x7f\x7f\x7f", mp3(50))],
      ["a count that is larger", bytesOf(counting("Info", 90_000), mp3(50))],
      ["frames of another kind", bytesOf(mp3(50), repeated(other, 50))],
      ["hardly any frames", mp3(3)],
      ["a transport stream inside", bytesOf([0xff, 0xfb, 0x90, 0], Buffer.alloc(413, 0x47)).fill(0x47, 4)]
    ]
    for (const [what, file] of files) assert.isUndefined(seconds(file), what)
    // Without a count, the slowest frame decides: some readers divide the size by the rate of one.
    const slow = bytesOf([0xff, 0xfb, 0x10, 0x00], Buffer.alloc(100))
    const mixed = bytesOf(slow, mp3(100))
    assert.isAtLeast(seconds(mixed)!, (mixed.length * 8) / 32_000)
  })

  it("is unknown for FLAC files whose frames are not in order, or fewer than the head says", () => {
    assert.isUndefined(seconds(bytesOf(silentFlac(10), silentFlac(10))))
    assert.isUndefined(seconds(bytesOf(silentFlac(10), silentFlac(12).subarray(42 + 11 * 14))))
    assert.isUndefined(seconds(silentFlac(10, 1_000_000_000)))
    assert.isUndefined(seconds(bytesOf(silentFlac(0), Buffer.alloc(100))))
    assert.isUndefined(seconds(bytesOf("fLaC", Buffer.alloc(100))))
  })

  it("is unknown for Ogg files with several streams, false times or broken pages", () => {
    const broken = opus(100)
    broken[broken.length - 1] = 1
    const files: ReadonlyArray<readonly [string, Buffer]> = [
      ["a page whose checksum is wrong", broken],
      ["a later time than its packets have", opus(100, 48_000_000)],
      ["another stream behind", bytesOf(opus(100), opus(100))],
      ["a page of another stream", bytesOf(opus(100), page(3, 900_000, [packet], 8))],
      ["a page that is missing", bytesOf(opusHead, opusTags, page(3, 2_880, [packet]))],
      ["something between the pages", bytesOf(opusHead, Buffer.alloc(9), opusTags)],
      ["another codec", page(0, 0, [bytesOf("Speex   ", Buffer.alloc(80))])],
      ["a tag in front", bytesOf(tag(10), opus(100))]
    ]
    for (const [what, file] of files) assert.isUndefined(seconds(file), what)
  })

  it("is unknown for other kinds, and for a kind that the request does not say", () => {
    assert.isUndefined(seconds(Buffer.alloc(7_500, 1)))
    assert.isUndefined(seconds(bytesOf([0, 0, 0, 24], "ftypM4A ", Buffer.alloc(1_000))))
    assert.isUndefined(seconds(wave(10), "mp3"))
    assert.isUndefined(seconds(wave(10), "wav", "audio/mpeg"))
    assert.isUndefined(seconds(mp3(100), "g711_ulaw"))
    assert.isUndefined(seconds(mp3(100), "video/mp4"))
  })
})
