/**
 * Kills a gateway under streaming and plain load (`kill -9`, at random moments) and checks its ledger as it was left and after the
 * restart, with `model-gateway ledger verify` among others.
 *
 *   npm run crash -- [--rounds N] [--seed TEXT] [--workers N]
 *
 * The moments of a seed are always the same; what is under way then is up to the machine. Exit code 1 when anything is wrong.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { crashRun } from "../packages/gateway/test/acceptance/CrashRun.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "50" },
    seed: { type: "string", default: "crash" },
    workers: { type: "string", default: "1" }
  }
})
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`--rounds must be a whole number of at least 1, not ${values.rounds}`)
  process.exit(2)
}
const workers = Number(values.workers)
if (!Number.isInteger(workers) || workers < 1) {
  console.error(`--workers must be a whole number of at least 1, not ${values.workers}`)
  process.exit(2)
}

const report = await Effect.runPromise(
  Effect.scoped(
    crashRun({ rounds, workers, seed: values.seed, mostAnswers: 400, onRound: (line) => console.log(line) })
  )
)
for (const problem of report.problems) console.log(`FAIL ${problem}`)
const { abandoned, differences, doubled, finished, leftOpen, missing, requests, streams, workersKilled } = report
console.log(
  `${rounds} kills${workersKilled === 0 ? "" : ` and ${workersKilled} of single workers`}, ${requests} requests (${streams} of them streams), ${finished} finished, ${abandoned} closed by the restart: ` +
    `${missing} finished answers missing, ${doubled} doubled, ${leftOpen} reservations left open, ${differences} differences in the books`
)
process.exitCode = report.problems.length === 0 ? 0 : 1
