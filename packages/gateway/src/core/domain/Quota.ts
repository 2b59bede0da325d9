/** How many bytes of responses are kept, and which are deleted first to make room. */

export interface Quota {
  readonly perKey: number
  readonly all: number
}

export interface StoredByKey {
  readonly keyId: string
  readonly bytes: number
}

export interface StoredBytes {
  /** Bytes of the key that adds more. */
  readonly own: number
  readonly all: number
  /** The two keys with the most bytes, in descending order. */
  readonly largest: ReadonlyArray<StoredByKey>
}

/** The most bytes to delete when `more` are added: a store far beyond its quota shrinks step by step. */
export const mostFreedFor = (more: number): number => 2 * more

/** The key whose oldest responses to delete, and how many bytes of them, to add `more` bytes of a key; undefined: there is room. */
export const excessOf = (held: StoredBytes, quota: Quota, keyId: string, more: number): StoredByKey | undefined => {
  const { all, largest, own } = held
  const [first, second] = largest
  if (first === undefined) return undefined
  if (own > 0 && own + more > quota.perKey) return { keyId, bytes: own + more - quota.perKey }
  if (first.bytes > quota.perKey) return { keyId: first.keyId, bytes: first.bytes - quota.perKey }
  const bytes = all + more - quota.all
  if (bytes <= 0) return undefined
  if (own > 0 && own + more >= first.bytes) return { keyId, bytes }
  // Only until another key has the most bytes.
  const above = Math.max(1, first.bytes - Math.max(own + more, second?.bytes ?? 0))
  return { keyId: first.keyId, bytes: Math.min(bytes, above) }
}
