/** A keyed hash of bytes (HalfSipHash-1-3, 32 bits) with a random key, so that callers can't choose collisions. */

export type SeededHash = (bytes: Uint8Array, start: number, end: number) => number

/** `k0`, `k1`: the key, 32 bits each. `each`, `last`: rounds for each word, and at the end. */
export const seededHash =
  (k0: number, k1: number, each = 1, last = 3): SeededHash =>
  (bytes, start, end) => {
    let v0 = k0
    let v1 = k1
    let v2 = k0 ^ 0x6c796765
    let v3 = k1 ^ 0x74656462
    const words = ((end - start) >>> 2) + 1
    for (let n = 0; n <= words; n++) {
      const isOver = n === words
      const word = isOver ? 0 : wordAt(bytes, start, end, n)
      if (isOver) v2 ^= 0xff
      v3 ^= word
      for (let round = isOver ? last : each; round > 0; round--) {
        v0 = (v0 + v1) | 0
        v1 = rotated(v1, 5) ^ v0
        v0 = rotated(v0, 16)
        v2 = (v2 + v3) | 0
        v3 = rotated(v3, 8) ^ v2
        v0 = (v0 + v3) | 0
        v3 = rotated(v3, 7) ^ v0
        v2 = (v2 + v1) | 0
        v1 = rotated(v1, 13) ^ v2
        v2 = rotated(v2, 16)
      }
      v0 ^= word
    }
    return v1 ^ v3
  }

/** The last word has what is left of the bytes, and their length. */
const wordAt = (bytes: Uint8Array, start: number, end: number, n: number): number => {
  const at = start + 4 * n
  if (end - at >= 4) return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
  let word = (end - start) << 24
  for (let rest = end - at - 1; rest >= 0; rest--) word |= bytes[at + rest]! << (8 * rest)
  return word
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by))
