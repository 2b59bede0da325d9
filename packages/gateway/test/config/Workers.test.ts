/** `server.workers`: how many, and what is said of a number that can't be. */
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { parseSettings } from "../../src/config/ParseSettings.ts"
import { knownVendors } from "../../src/providers/vendors/Vendors.ts"

const read = (workers: string, more = "") =>
  parseSettings(
    `master_key: p2Y3Y96tNPjhr8M+ZB/oguEYIrwPxX2sQDfgVoQ5OfZl\nserver: { workers: ${workers} }\ndeployments: [demo/standard]\nproviders: { demo: {} }\n${more}`,
    { file: "gateway.yaml", vendors: knownVendors, environment: {}, readFile: () => Result.fail("there is none") }
  )

it.effect("takes a number or auto, and says what is allowed where it is neither", () =>
  Effect.sync(() => {
    for (const [written, expected] of [
      ["1", 1],
      ["64", 64],
      ["auto", "auto"]
    ] as const) {
      const settings = read(written)
      assert.isTrue(Result.isSuccess(settings), written)
      if (Result.isSuccess(settings)) assert.strictEqual(settings.success.server.workers, expected)
    }
    for (const written of ["0", "1000", "1.5", "many"]) {
      const settings = read(written)
      if (Result.isSuccess(settings)) return assert.fail(`${written} was taken`)
      assert.include(settings.failure.message, "a whole number from 1 to 64, or auto: one for each core", written)
    }
  })
)

it.effect("are refused on a store that they can't share limits of", () =>
  Effect.sync(() => {
    const settings = read("2", "store: { postgres: { url: 'postgres://gateway@db.example.com/gateway' } }\n")
    if (Result.isSuccess(settings)) return assert.fail("it was taken")
    assert.match(
      settings.failure.message,
      /gateway\.yaml:2:20 server\.workers: a store on Postgres is served by one process/
    )
  })
)
