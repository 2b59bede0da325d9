/** Many runs, and what they come to. */
import { Effect } from "effect"
import { playThroughPort } from "./Port.ts"
import { type Judged, play, type Played } from "./Run.ts"
import { type Overall, overallOf, type Violation, violationsOf } from "./Verdict.ts"

export interface AdversaryOptions {
  readonly runs: number
  /** Of the first run; each next has the next. */
  readonly seed: number
  /** Runs that go through the port of a real gateway, beside those in memory; they are timed by the machine. */
  readonly throughPort?: number
  /** Guardrails mask requests and responses, which makes them longer. What the masked requests can cost is not known. */
  readonly isMasking?: boolean
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

export const adversary = Effect.fnUntraced(function* ({
  isMasking = false,
  onRun,
  runs,
  seed,
  throughPort = 0
}: AdversaryOptions) {
  const judged: Array<Judged> = []
  const violations: Array<Violation> = []
  let overspent = 0
  const judge = (played: Played) => {
    const found = violationsOf(played)
    judged.push(...played.judged)
    violations.push(...found)
    if (played.budgets.some(({ billed, limit }) => billed > limit)) overspent++
    onRun?.(played, found)
  }
  for (let run = 0; run < runs; run++) judge(yield* play(seed + run, isMasking))
  if (throughPort > 0) for (const played of yield* Effect.scoped(playThroughPort(seed, throughPort))) judge(played)
  const wrongRuns = new Set(violations.map((one) => one.seed)).size
  return {
    judged,
    wrongRuns,
    overspent,
    violations,
    overall: overallOf(judged)
  } satisfies AdversaryReport as AdversaryReport
})
