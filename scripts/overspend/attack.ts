/** The adversary of `npm run overspend`. */
import { Effect } from "effect"
import { adversary } from "../../packages/gateway/test/acceptance/adversary/Adversary.ts"
import { tableOf } from "../../packages/gateway/test/acceptance/adversary/Table.ts"
import { described, percent } from "../../packages/gateway/test/acceptance/adversary/Verdict.ts"

/** Lines that say what went wrong; there may be thousands. */
const MOST_SHOWN = 40
/** A line every so many runs. */
const TELL_EVERY = 100

/** Runs that are played through a real port, too. */
const MOST_THROUGH_PORT = 20

/** Whether every budget held. */
export const attack = async (runs: number, seed: number, isMasking: boolean): Promise<boolean> => {
  console.log(`${runs} runs of the adversary, seeds ${seed} to ${seed + runs - 1}`)
  const throughPort = isMasking ? 0 : Math.min(MOST_THROUGH_PORT, runs)
  const started = performance.now()
  let done = 0
  let shown = 0
  const report = await Effect.runPromise(
    adversary({
      runs,
      seed,
      throughPort,
      isMasking,
      onRun: ({ way }, violations) => {
        const where = way === "in memory" ? "" : ` ${way}`
        for (const { seed, what } of violations) {
          if (shown++ < MOST_SHOWN) console.log(`FAIL seed ${seed}${where}: ${what}`)
        }
        if (++done % TELL_EVERY === 0)
          console.log(`${done} runs, ${Math.round((performance.now() - started) / 1000)} s`)
      }
    })
  )
  const { judged, overall, overspent, violations, wrongRuns } = report
  if (violations.length > MOST_SHOWN) console.log(`… and ${violations.length - MOST_SHOWN} more`)
  console.log("")
  if (runs === 1) for (const one of judged) console.log(described(one))
  for (const line of tableOf(judged)) console.log(line)
  console.log("")
  console.log(
    `overspent: ${overspent} of ${runs + throughPort} runs (${throughPort} of them through the port); something wrong in ${wrongRuns}`
  )
  console.log(`affordable, alone and documented: ${overall.admitted} of ${overall.affordable} admitted`)
  const { plainLeft, stops, streamsLeft } = overall
  console.log(
    `booked of the bill where callers left: plain ${percent(plainLeft)}, streams ${percent(streamsLeft)}, of those that can be counted ${percent(stops)}`
  )
  for (const problem of overall.problems) console.log(`FAIL ${problem}`)
  if (violations.length > 0) {
    console.log(
      `Again: npm run overspend -- ${isMasking ? "--guardrails" : "--adversary"} --runs 1 --seed ${violations[0]!.seed}`
    )
  }
  return violations.length === 0 && overall.problems.length === 0
}
