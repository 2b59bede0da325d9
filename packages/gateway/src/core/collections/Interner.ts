/** Stores equal values as one object: a million keys have only a few dozen different limits, budgets and model lists. */
export class Interner {
  private readonly known = new Map<string, unknown>()

  /** An equal value of the same kind, by its JSON. Never change a shared value. */
  of<A>(kind: string, value: A): A {
    const text = `${kind} ${JSON.stringify(value)}`
    const same = this.known.get(text) as A | undefined
    if (same !== undefined) return same
    // Long values are rarely equal, so they are not remembered.
    if (text.length > MOST_TEXT) return value
    if (this.known.size >= MOST_VALUES) this.known.clear()
    this.known.set(text, value)
    return value
  }
}

const MOST_VALUES = 10_000
const MOST_TEXT = 1_000
