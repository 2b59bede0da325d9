/** The sound that the demo vendor makes: a WAV file that hums each word, and holds the words as a comment. */

const RATE = 8_000
const SECONDS_PER_WORD = 0.3
const LOUDNESS = 6_000
const HEADER_BYTES = 44

/** Samples of a tone for each word, whose pitch its letters decide. */
const hum = (text: string): Buffer => {
  const words = text.split(/\s+/).filter((word) => word !== "")
  const each = Math.round(RATE * SECONDS_PER_WORD)
  const samples = Buffer.alloc(Math.max(1, words.length) * each * 2)
  for (const [index, word] of words.entries()) {
    const letters = Array.from(word, (letter) => letter.codePointAt(0) ?? 0)
    const pitch = 180 + (letters.reduce((sum, letter) => sum + letter, 0) % 24) * 10
    for (let at = 0; at < each; at++) {
      // Fades out, so that words can be told apart.
      const sample = LOUDNESS * (1 - at / each) * Math.sin((2 * Math.PI * pitch * at) / RATE)
      samples.writeInt16LE(Math.round(sample), (index * each + at) * 2)
    }
  }
  return samples
}

/** The bare samples: 16 bits, one channel, 8,000 a second. */
export const pcmOf = (text: string): Buffer => hum(text)

export const waveOf = (text: string): Buffer => {
  const samples = hum(text)
  const words = Buffer.from(text)
  const comment = Buffer.concat([Buffer.from("INFOICMT"), uint32(words.length), words, Buffer.alloc(words.length & 1)])
  const header = Buffer.alloc(HEADER_BYTES - 8)
  header.write("RIFF", 0, "latin1")
  header.writeUInt32LE(HEADER_BYTES + samples.length + comment.length, 4)
  header.write("WAVEfmt ", 8, "latin1")
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  return Buffer.concat([
    header,
    Buffer.from("LIST"),
    uint32(comment.length),
    comment,
    Buffer.from("data"),
    uint32(samples.length),
    samples
  ])
}

/** The words that a file of `waveOf` holds; undefined for other files. */
export const wordsIn = (bytes: Buffer): string | undefined => {
  const at = bytes.subarray(0, 256).indexOf("INFOICMT", 0, "latin1")
  if (at < 0 || at + 12 > bytes.length) return undefined
  return bytes.toString("utf8", at + 12, at + 12 + bytes.readUInt32LE(at + 8))
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
