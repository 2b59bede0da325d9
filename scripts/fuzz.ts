/**
 * Sends damaged requests to a gateway in a process of its own, before a provider that answers garbage, and checks what is promised of
 * every answer.
 *
 * Exit code 1 when anything is not as promised.
 */
import { Effect } from "effect"
import { type FuzzReport, fuzzRun } from "../packages/gateway/test/acceptance/fuzz/FuzzRun.ts"
import { commandLine, whole } from "./CommandLine.ts"

const help = `Sends damaged requests to a gateway before a provider that answers garbage, and checks what is promised of every answer.

npm run fuzz -- [--count N] [--seed N] [--only N]

--count N  so many requests (10000)
--seed N   the requests of a seed are always the same bytes (1)
--only N   sends that one again, and shows it with its answer`

const values = commandLine(help, {
  count: { type: "string", default: "10000" },
  seed: { type: "string", default: "1" },
  only: { type: "string" }
})
const count = whole("count", values.count, 0)
const seed = whole("seed", values.seed, 0)

const shown = (bytes: Uint8Array): string => {
  const text = JSON.stringify(Buffer.from(bytes).toString("latin1"))
  return text.length <= 2_000 ? text : `${text.slice(0, 2_000)}… (${bytes.length} bytes)`
}

const table = ({ outcomes }: FuzzReport): string => {
  const columns = [...new Set([...outcomes.values()].flatMap((row) => [...row.keys()]))].sort()
  const rows = [...outcomes].map(([kind, row]) => [kind, ...columns.map((column) => String(row.get(column) ?? "."))])
  return [["damage", ...columns], ...rows]
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(11) : cell.padStart(7))).join(""))
    .join("\n")
}

const began = performance.now()
const report = await Effect.runPromise(
  Effect.scoped(
    fuzzRun({
      count,
      seed,
      onProgress: (done) => console.log(`${done} of ${count}, ${Math.round((performance.now() - began) / 1000)} s`),
      ...(values.only === undefined
        ? {}
        : {
            only: whole("only", values.only, 0),
            onOutcome: ({ end, pieces }, { answers, ended, rest, took }) => {
              for (const piece of pieces) console.log(`> ${shown(piece)}`)
              if (end) console.log("> (hangs up)")
              for (const { body, headers, status } of answers)
                console.log(`< ${status} ${JSON.stringify([...headers])}\n< ${body.slice(0, 2_000)}`)
              console.log(`< ${rest.slice(0, 500)}(${ended} after ${Math.round(took)} ms)`)
            }
          })
    })
  )
)
console.log(table(report))
for (const text of report.violations) console.log(`FAIL ${text}`)
const { healthChecks, held, ledgerRows, peakMemory, slowestHealth, violations } = report
console.log(
  `seed ${seed}: ${healthChecks} health checks beside it, the slowest ${Math.round(slowestHealth)} ms; event loop held over 100 ms ` +
    `${held.length} times${held.length === 0 ? "" : ` (at most ${Math.max(...held)} ms)`}; ` +
    `at most ${peakMemory} MiB; ${ledgerRows} rows in the ledger: ` +
    (violations.length === 0
      ? "all as promised"
      : `${violations.length} violations; replay one with --seed ${seed} --only NUMBER`)
)
process.exitCode = violations.length === 0 ? 0 : 1
