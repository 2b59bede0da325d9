/** How many processes serve where the configuration says nothing, and where it does. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { parseSettings } from "../../src/config/ParseSettings.ts"
import { knownVendors } from "../../src/providers/vendors/Vendors.ts"
import { workersOf } from "../../src/workers/HowMany.ts"

const settings = (more: string, provider = "openai: { api_key: sk-none }", deployment = "openai/gpt-4.1") => {
  const text = `master_key: p2Y3Y96tNPjhr8M+ZB/oguEYIrwPxX2sQDfgVoQ5OfZl\nproviders: { ${provider} }\ndeployments: [${deployment}]\n${more}`
  const readFile = () => Result.fail("there is none")
  return Result.getOrThrow(
    parseSettings(text, { file: "gateway.yaml", vendors: knownVendors, environment: {}, readFile })
  )
}

const machine = (cores: number, gigabytes = 64) => ({ cores, memory: gigabytes * 2 ** 30 })

it("one process on few cores, one for each on more", () => {
  assert.strictEqual(workersOf(settings(""), machine(1)), 1)
  assert.strictEqual(workersOf(settings(""), machine(2)), 1)
  assert.strictEqual(workersOf(settings(""), machine(3)), 3)
  assert.strictEqual(workersOf(settings(""), machine(64, 1)), 2)
  assert.strictEqual(workersOf(settings(""), machine(64, 0.25)), 1)
})

it("one process for a trial, and for a store that workers don't share", () => {
  assert.strictEqual(workersOf(settings("", "demo: {}", "demo/standard"), machine(8)), 1)
  assert.strictEqual(workersOf(settings('store: { sqlite: ":memory:" }'), machine(8)), 1)
  assert.strictEqual(
    workersOf(settings("store: { postgres: { url: 'postgres://gateway@db/gateway' } }"), machine(8)),
    1
  )
})

it("what the configuration says, whatever the machine has", () => {
  assert.strictEqual(workersOf(settings("server: { workers: auto }"), machine(2)), 2)
  assert.strictEqual(workersOf(settings("server: { workers: 1 }"), machine(8)), 1)
  assert.strictEqual(workersOf(settings("server: { workers: 4 }"), machine(2)), 4)
})
