/**
 * Bytes that come in pieces, to be had as a whole. A sender may cut them as small as it likes, and a million
 * buffers of a byte take 500 MB: so they are put together while they come.
 */
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
