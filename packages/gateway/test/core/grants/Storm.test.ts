/** Limits of tokens over three nodes in random storms. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { storm } from "./Storm.ts"

const STORMS = 4

const calm = { rounds: 40, latencyMs: 0, isOrdered: true, isChanged: false, hasTeam: false, hasOutages: false }

describe("what three nodes admit at once is within the limit, and all of it is of use", () => {
  for (const [name, world] of [
    ["while nothing takes time", calm],
    ["while messages take time", { ...calm, latencyMs: 40 }],
    ["while calls overtake answers", { ...calm, latencyMs: 40, isOrdered: false }],
    ["while an administrator changes the limit", { ...calm, latencyMs: 40, isChanged: true }],
    ["where two keys have a team", { ...calm, latencyMs: 40, isOrdered: false, hasTeam: true }],
    ["also when nobody could ask for a while", { ...calm, latencyMs: 40, hasOutages: true }]
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        let admitted = 0
        for (let seed = 0; seed < STORMS; seed++) admitted += yield* storm({ ...world, seed })
        assert.isAbove(admitted, 10 * STORMS)
      })
    )
  }
})
