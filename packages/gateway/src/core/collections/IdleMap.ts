/**
 * A map that forgets what nobody needs, so that it is as large as what is in use, not as all that ever was. It needs no timer and
 * never looks through all of it: whoever adds an entry looks at two others, and takes them out where they are idle.
 */
export class IdleMap<V> {
  private readonly isIdle: (value: V, now: number) => boolean
  private readonly entries = new Map<string, V>()
  /** Goes round and round; it comes by those that are added meanwhile too. */
  private hand = this.entries.entries()

  /** An entry that is idle at a time (epoch ms) must be worth no more than none. */
  constructor(isIdle: (value: V, now: number) => boolean) {
    this.isIdle = isIdle
  }

  get size(): number {
    return this.entries.size
  }

  get(name: string): V | undefined {
    return this.entries.get(name)
  }

  set(name: string, value: V, now: number): void {
    for (let looked = 0; looked < LOOKS; looked++) this.step(now)
    this.entries.set(name, value)
  }

  private step(now: number): void {
    const { done, value: entry } = this.hand.next()
    if (done) this.hand = this.entries.entries()
    else if (this.isIdle(entry[1], now)) this.entries.delete(entry[0])
  }
}

/** One would let the map grow for as long as the hand takes to go round; with two, half of it at most is idle. */
const LOOKS = 2
