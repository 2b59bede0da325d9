/** What waits for an answer that names it by number. As for `Roster`, a `Map` would keep those that were answered alive. */
export class Slots<V> {
  private readonly values: Array<V | undefined> = []
  /** Numbers that nobody has. */
  private readonly free: Array<number> = []

  /** Its number, until it is taken. */
  put(value: V): number {
    const number = this.free.pop() ?? this.values.length
    this.values[number] = value
    return number
  }

  /** Undefined where nobody has the number. */
  take(number: number): V | undefined {
    const value = this.values[number]
    if (value === undefined) return undefined
    this.values[number] = undefined
    this.free.push(number)
    return value
  }

  /** All of them; none is left. */
  takeAll(): ReadonlyArray<V> {
    const all = this.values.flatMap((value) => (value === undefined ? [] : [value]))
    this.values.length = 0
    this.free.length = 0
    return all
  }
}
