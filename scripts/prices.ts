/**
 * Prices that no list has, with their sources; and whether the gateway books what was billed.
 *
 *   npm run prices -- [--check]
 *
 * `--check` compares with what the recorded traffic was billed, where it says so (OpenRouter). The recordings are looked for in
 * `../shared/data` beside the repository, or where GATEWAY_DATA points. Exit code 1 where a difference has no known reason.
 */
import { parseArgs } from "node:util"
import { unitPrices } from "../packages/gateway/src/providers/prices/UnitPrices.ts"
import { billedExchanges, isOff, TOLERANCE } from "../packages/gateway/test/conformance/Billed.ts"
import { dataFolder, hasData } from "../packages/gateway/test/support/Transcripts.ts"

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } })

const columns = (...cells: ReadonlyArray<readonly [text: string, width: number]>): string =>
  cells
    .map(([text, width]) => (width < 0 ? text.padStart(-width) : text.padEnd(width)))
    .join("  ")
    .trimEnd()

console.log(columns(["VENDOR", 8], ["MODEL", 28], ["USD", -9], ["PER", 20], ["READ", 10], ["SOURCE", 0]))
for (const { model, per, source, usd, vendor } of unitPrices) {
  console.log(columns([vendor, 8], [model, 28], [String(usd), -9], [per, 20], [source.read, 10], [source.url, 0]))
}

if (values.check) {
  if (!hasData) {
    console.error(`there are no recordings in ${dataFolder}; set GATEWAY_DATA to the folder that has \`transcripts\``)
    process.exit(2)
  }
  const all = billedExchanges(Date.now())
  console.log(
    `\n${columns(["", 1], ["MODEL", 34], ["BILLED", -12], ["BOOKED", -12], ["DIFFERENCE", -10], ["BECAUSE", 0])}`
  )
  for (const one of all) {
    const { because, billed, booked, model } = one
    const known = booked !== undefined && !Number.isNaN(booked)
    const off = known && billed > 0 ? `${((100 * (booked - billed)) / billed).toFixed(1)} %` : ""
    console.log(
      columns(
        [isOff(one) ? (because === undefined ? "✗" : "·") : "✓", 1],
        [model, 34],
        [billed.toFixed(9), -12],
        [known ? booked.toFixed(9) : "unknown", -12],
        [isOff(one) ? off : "", -10],
        [isOff(one) ? (because ?? "nobody knows") : "", 0]
      )
    )
  }
  const off = all.filter(isOff)
  const unexplained = off.filter(({ because }) => because === undefined)
  console.log(
    `${all.length} exchanges say what they were billed: ${all.length - off.length} within ${100 * TOLERANCE} %, ${off.length - unexplained.length} differ for a known reason, ${unexplained.length} for none`
  )
  process.exitCode = unexplained.length > 0 ? 1 : 0
}
