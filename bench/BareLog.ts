/**
 * The least that a proxy can do to have each answer on the disk before it leaves: a line in a file that has its room already, and one
 * `fdatasync` for all that wait when it begins.
 */
import { fdatasync, fsyncSync, openSync, writeSync } from "node:fs"

/** Written over from its beginning when it is full: a file that grows would cost each `fdatasync` a change of its size as well. */
const BYTES = 16 * 2 ** 20

export class BareLog {
  private readonly fd: number
  private at = 0
  private waiting: Array<() => void> = []
  private isSyncing = false

  constructor(filename: string) {
    this.fd = openSync(filename, "w+")
    writeSync(this.fd, Buffer.alloc(BYTES))
    fsyncSync(this.fd)
  }

  /** Completes when the line is on the disk. */
  add(line: string): Promise<void> {
    const length = Buffer.byteLength(line)
    if (this.at + length > BYTES) this.at = 0
    writeSync(this.fd, line, this.at)
    this.at += length
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      if (!this.isSyncing) this.sync()
    })
  }

  private sync(): void {
    const group = this.waiting
    this.waiting = []
    this.isSyncing = true
    fdatasync(this.fd, (error) => {
      if (error !== null) throw error
      this.isSyncing = false
      for (const done of group) done()
      if (this.waiting.length > 0) this.sync()
    })
  }
}
