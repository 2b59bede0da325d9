/**
 * `npm run conformance:clients`: the table scenario × language, and what failed. Every language must take part: one without a runner,
 * or without the programs that it needs, fails the run.
 */
import { allLanguages, languages, missing } from "./Languages.ts"
import { readScenarios } from "./Render.ts"
import { type Results, runSuite, startSuite } from "./Suite.ts"

const suite = await startSuite()
const columns = new Map<string, Results>()
const absent: Array<string> = []
try {
  const present = languages()
  for (const name of new Set([...allLanguages, ...present.map((language) => language.name)])) {
    const language = present.find((one) => one.name === name)
    const needs = language === undefined ? ["a conformance.json"] : missing(language)
    if (language === undefined || needs.length > 0) absent.push(`${name}: ${needs.join(", ")}: not there`)
    else columns.set(name, await runSuite(suite, language))
  }
} finally {
  await suite.stop()
}

const names = readScenarios().map(({ name }) => name)
const width = Math.max(...names.map((name) => name.length))
console.log(["scenario".padEnd(width), ...columns.keys()].join("  "))
for (const name of names) {
  const cells = [...columns].map(([column, results]) =>
    (results.get(name)?.length === 0 ? "ok" : "FAIL").padEnd(column.length)
  )
  console.log([name.padEnd(width), ...cells].join("  "))
}
const failures = [...columns].flatMap(([column, results]) =>
  [...results].flatMap(([name, problems]) => problems.map((problem) => `FAIL ${column}, ${name}: ${problem}`))
)
for (const line of [...failures, ...absent.map((line) => `MISSING ${line}`)]) console.log(line)
const all = [...columns.values()].flatMap((results) => [...results.values()])
const failed = all.filter((problems) => problems.length > 0).length + absent.length
console.log(`\n${all.length - (failed - absent.length)} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
