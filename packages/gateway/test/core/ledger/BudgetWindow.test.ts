import { assert, describe, it } from "@effect/vitest"
import { spanAt } from "../../../src/core/ledger/BudgetWindow.ts"
import { budget, DAY, HOUR, seeded } from "../call/Support.ts"

const at = (text: string): number => Date.parse(text)

const span = (window: Parameters<typeof budget>[1], timeZone: string, now: string) => {
  const { end, start } = spanAt(budget(1, window, timeZone), at(now))
  return [new Date(start).toISOString(), new Date(end).toISOString()]
}

/** Zones whose clocks change at midnight, by half an hour, twice around a fast, or that have an offset of 45 minutes. */
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/Santiago",
  "America/Havana",
  "Africa/Cairo",
  "Asia/Beirut",
  "Africa/Casablanca"
]

describe("spanAt", () => {
  it("begins weeks on Monday in the budget's time zone", () => {
    const week = span("week", "Europe/Berlin", "2026-03-01T22:59:59Z")
    assert.deepStrictEqual(week, ["2026-02-22T23:00:00.000Z", "2026-03-01T23:00:00.000Z"])
    // An hour later it is Monday in Berlin.
    const next = span("week", "Europe/Berlin", "2026-03-01T23:00:00Z")
    assert.deepStrictEqual(next, ["2026-03-01T23:00:00.000Z", "2026-03-08T23:00:00.000Z"])
  })

  it("has a day of 23 hours in spring and one of 25 in autumn", () => {
    const spring = span("day", "Europe/Berlin", "2026-03-29T12:00:00Z")
    assert.deepStrictEqual(spring, ["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"])
    const autumn = span("day", "Europe/Berlin", "2026-10-25T12:00:00Z")
    assert.deepStrictEqual(autumn, ["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"])
  })

  it("ends a day that began at one o'clock at midnight", () => {
    // Chile skips the hour after midnight on 6 September.
    const day = span("day", "America/Santiago", "2026-09-06T12:00:00Z")
    assert.deepStrictEqual(day, ["2026-09-06T04:00:00.000Z", "2026-09-07T03:00:00.000Z"])
  })

  it("tells the two hours from two to three apart when the clock goes back", () => {
    const first = span("hour", "Europe/Berlin", "2026-10-25T00:30:00Z")
    assert.deepStrictEqual(first, ["2026-10-25T00:00:00.000Z", "2026-10-25T01:00:00.000Z"])
    const second = span("hour", "Europe/Berlin", "2026-10-25T01:30:00Z")
    assert.deepStrictEqual(second, ["2026-10-25T01:00:00.000Z", "2026-10-25T02:00:00.000Z"])
  })

  it("follows months of different lengths", () => {
    const february = span("month", "America/New_York", "2028-02-29T23:00:00Z")
    assert.deepStrictEqual(february, ["2028-02-01T05:00:00.000Z", "2028-03-01T05:00:00.000Z"])
  })

  it("never ends a total", () => {
    assert.deepStrictEqual(spanAt(budget(1, "total"), at("2026-03-01T00:00:00Z")), { start: 0, end: Infinity })
  })

  it("holds every moment in exactly one window, in any zone, also where clocks change", () => {
    const chance = seeded(1)
    // The changes of these zones in 2026, and a year around them.
    const changes = "02-15 03-08 03-22 03-29 04-04 04-05 04-24 09-06 10-03 10-04 10-24 10-25 10-29 10-30 11-01"
    const moments = changes
      .split(" ")
      .flatMap((day) =>
        Array.from({ length: 8 }, () => at(`2026-${day}T00:00:00Z`) + (chance.next() * 1.6 - 0.3) * DAY)
      )
      .concat(Array.from({ length: 40 }, () => at("2026-01-01T00:00:00Z") + chance.next() * 365 * DAY))
      .map(Math.floor)
    const wrong: Array<string> = []
    for (const zone of zones) {
      for (const window of ["hour", "day", "week", "month"] as const) {
        for (const moment of moments) {
          const own = budget(1, window, zone)
          const { end, start } = spanAt(own, moment)
          const next = spanAt(own, end)
          const isHeld = start <= moment && moment < end
          const isTiled = next.start === end && spanAt(own, end - 1).start === start && spanAt(own, start).end === end
          const isLong = window === "hour" ? end - start <= HOUR : end - start >= 23 * HOUR
          if (!isHeld || !isTiled || !isLong) wrong.push(`${zone} ${window} ${new Date(moment).toISOString()}`)
        }
      }
    }
    assert.deepStrictEqual(wrong, [])
  })
})
