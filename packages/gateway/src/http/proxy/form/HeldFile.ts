/** An uploaded file while its request runs: in memory or in an unnamed file on disk, which vanishes when closed. */
import { randomUUID } from "node:crypto"
import type { StatsFs } from "node:fs"
import { type FileHandle, open, statfs, unlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context } from "effect"
import type { Upload } from "../../../core/operations/RequestBody.ts"

/** What all files of a form may take of the memory. */
export const MEMORY_BYTES = 1024 * 1024
const HEAD_BYTES = 64 * 1024
const READ_BYTES = 64 * 1024

/** The memory that a form has left for its files. */
export class Room {
  left = MEMORY_BYTES
}

export class HeldFile implements Upload {
  readonly field: string
  readonly filename: string
  readonly contentType: string
  size = 0
  private readonly room: Room
  private kept: Array<Uint8Array> = []
  private disk: FileHandle | undefined
  private first: Uint8Array = new Uint8Array(0)

  constructor({ contentType, field, filename }: Pick<Upload, "field" | "filename" | "contentType">, room: Room) {
    this.field = field
    this.filename = filename
    this.contentType = contentType
    this.room = room
  }

  get head(): Uint8Array {
    return this.first
  }

  /** Takes its next bytes, all of one piece of the body. One call at a time. */
  async take(pieces: ReadonlyArray<Uint8Array>): Promise<void> {
    for (const piece of pieces) this.look(piece)
    const length = lengthOf(pieces)
    if (this.disk === undefined && length <= this.room.left) {
      // Copied, as what arrives is often a small part of a large block of memory.
      for (const piece of pieces) this.kept.push(Uint8Array.from(piece))
      this.room.left -= length
    } else {
      this.disk ??= await this.moved()
      for (const piece of pieces) await this.disk.appendFile(piece)
    }
    this.size += length
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    if (this.disk === undefined) return yield* this.kept
    for (let at = 0; at < this.size;) {
      const { buffer, bytesRead } = await this.disk.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES, at)
      if (bytesRead === 0) throw new Error("an uploaded file is shorter than it was")
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }

  async close(): Promise<void> {
    this.kept = []
    await this.disk?.close()
  }

  private look(piece: Uint8Array): void {
    const room = HEAD_BYTES - this.first.length
    if (room > 0) this.first = Buffer.concat([this.first, piece.subarray(0, room)])
  }

  private async moved(): Promise<FileHandle> {
    const disk = await nameless()
    this.disk = disk
    for (const piece of this.kept) await disk.appendFile(piece)
    this.room.left += lengthOf(this.kept)
    this.kept = []
    return disk
  }
}

/** The types of file systems in memory, as Linux numbers them: tmpfs, ramfs. */
const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6])

/** The part of a disk that uploads leave free, and the most of it in bytes: the store may be on the same one. */
const RESERVED_PART = 1 / 8
const MOST_RESERVED = 256 * 1024 * 1024

type DiskSpace = Pick<StatsFs, "type" | "bsize" | "blocks" | "bavail">

/** What there is of the disk that the folder for temporary files is on. */
export const TemporaryDisk = Context.Reference<() => Promise<DiskSpace>>("gateway/http/TemporaryDisk", {
  defaultValue: () => () => statfs(tmpdir())
})

/** It takes memory, as a tmpfs of a container does. */
export const isInMemory = ({ type }: DiskSpace): boolean => IN_MEMORY.has(type)

export const isFull = ({ bavail, blocks, bsize }: DiskSpace): boolean =>
  bavail * bsize < Math.min(MOST_RESERVED, blocks * bsize * RESERVED_PART)

const nameless = async (): Promise<FileHandle> => {
  const path = join(tmpdir(), `model-gateway-upload-${randomUUID()}`)
  const disk = await open(path, "wx+", 0o600)
  try {
    await unlink(path)
    return disk
  } catch (error) {
    await disk.close()
    throw error
  }
}

const lengthOf = (pieces: ReadonlyArray<Uint8Array>): number => pieces.reduce((sum, { length }) => sum + length, 0)
