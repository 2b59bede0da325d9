/** Who takes part in a comparison: ours from beginning to end, others as long as they can be had and answer as they should. */
import { NotInstallable } from "../../scripts/acceptance/Install.ts"
import { say, type Target } from "../Bench.ts"
import { type Figures, rounded } from "../Figures.ts"

export interface Entrant {
  readonly target: Target
  /** From starting it to its first answer, several times over. */
  readonly starts: ReadonlyArray<Figures>
  /** Resident memory after the last of them, MiB. */
  readonly idleMb: number
  readonly plain: Array<Figures>
  readonly streams: Array<Figures>
  readonly steady: Array<Figures>
}

export class Field {
  readonly entrants = new Map<string, Entrant>()
  /** Why somebody has no column. */
  readonly missing: Array<string> = []

  async add(target: Target, starts: ReadonlyArray<Figures>): Promise<void> {
    const idleMb = rounded((await target.server.usage()).rss / 2 ** 20, 0)
    this.entrants.set(target.server.name, { target, starts, idleMb, plain: [], streams: [], steady: [] })
  }

  /** Runs what concerns one of the others; who can't be had, or fails, is left out from then on. */
  async attempt(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const verdict = error instanceof NotInstallable ? "can't be installed here" : "was left out"
      const line = `${name} ${verdict}: ${why.split("\n").slice(0, 3).join(" ").slice(0, 300)}`
      this.missing.push(line)
      this.entrants.delete(name)
      say(line)
    }
  }

  /** A turn of each. Who goes first changes, so that a machine that gets slower or faster favours nobody. */
  async turns(round: number, turn: (entrant: Entrant, name: string) => Promise<void>): Promise<void> {
    const order = [...this.entrants]
    for (const [name, entrant] of round % 2 === 0 ? order : order.toReversed()) {
      if (entrant.target.peer === undefined) await turn(entrant, name)
      else await this.attempt(name, () => turn(entrant, name))
    }
  }

  /** A column for each who is left. */
  columns(of: (entrant: Entrant) => ReadonlyArray<Figures>): Readonly<Record<string, ReadonlyArray<Figures>>> {
    return Object.fromEntries([...this.entrants].map(([name, entrant]) => [name, of(entrant)]))
  }
}
