/** Joins bytes as they arrive: a million buffers of one byte would take 500 MB. */
const MOST_LOOSE = 256

export class Pieces {
  size = 0
  private readonly joined: Array<Uint8Array> = []
  private loose: Array<Uint8Array> = []

  add(piece: Uint8Array): void {
    this.size += piece.length
    if (this.loose.push(piece) < MOST_LOOSE) return
    this.joined.push(Buffer.concat(this.loose))
    this.loose = []
  }

  /** All of them; the only piece is given as it came. */
  whole(): Buffer {
    const { joined, loose } = this
    const [first] = loose
    if (joined.length === 0 && loose.length === 1 && Buffer.isBuffer(first)) return first
    return Buffer.concat([...joined, ...loose], this.size)
  }
}
