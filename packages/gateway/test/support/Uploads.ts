/** Recordings to send, and what an upload leaves behind. */
import { readdirSync, readlinkSync } from "node:fs"
import { tmpdir } from "node:os"

/** Uploads that this process keeps on the disk, under a name or without one. */
export const uploadsOnDisk = (): ReadonlyArray<string> => {
  const open = process.platform === "linux" ? readdirSync("/proc/self/fd") : []
  const paths = open.map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ""
    }
  })
  return [...paths, ...readdirSync(tmpdir())].filter((path) => path.includes("model-gateway-upload-"))
}

/** A WAV file of so many seconds: 16 bits, one channel, 8,000 samples a second. No two of its kilobytes are alike. */
export const wave = (seconds: number): Buffer => {
  const bytes = Buffer.alloc(44 + Math.round(seconds * 16_000))
  for (let at = 44; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, at)
  bytes.write("RIFF", 0, "latin1")
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write("WAVEfmt ", 8, "latin1")
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8_000, 24)
  bytes.writeUInt32LE(16_000, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write("data", 36, "latin1")
  bytes.writeUInt32LE(bytes.length - 44, 40)
  return bytes
}
