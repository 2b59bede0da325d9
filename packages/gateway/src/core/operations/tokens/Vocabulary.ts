/**
 * The o200k vocabulary: the rank of the bytes of a token. The file stays outside of V8's heap; tokens of one length are sorted
 * and found by binary search.
 */
import { readFile } from "node:fs/promises"
import { assetAt } from "../../domain/Assets.ts"

/** Of `npm run tokens:build`. */
const FILE = "o200k.bin"
/** Bytes of the longest token. */
export const LONGEST = 128
/** Of a number in it, the lowest first. */
const BYTES = 3

export const NO_TOKEN = -1

export class Vocabulary {
  /** How many tokens there are of each length from 1 on; then the tokens; then the lowest bytes of their ranks, the next, the highest. */
  private readonly file: Uint8Array
  /** Of each length, the place of its first token in the file, and how many tokens are before it. The last ones end them. */
  private readonly starts = new Uint32Array(LONGEST + 2)
  private readonly before = new Uint32Array(LONGEST + 2)

  private constructor(file: Uint8Array) {
    this.file = file
    this.starts[1] = BYTES * LONGEST
    for (let length = 1; length <= LONGEST; length++) {
      const at = BYTES * (length - 1)
      const count = file[at]! | (file[at + 1]! << 8) | (file[at + 2]! << 16)
      this.starts[length + 1] = this.starts[length]! + count * length
      this.before[length + 1] = this.before[length]! + count
    }
  }

  static async read(): Promise<Vocabulary> {
    return new Vocabulary(await readFile(assetAt(FILE)))
  }

  /** The rank of the token that is these bytes, or `NO_TOKEN`. */
  rankOf(text: Uint8Array, from: number, to: number): number {
    const length = to - from
    if (length > LONGEST) return NO_TOKEN
    const { file } = this
    const start = this.starts[length]!
    const first = this.before[length]!
    let low = 0
    let high = this.before[length + 1]! - first
    while (low < high) {
      const middle = (low + high) >> 1
      const at = start + middle * length
      let same = 0
      while (same < length && file[at + same] === text[from + same]) same++
      if (same === length) return this.rankAt(first + middle)
      if (file[at + same]! < text[from + same]!) low = middle + 1
      else high = middle
    }
    return NO_TOKEN
  }

  private rankAt(index: number): number {
    const { file } = this
    const count = this.before[LONGEST + 1]!
    const at = this.starts[LONGEST + 1]! + index
    return file[at]! | (file[at + count]! << 8) | (file[at + 2 * count]! << 16)
  }
}
