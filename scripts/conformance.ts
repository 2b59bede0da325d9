/**
 * Every recorded exchange through the whole gateway: what went up, what came down, split and cut, and its response sent back with a
 * second turn through every endpoint.
 *
 *   npm run conformance -- [--only TEXT] [--verbose]
 *
 * The recordings are looked for in `../shared/data` beside the repository, or where GATEWAY_DATA points. Exit code 1 when an exchange
 * fails, or when more than 5 % are skipped.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { type Outcome, replayFamily } from "../packages/gateway/test/conformance/Conformance.ts"
import { recordedFamilies } from "../packages/gateway/test/conformance/Families.ts"
import { dataFolder, hasData } from "../packages/gateway/test/support/Transcripts.ts"

const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, verbose: { type: "boolean", default: false } }
})
if (!hasData) {
  console.error(`there are no recordings in ${dataFolder}; set GATEWAY_DATA to the folder that has \`transcripts\``)
  process.exit(2)
}
const chosen = recordedFamilies.filter(({ name }) => name.includes(values.only))
if (chosen.length === 0) {
  console.error(`no family is called ${values.only}; there are: ${recordedFamilies.map(({ name }) => name).join(", ")}`)
  process.exit(2)
}

const line = (family: string, path: string, ...counts: ReadonlyArray<string | number>): string =>
  [family.padEnd(30), path.padEnd(28), ...counts.map((count) => String(count).padStart(9))].join(" ")

console.log(line("FAMILY", "ENDPOINT", "EXCHANGES", "PASSED", "SKIPPED", "FAILED", "TURNS"))
const total = { all: 0, failed: 0, skipped: 0, turns: 0 }
for (const family of chosen) {
  const outcomes = await Effect.runPromise(replayFamily(family, Number.POSITIVE_INFINITY)).then(
    (result) => result.outcomes,
    (error: unknown): ReadonlyArray<Outcome> => [
      { exchange: "the recordings of this family", skipped: undefined, problems: [String(error)], turns: 0 }
    ]
  )
  const skipped = outcomes.filter((one) => one.skipped !== undefined)
  const failed = outcomes.filter(({ problems }) => problems.length > 0)
  const turns = outcomes.reduce((sum, one) => sum + one.turns, 0)
  const passed = outcomes.length - skipped.length - failed.length
  console.log(line(family.name, family.path, outcomes.length, passed, skipped.length, failed.length, turns))
  for (const { exchange, problems } of failed.slice(0, values.verbose ? Infinity : 3)) {
    console.log(`  ${exchange}`)
    for (const problem of problems) console.log(`    ${problem}`)
  }
  const reasons = Map.groupBy(skipped, (one) => one.skipped)
  for (const [reason, all] of reasons) console.log(`  ${all.length} skipped: ${reason}`)
  total.all += outcomes.length
  total.failed += failed.length
  total.turns += turns
  total.skipped += skipped.length
}
const share = ((100 * total.skipped) / total.all).toFixed(1)
const passed = total.all - total.failed - total.skipped
console.log(
  `${total.all} exchanges: ${passed} passed, ${total.failed} failed, ${total.skipped} skipped (${share} %); ${total.turns} second turns`
)
process.exitCode = total.failed > 0 || total.skipped > 0.05 * total.all ? 1 : 0
