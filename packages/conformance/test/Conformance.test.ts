/** Every language whose programs are here goes through all scenarios; a line says which are left out. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { allLanguages, languages, missing } from "../src/Languages.ts"
import { readScenarios } from "../src/Render.ts"
import { type Results, runSuite, startSuite, type Suite } from "../src/Suite.ts"

const present = languages().filter((language) => {
  const needs = missing(language)
  if (needs.length > 0) console.log(`SKIP conformance of ${language.name}: ${needs.join(", ")}: not there`)
  return needs.length === 0
})
for (const name of allLanguages) {
  if (!languages().some((language) => language.name === name))
    console.log(`SKIP conformance of ${name}: no conformance.json`)
}

let suite: Suite

beforeAll(async () => {
  suite = await startSuite()
}, 120_000)

afterAll(() => suite.stop())

describe.each(present)("$name", (language) => {
  let results: Results

  beforeAll(async () => {
    results = await runSuite(suite, language)
  }, 300_000)

  it.each(readScenarios().map(({ name }) => name))("%s", (name) => {
    assert.deepStrictEqual(results.get(name), [])
  })
})
