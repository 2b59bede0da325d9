/**
 * What metrics, logs and traces cost a request, in CPU.
 *
 *   npm run bench:telemetry -- [--receipts N]
 *
 * Exit code 1 when what is on by default costs more than 2 µs.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { DEFAULT, measureCosts } from "../packages/gateway/test/telemetry/Cost.ts"

const MOST_MICROS = 2

const { values } = parseArgs({ options: { receipts: { type: "string", default: "1000000" } }, strict: false })
const receipts = Number(values["receipts"])
if (!Number.isInteger(receipts) || receipts < 1) {
  console.error(`--receipts must be a whole number of at least 1, not ${values["receipts"]}`)
  process.exit(2)
}

console.log(`${receipts} finished requests each, CPU per request above telling nobody:`)
const costs = await Effect.runPromise(Effect.scoped(measureCosts(receipts)))
for (const { micros, name } of costs) console.log(`  ${micros.toFixed(2).padStart(6)} µs  ${name}`)
const usual = costs.find(({ name }) => name === DEFAULT)!.micros
const isFine = usual <= MOST_MICROS
console.log(`${isFine ? "ok" : "FAIL"}: ${usual.toFixed(2)} µs by default, at most ${MOST_MICROS} are promised`)
process.exitCode = isFine ? 0 : 1
