/** A zip archive, as small as an extension needs: names and bytes, deflated. The same files make the same bytes. */
import { crc32, deflateRawSync } from "node:zlib"

export interface ZipFile {
  /** With `/`. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** 1980-01-01, the first day that zip knows: an archive does not tell when it was made. */
const DATE = 0x21
const DEFLATED = 8
/** Names are UTF-8. */
const UTF8 = 0x800
const VERSION = 20

/** What both headers of a file say, without their signatures. */
const described = (name: Buffer, bytes: Uint8Array, deflated: Uint8Array): Buffer => {
  const head = Buffer.alloc(26)
  head.writeUInt16LE(VERSION, 0)
  head.writeUInt16LE(UTF8, 2)
  head.writeUInt16LE(DEFLATED, 4)
  head.writeUInt16LE(DATE, 8)
  head.writeUInt32LE(crc32(bytes), 10)
  head.writeUInt32LE(deflated.length, 14)
  head.writeUInt32LE(bytes.length, 18)
  head.writeUInt16LE(name.length, 22)
  return head
}

export const zip = (files: ReadonlyArray<ZipFile>): Buffer => {
  const pieces: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let offset = 0
  for (const { bytes, name } of files) {
    const named = Buffer.from(name)
    const deflated = deflateRawSync(bytes, { level: 9 })
    const head = described(named, bytes, deflated)
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), head, named, deflated])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), Buffer.from([VERSION, 0]), head, rest, named]))
    pieces.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", "latin1")
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...pieces, central, end])
}
