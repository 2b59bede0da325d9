/** The files that steps upload, made when they are needed: nothing binary is kept in the repository. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const RATE = 8_000

/** A second of a hum, as a WAV file: 16 bits, one channel. */
const wave = (): Buffer => {
  const sound = Buffer.alloc(2 * RATE)
  for (let index = 0; index < RATE; index++) sound.writeInt16LE(Math.round(8_000 * Math.sin(index / 6)), 2 * index)
  const head = Buffer.alloc(44)
  head.write("RIFF")
  head.writeUInt32LE(36 + sound.length, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(2 * RATE, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36)
  head.writeUInt32LE(sound.length, 40)
  return Buffer.concat([head, sound])
}

/** A PNG of one pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

export const writeFixtures = (folder: string): void => {
  writeFileSync(join(folder, "hum.wav"), wave())
  writeFileSync(join(folder, "dot.png"), Buffer.from(DOT, "base64"))
}
