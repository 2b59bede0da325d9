/**
 * The o200k vocabulary: which bytes are one token, and its rank. It is kept outside of V8's heap, in 4 MB, where collections don't look
 * at it, and is made in steps between which the event loop runs: a module that holds it would stop the loop for 200 ms.
 */
import { readFile } from "node:fs/promises"

/** Of `npm run tokens:build`. */
const FILE = new URL("./o200k.bin", import.meta.url)
/** Tokens in it. */
const COUNT = 199_998
/** Slots of the hash table, a power of 2 that leaves more than half of them empty. */
const SLOTS = 1 << 19
/** Tokens that are put in before the event loop runs, half a millisecond. */
const STEP = 4_096

/** What is no token. */
export const NO_TOKEN = -1

export class Vocabulary {
  /** Of all tokens, in the order of their ranks. */
  private readonly bytes: Uint8Array
  /** Where a token begins, and the last one ends. */
  private readonly starts = new Uint32Array(COUNT + 1)
  /** An open hash table: a token's rank and 1, or 0. */
  private readonly slots = new Uint32Array(SLOTS)

  /** Empty: `add` fills it. */
  private constructor(file: Uint8Array) {
    this.bytes = file.subarray(COUNT)
    for (let rank = 0; rank < COUNT; rank++) this.starts[rank + 1] = this.starts[rank]! + file[rank]!
  }

  static async read(): Promise<Vocabulary> {
    const vocabulary = new Vocabulary(await readFile(FILE))
    for (let rank = 0; rank < COUNT; rank += STEP) {
      vocabulary.add(rank, Math.min(rank + STEP, COUNT))
      await new Promise((resume) => void setImmediate(resume))
    }
    return vocabulary
  }

  /** The rank of the token that is these bytes, or `NO_TOKEN`. */
  rankOf(text: Uint8Array, from: number, to: number): number {
    const { bytes, slots, starts } = this
    const length = to - from
    for (let slot = slotOf(text, from, to); ; slot = (slot + 1) % SLOTS) {
      const rank = slots[slot]! - 1
      if (rank === NO_TOKEN) return NO_TOKEN
      const start = starts[rank]!
      if (starts[rank + 1]! - start !== length) continue
      let same = 0
      while (same < length && bytes[start + same] === text[from + same]) same++
      if (same === length) return rank
    }
  }

  private add(from: number, to: number): void {
    for (let rank = from; rank < to; rank++) {
      let slot = slotOf(this.bytes, this.starts[rank]!, this.starts[rank + 1]!)
      while (this.slots[slot] !== 0) slot = (slot + 1) % SLOTS
      this.slots[slot] = rank + 1
    }
  }
}

/** FNV-1a, with its upper bits mixed into the lower ones that are used. */
const slotOf = (bytes: Uint8Array, from: number, to: number): number => {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return (hash ^ (hash >>> 15)) & (SLOTS - 1)
}
