/** Kills gateways under streaming and plain load (`kill -9`, at random moments) and checks their ledger. Exit code 1 when anything is wrong. */
import { Effect } from "effect"
import { crashRun } from "../packages/gateway/test/acceptance/CrashRun.ts"
import { commandLine, whole } from "./CommandLine.ts"
import { topologyHelp, topologyOf, topologyOptions } from "./Topology.ts"

const help = `Kills gateways under load and looks for answers that a client saw finished and the ledger lacks, or has twice, for
reservations that stay open, for budgets that were billed more than they have, and for books that disagree.

npm run crash -- [--rounds N] [--seed TEXT] [--cache] [--nodes N [--engines N] [--standby]]

--rounds N    so many gateways are killed (50)
--seed TEXT   the moments of a seed are always the same; what is under way then is up to the machine (crash)
--cache       the response cache is on and requests come again: no hit may be cut or another request's, nor counted twice
${topologyHelp}
--engines N   so often Postgres is killed, too, and starts again (a tenth of the gateways)
--standby     instead, an asynchronous standby takes its place, which lacks what was committed last.`

const values = commandLine(help, {
  ...topologyOptions,
  rounds: { type: "string", default: "50" },
  seed: { type: "string", default: "crash" },
  cache: { type: "boolean", default: false },
  engines: { type: "string" },
  standby: { type: "boolean", default: false }
})
const rounds = whole("rounds", values.rounds, 1)
const topology = await topologyOf(values)

const report = await Effect.runPromise(
  Effect.scoped(
    crashRun({
      rounds,
      topology,
      seed: values.seed,
      isCached: values.cache,
      mostAnswers: 400,
      onRound: (line) => console.log(line)
    })
  )
)
for (const problem of report.problems) console.log(`FAIL ${problem}`)
const {
  abandoned,
  budgets,
  differences,
  doubled,
  finished,
  hits,
  killed,
  leftOpen,
  missing,
  overspent,
  requests,
  streams,
  unbooked,
  uncounted
} = report
const kills = Array.from(killed, ([kind, count]) => `${count} × ${kind}`).join(", ")
console.log(
  `killed: ${kills}; ${requests} requests (${streams} of them streams), ${finished} finished, ${abandoned} closed by others, ` +
    `never longer than ${(report.longestPauseMs / 1000).toFixed(1)} s without an answer`
)
if (values.cache) console.log(`${hits} hits, ${uncounted} of them not in the ledger`)
console.log(
  `${missing} finished answers missing, ${doubled} doubled, ${unbooked} charged and not booked, ${leftOpen} reservations left open, ` +
    `${overspent} of ${budgets} budgets overspent (${Math.round(report.usedShare * 100)} % of them used), ${differences} differences in the books`
)
process.exitCode = report.problems.length === 0 ? 0 : 1
