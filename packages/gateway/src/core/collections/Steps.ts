/** Values that are looked up by several keys, one after the other: a map by all of them together would need a text made for each look-up. */
export interface KeyStep<Key, Value> {
  next: Map<Key, KeyStep<Key, Value>> | undefined
  value: Value | undefined
}

export const firstStep = <Key, Value>(): KeyStep<Key, Value> => ({ next: undefined, value: undefined })

/** Where `key` leads to from here. */
export const step = <Key, Value>(from: KeyStep<Key, Value>, key: Key): KeyStep<Key, Value> => {
  const next = (from.next ??= new Map())
  let found = next.get(key)
  if (found === undefined) next.set(key, (found = firstStep()))
  return found
}
