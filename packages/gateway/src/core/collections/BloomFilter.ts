/** A Bloom filter of key ids, two bytes each: refuses made-up ids without a look-up. About three in a thousand pass. */
import { randomInt } from "node:crypto"

const BITS_PER_ID = 16

const HASHES = 4

const LEAST_IDS = 65_536

export class BloomFilter {
  /** False until all ids are added: until then any id may exist. */
  isWhole = true
  private readonly bits: Uint32Array
  private readonly mask: number
  private isEmpty = true

  /** `expected`: how many ids it is made for. It still works beyond that, with more false hits. */
  constructor(expected: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(LEAST_IDS, expected * 2) * BITS_PER_ID))
    // The mask is 32 bits wide: 256 million ids.
    this.bits = new Uint32Array(Math.min(size, 2 ** 32) / 32)
    this.mask = Math.min(size, 2 ** 32) - 1
  }

  add(id: string): void {
    this.addHashed(hashesOf(id))
  }

  addHashed([first, second]: IdHashes): void {
    this.isEmpty = false
    for (let n = 0; n < HASHES; n++) {
      const bit = (first + Math.imul(n, second)) & this.mask
      this.bits[bit >>> 5]! |= 1 << (bit & 31)
    }
  }

  /** False: the id does not exist. */
  mayHold(id: string): boolean {
    return !this.isWhole || (!this.isEmpty && this.mayHoldHashed(hashesOf(id)))
  }

  mayHoldHashed([first, second]: IdHashes): boolean {
    for (let n = 0; n < HASHES; n++) {
      const bit = (first + Math.imul(n, second)) & this.mask
      if ((this.bits[bit >>> 5]! & (1 << (bit & 31))) === 0) return false
    }
    return true
  }
}

/** Hashes of one id, computed once for several filters. */
type IdHashes = readonly [number, number]

/** Random, so that a caller cannot construct ids that pass. */
const STARTS = [randomInt(2 ** 32), randomInt(2 ** 32)] as const

/** Two independent 32-bit hashes (FNV-1a with different starts, then mixed). */
export const hashesOf = (id: string): IdHashes => {
  let [first, second] = STARTS
  for (let index = 0; index < id.length; index++) {
    const code = id.charCodeAt(index)
    first = Math.imul(first ^ code, 0x01000193)
    second = Math.imul(second ^ code, 0x5bd1e995)
  }
  return [mixed(first), mixed(second) | 1]
}

const mixed = (hash: number): number => {
  let out = hash
  out = Math.imul(out ^ (out >>> 16), 0x85ebca6b)
  out = Math.imul(out ^ (out >>> 13), 0xc2b2ae35)
  return out ^ (out >>> 16)
}
