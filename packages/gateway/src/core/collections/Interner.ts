/** Equal values as one object: a million keys have a few dozen different limits, budgets and lists of models. */
export class Interner {
  private readonly known = new Map<string, unknown>()

  /**
   * A value of the same kind that is equal to `value` as JSON, where fields that are undefined and fields that are not there are the
   * same: so the kinds are kept apart. Never change what is shared.
   */
  of<A>(kind: string, value: A): A {
    const text = `${kind} ${JSON.stringify(value)}`
    const same = this.known.get(text) as A | undefined
    if (same !== undefined) return same
    // What is all different is not worth remembering, nor is what is long.
    if (text.length > MOST_TEXT) return value
    if (this.known.size >= MOST_VALUES) this.known.clear()
    this.known.set(text, value)
    return value
  }
}

const MOST_VALUES = 10_000
const MOST_TEXT = 1_000
