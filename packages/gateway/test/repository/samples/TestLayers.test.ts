/** The samples that are tests themselves are collected here, from a file of their own, and run like any other. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, it } from "@effect/vitest"
import { samplesIn } from "./Samples.ts"

const samples = samplesIn("ts").filter(({ code }) => code.includes("@effect/vitest"))
const folder = mkdtempSync(join(import.meta.dirname, "collected-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("is shown at least once", () => assert.isAbove(samples.length, 0))

for (const [index, { code }] of samples.entries()) {
  const file = join(folder, `Sample${index}.ts`)
  writeFileSync(file, code)
  await import(file)
}
