/**
 * Everything a provider can do wrong, done to a gateway: what a client saw, what it cost and whether that is what is promised.
 *
 * Each fault is met plain, streamed, and streamed but held until it is whole, with another deployment that could answer and without.
 * Exit code 1 when anything is wrong.
 */
import { Effect } from "effect"
import { faults } from "../packages/gateway/test/faults/Faults.ts"
import { faultsRun, type Result } from "../packages/gateway/test/faults/FaultsRun.ts"
import { commandLine, refuse, whole } from "./CommandLine.ts"

const help = `Does to a gateway everything a provider can do wrong: what a client saw, what it cost, and whether that is what is promised.

npm run faults -- [--only TEXT] [--concurrency N]

--only TEXT      the faults whose names have this text
--concurrency N  so many cases at once (12)`

const values = commandLine(help, {
  only: { type: "string", default: "" },
  concurrency: { type: "string", default: "12" }
})
const concurrency = whole("concurrency", values.concurrency, 1)
const chosen = faults.filter(({ name }) => name.includes(values.only))
if (chosen.length === 0)
  refuse(`no fault is called ${values.only}; there are: ${faults.map(({ name }) => name).join("; ")}`)

const sawOf = ({ seen }: Result): string => {
  if (seen.strange !== undefined) return seen.strange
  const { error } = seen
  const words = error === undefined ? "" : `${error.status ?? "error event"} ${error.code}`
  const text = seen.text.length > 24 ? `${seen.text.slice(0, 21)}…` : seen.text
  return [text === "" ? "" : JSON.stringify(text), words].filter((part) => part !== "").join(", ")
}

const columns = [31, 10, 7, 7, 50, 10, 8, 8] as const
const line = (...cells: ReadonlyArray<string>): string =>
  cells
    .map((cell, index) => cell.padEnd(columns[index] ?? 0))
    .join(" ")
    .trimEnd()

const began = performance.now()
const results = await Effect.runPromise(Effect.scoped(faultsRun({ faults: chosen, concurrency })))
console.log(line("FAULT", "SHAPE", "MODE", "SPARE", "THE CLIENT SAW", "COST USD", "RETRIES", "MS", "RIGHT"))
for (const result of results) {
  const { cost, fault, mode, ms, problems, seen, shape = "chat", spared } = result
  const retries = seen.retries === undefined ? "-" : String(seen.retries)
  const usd = (cost / 1e9).toFixed(6)
  const verdict = problems.length === 0 ? "yes" : "NO"
  console.log(line(fault.name, shape, mode, spared ? "yes" : "no", sawOf(result), usd, retries, ms.toFixed(0), verdict))
  for (const problem of problems) console.log(`  FAIL ${problem}`)
}
const wrong = results.filter(({ problems }) => problems.length > 0).length
const seconds = ((performance.now() - began) / 1_000).toFixed(0)
console.log(
  `${chosen.length} faults, ${results.length} cases in ${seconds} s: ` +
    (wrong === 0 ? "every outcome is right" : `${wrong} outcomes are wrong`)
)
process.exitCode = wrong === 0 ? 0 : 1
