import { assert, describe, it } from "@effect/vitest"
import { slices } from "../../src/storage/records/SpendSlices.ts"
import { HOUR } from "./Support.ts"

const day = Date.UTC(2026, 2, 1)
const hours = (from: number, to: number, zone: string, groupBy: Parameters<typeof slices>[3]) =>
  [...slices(from, to, zone, groupBy)].map(({ from, source, to }) => [source, (from - day) / HOUR, (to - day) / HOUR])

describe("slices", () => {
  it("reads whole hours from the rollups, several at once, and the ends from the rows", () => {
    assert.deepStrictEqual(hours(day + HOUR / 2, day + 8.25 * HOUR, "UTC", []), [
      ["booked", 0.5, 1],
      ["rollup", 1, 7],
      ["rollup", 7, 8],
      ["booked", 8, 8.25]
    ])
  })

  it("does not reach over the end of a local day", () => {
    assert.deepStrictEqual(hours(day + 20 * HOUR, day + 26 * HOUR, "Europe/Berlin", ["day"]), [
      ["rollup", 20, 23],
      ["rollup", 23, 26]
    ])
    assert.deepStrictEqual(hours(day + 17 * HOUR, day + 20 * HOUR, "Asia/Kolkata", ["day"]), [
      ["rollup", 17, 18],
      ["booked", 18, 18.5],
      ["booked", 18.5, 19],
      ["rollup", 19, 20]
    ])
  })

  it("a range within one hour is one read", () => {
    assert.deepStrictEqual(hours(day + 1, day + HOUR - 1, "UTC", ["hour"]), [["booked", 1 / HOUR, 1 - 1 / HOUR]])
    assert.deepStrictEqual(hours(day, day, "UTC", []), [])
  })
})
