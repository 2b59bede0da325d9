/** Many runs, and what they come to. */
import { Effect } from "effect"
import { type Judged, play, type Played } from "./Run.ts"
import { type Overall, overallOf, type Violation, violationsOf } from "./Verdict.ts"

export interface AdversaryOptions {
  readonly runs: number
  /** Of the first run; each next has the next. */
  readonly seed: number
  readonly onRun?: (played: Played, violations: ReadonlyArray<Violation>) => void
}

export interface AdversaryReport {
  readonly judged: ReadonlyArray<Judged>
  /** Runs in which something was wrong, and those in which more was spent than a budget had. */
  readonly wrongRuns: number
  readonly overspent: number
  readonly violations: ReadonlyArray<Violation>
  readonly overall: Overall
}

export const adversary = Effect.fnUntraced(function* ({ onRun, runs, seed }: AdversaryOptions) {
  const judged: Array<Judged> = []
  const violations: Array<Violation> = []
  let overspent = 0
  for (let run = 0; run < runs; run++) {
    const played = yield* play(seed + run)
    const found = violationsOf(played)
    judged.push(...played.judged)
    violations.push(...found)
    if (played.budgets.some(({ billed, limit }) => billed > limit)) overspent++
    onRun?.(played, found)
  }
  const wrongRuns = new Set(violations.map((one) => one.seed)).size
  return {
    judged,
    wrongRuns,
    overspent,
    violations,
    overall: overallOf(judged)
  } satisfies AdversaryReport as AdversaryReport
})
