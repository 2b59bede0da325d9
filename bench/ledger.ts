/**
 * What the ledger costs: a reservation and a settlement for each request, in group commits of several sizes, with `synchronous` full
 * and normal, beside the floor: the same rows by the same prepared statements with nothing around them. Each run has a process and
 * a store of its own. Then the sums of a ledger in Postgres that has a year's rows.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { machine, say } from "./Bench.ts"
import { type Figures, ratios, rounded, spreads, table } from "./Figures.ts"
import { ledgerOnPostgres } from "./ledgerPostgres.ts"
import type { Result, Run } from "./ledgerRun.ts"
import { othersOptions } from "./Options.ts"

const GROUPS = [1, 8, 32, 128]
const CPU = "CPU, µs/request"

const { values } = parseArgs({
  options: {
    ...othersOptions,
    rounds: { type: "string", default: "3" },
    requests: { type: "string", default: "20000" },
    keys: { type: "string", default: "100" },
    folder: { type: "string", default: tmpdir() },
    rate: { type: "string" },
    rows: { type: "string", default: "1000000" },
    answers: { type: "string", default: "200" },
    help: { type: "boolean", default: false }
  }
})
if (values.help) {
  console.log(`--rounds N      runs of each kind (3)
--requests N    requests of a run (20000); a tenth of it where each has its own commits
--keys N        keys that take turns, each with a budget (100)
--rate N        so many requests a second in place of so many at a time, beside no floor: what a commit for few of them costs
--answers MS    how long the answers of these take (200)
--rows N        rows of the ledger in Postgres (1000000); 0: without that part
--folder DIR    where the stores are made (the system's temporary folder)`)
  process.exit(0)
}
const rounds = Number(values.rounds)
const requests = Number(values.requests)
const keys = Number(values.keys)

const folder = mkdtempSync(join(values.folder, "gateway-ledger-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

let stores = 0
const measure = (run: Omit<Run, "filename">): Figures => {
  const filename = join(folder, `${stores++}.db`)
  const script = join(import.meta.dirname, "ledgerRun.ts")
  const argument = JSON.stringify({ ...run, filename } satisfies Run)
  const output = execFileSync(process.execPath, ["--conditions=model-gateway-source", script, argument], {
    encoding: "utf8"
  })
  for (const suffix of ["", "-wal", "-shm"]) rmSync(filename + suffix, { force: true })
  const { commits, cpuUs, elapsedMs } = JSON.parse(output) as Result
  return {
    [CPU]: rounded(cpuUs / run.requests, 1),
    "requests/s": rounded(run.requests / (elapsedMs / 1000), 0),
    "commits/s": rounded(commits / (elapsedMs / 1000), 0),
    "requests/commit": rounded(run.requests / commits, 2)
  }
}

const measured: Record<string, unknown> = {}
if (values.rate !== undefined) {
  const pace = { rate: Number(values.rate), answerMs: Number(values.answers) }
  const run = { kind: "product", synchronous: "full", group: 32, keys, requests, pace } as const
  const ledger = Array.from({ length: rounds }, () => measure(run))
  console.log(`\n${table(`${pace.rate} a second, answers after ${pace.answerMs} ms`, { ledger })}`)
  measured["paced"] = { ...pace, ledger: spreads(ledger) }
}
for (const synchronous of ["full", "normal"] as const) {
  for (const group of values.rate === undefined ? GROUPS : []) {
    const figures = { floor: [] as Array<Figures>, ledger: [] as Array<Figures> }
    for (let round = 0; round < rounds; round++) {
      say(`synchronous ${synchronous}, ${group} at a time, round ${round + 1} of ${rounds}`)
      const run = {
        synchronous,
        group,
        keys,
        requests: Math.ceil((group === 1 ? requests / 10 : requests) / group) * group
      }
      figures.floor.push(measure({ ...run, kind: "floor" }))
      figures.ledger.push(measure({ ...run, kind: "product" }))
    }
    const ratio = ratios(figures.ledger, figures.floor, CPU)
    console.log(`\n${table(`synchronous ${synchronous}, ${group} at a time`, figures)}`)
    console.log(`CPU per request, ledger over floor: ${ratio.median} (rounds: ${ratio.rounds.join(", ")})`)
    measured[`${synchronous} ${group}`] = { floor: spreads(figures.floor), ledger: spreads(figures.ledger), ratio }
  }
}
if (Number(values.rows) > 0) {
  const postgres = await ledgerOnPostgres(Number(values.rows), values.folder)
  if (postgres !== undefined) measured["postgres"] = postgres
}
console.log(
  `\n${JSON.stringify({ bench: "ledger", at: new Date().toISOString(), machine: machine(), rounds, requests, keys, ...measured })}`
)
