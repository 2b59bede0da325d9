/** Recently sent groups, oldest first, for a standby that lacks some. They expire by the second, to be cheap. */

/** An attempt as the store finds it. */
export interface Placed {
  readonly id: number
  readonly at: number
}

export interface SentGroup {
  readonly number: number
  readonly ended: ReadonlyArray<Placed>
  readonly statement: string
  readonly texts: ReadonlyArray<string | null>
  /** Epoch milliseconds. */
  readonly at: number
}

const SECOND_MS = 1_000

export class SentGroups {
  private readonly rememberedMs: number
  private seconds: Array<{ readonly since: number; readonly groups: Array<SentGroup> }> = []

  constructor(rememberedMs: number) {
    this.rememberedMs = rememberedMs
  }

  add(group: SentGroup): void {
    const { at } = group
    const last = this.seconds.at(-1)
    // A clock that was set back starts a new second, too.
    if (last !== undefined && Math.abs(at - last.since) < SECOND_MS) return void last.groups.push(group)
    this.seconds = this.seconds.filter(({ since }) => at - since < this.rememberedMs + SECOND_MS)
    this.seconds.push({ since: at, groups: [group] })
  }

  all(): ReadonlyArray<SentGroup> {
    return this.seconds.flatMap(({ groups }) => groups)
  }
}
