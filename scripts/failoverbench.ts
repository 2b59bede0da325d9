/** The scenarios of Failover Bench against the gateway: a table of verdicts. Exit code 1 where a verdict is `fail`. */
import { cpus } from "node:os"
import { Effect } from "effect"
import { baseline, failoverBench, type Judged, tuned } from "../packages/gateway/test/faults/FailoverBench.ts"
import { scenarios } from "../packages/gateway/test/faults/FailoverScenarios.ts"
import { commandLine, refuse } from "./CommandLine.ts"

const help = `The sixteen scenarios of Failover Bench (methodology 0.1) against the gateway, with the bench's baseline and tuned.

npm run failoverbench -- [--only S08]

--only ID  one scenario`

const values = commandLine(help, { only: { type: "string", default: "" } })
const chosen = scenarios.filter(({ id }) => values.only === "" || id === values.only.toUpperCase())
if (chosen.length === 0) refuse(`there is no scenario ${values.only}; there are S01 to S16`)

const setups = [baseline, tuned]
const runs = await Effect.runPromise(
  Effect.forEach(setups, (setup) => Effect.scoped(failoverBench(setup, chosen)), { concurrency: "unbounded" })
)

const cell = ({ calls, ms, notes, verdict }: Judged): string =>
  [`${verdict}, ${calls} ${calls === 1 ? "call" : "calls"}, ${(ms / 1000).toFixed(1)} s`, ...notes].join("; ")

console.log(`| scenario | ${setups.map(({ name }) => name).join(" | ")} |`)
console.log(`|---|${setups.map(() => "---").join("|")}|`)
for (const [index, { id, title }] of chosen.entries()) {
  console.log(`| ${id} ${title} | ${runs.map((run) => cell(run[index]!)).join(" | ")} |`)
}
const verdicts = ["pass", "partial", "safe", "fail"] as const
const counted = (run: ReadonlyArray<Judged>) =>
  verdicts.map((one) => `${run.filter(({ verdict }) => verdict === one).length} ${one}`).join(", ")
for (const [index, { name }] of setups.entries()) console.log(`${name}: ${counted(runs[index] ?? [])}`)
console.log(`Node ${process.versions.node}, ${cpus().length} cores, ${cpus()[0]?.model.trim() ?? "unknown processor"}`)
process.exitCode = runs.flat().some(({ verdict }) => verdict === "fail") ? 1 : 0
