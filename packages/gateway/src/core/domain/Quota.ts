/** How many bytes of responses are kept, and whose go first where more come. */

export interface Quota {
  /** Of one key. */
  readonly perKey: number
  /** Of all keys together. */
  readonly all: number
}

export interface StoredByKey {
  readonly keyId: string
  readonly bytes: number
}

export interface StoredBytes {
  /** Of the key that more bytes are for. */
  readonly own: number
  readonly all: number
  /** The two keys that hold most, the first before the second. */
  readonly largest: ReadonlyArray<StoredByKey>
}

/**
 * Bytes that go at most for `more`, so that a store far beyond its quota, as after the quota was lowered, takes no long time to add to: it
 * shrinks with each addition.
 */
export const mostFreedFor = (more: number): number => 2 * more

/** Whose oldest have to go, and how many bytes of them, before there is room for `more` of a key; undefined: there is. */
export const excessOf = (held: StoredBytes, quota: Quota, keyId: string, more: number): StoredByKey | undefined => {
  const { all, largest, own } = held
  const [first, second] = largest
  if (first === undefined) return undefined
  if (own > 0 && own + more > quota.perKey) return { keyId, bytes: own + more - quota.perKey }
  if (first.bytes > quota.perKey) return { keyId: first.keyId, bytes: first.bytes - quota.perKey }
  const bytes = all + more - quota.all
  if (bytes <= 0) return undefined
  if (own > 0 && own + more >= first.bytes) return { keyId, bytes }
  // No more than makes another key the largest holder.
  const above = Math.max(1, first.bytes - Math.max(own + more, second?.bytes ?? 0))
  return { keyId: first.keyId, bytes: Math.min(bytes, above) }
}
