/**
 * A gateway under mixed load for a while: plain calls, streams, faults of the provider, callers that hang up or don't read, bad
 * requests, administration.
 *
 * Exit code 1 when what is in use grows by more than 0.5 MB a minute in the second third, when it takes more than 450 MB or gives back less
 * than all but 50 MB of what the load took, when sockets or fibers stay behind, or when the ledger does not hold every answer that was
 * seen to its end.
 */
import { Effect } from "effect"
import { soakRun } from "../packages/gateway/test/acceptance/soak/Run.ts"
import { commandLine, refuse } from "./CommandLine.ts"

const help = `A gateway under mixed load for a while: whether it grows, gives back what the load took, and has every answer on its books.

npm run soak -- [--minutes N] [--rate N] [--seed N]

--minutes N  so long (10)
--rate N     requests a second (300)
--seed N     which requests follow which (1)`

const values = commandLine(help, {
  minutes: { type: "string", default: "10" },
  rate: { type: "string", default: "300" },
  seed: { type: "string", default: "1" }
})
const number = (name: keyof typeof values): number => {
  const value = Number(values[name])
  return value > 0 ? value : refuse(`--${name} must be a number above 0, not ${values[name]}`)
}
const seconds = number("minutes") * 60
const rate = number("rate")
/** Before that, what the last minute holds and what V8 compiled is still growing. */
const SETTLED_MINUTES = 2
const isLong = seconds / 3 >= SETTLED_MINUTES * 60

const report = await Effect.runPromise(
  Effect.scoped(
    soakRun({
      seconds,
      rate,
      seed: number("seed"),
      mostRss: 450,
      mostGrowth: isLong ? 0.5 : Infinity,
      mostKept: 50,
      say: (line) => console.log(line)
    })
  )
)
for (const line of report.lines) console.log(line)
if (!isLong) console.log(`growth is not judged in less than ${3 * SETTLED_MINUTES} minutes`)
for (const problem of report.problems) console.log(`FAIL ${problem}`)
console.log(
  `RSS ${report.kept.before.toFixed(0)} MB before the load, ${report.kept.after.toFixed(0)} when it was over for a while`
)
console.log(
  `${report.requests} requests, ${report.finished} answers seen to their end, RSS ${report.mostRss.toFixed(0)} MB at most, ${report.growth.toFixed(2)} MB more in use a minute: ` +
    (report.problems.length === 0 ? "steady, and all of it on the books" : `${report.problems.length} problems`)
)
process.exitCode = report.problems.length === 0 ? 0 : 1
