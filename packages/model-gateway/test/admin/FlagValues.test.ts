import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { parseBudget, parseLimit, parseList, parseSpan, parseTime, parseUsd } from "../../src/admin/FlagValues.ts"

const values = <A>(parse: (text: string) => Option.Option<A>, texts: ReadonlyArray<string>) =>
  texts.map((text) => Option.getOrUndefined(parse(text)))

const assertNone = <A>(parse: (text: string) => Option.Option<A>, texts: ReadonlyArray<string>) => {
  for (const text of texts) assert.isTrue(Option.isNone(parse(text)), text)
}

describe("arguments", () => {
  it("spans are seconds", () => {
    assert.deepStrictEqual(
      values(parseSpan, ["90s", "30m", "12h", "30d", "2w"]),
      [90, 1800, 43_200, 2_592_000, 1_209_600]
    )
    assertNone(parseSpan, ["", "30", "d", "1.5d", "-1d", "1y", "30 d"])
  })

  it("times are RFC 3339 in UTC, a day is its begin", () => {
    assert.deepStrictEqual(values(parseTime, ["2026-12-31", "2026-12-31T18:00Z", "2026-12-31T18:00:30.5+02:00"]), [
      "2026-12-31T00:00:00.000Z",
      "2026-12-31T18:00:00.000Z",
      "2026-12-31T16:00:30.500Z"
    ])
    // Without a zone it would mean another time on every machine.
    assertNone(parseTime, ["2026-12-31T18:00", "31.12.2026", "2026-13-01", "2026-02-30", "tomorrow", "2026"])
  })

  it("budgets are an amount, a window and perhaps a time zone", () => {
    assert.deepStrictEqual(
      values(parseBudget, ["10/day", "2.50/month@Europe/Berlin", "500/total", "1/week@Etc/GMT+1"]),
      [
        { usd: 10, window: "day" },
        { usd: 2.5, window: "month", time_zone: "Europe/Berlin" },
        { usd: 500, window: "total" },
        { usd: 1, window: "week", time_zone: "Etc/GMT+1" }
      ]
    )
    assertNone(parseBudget, ["10", "10/year", "/day", "0/day", "-1/day", "10/day@", "$10/day", "1e3/day", "10/Day"])
  })

  it("amounts are plain decimals above 0", () => {
    assert.deepStrictEqual(values(parseUsd, ["10", "2.50", "0.000001"]), [10, 2.5, 0.000001])
    assertNone(parseUsd, ["0", "-1", "1e3", ".5", "$1", "1,000", ""])
  })

  it("limits are whole numbers above 0, or none", () => {
    assert.deepStrictEqual(values(parseLimit, ["60", "none"]), [60, null])
    assertNone(parseLimit, ["0", "-1", "1.5", "1e3", "unlimited"])
  })

  it("lists go by commas", () => {
    assert.deepStrictEqual(parseList(" gpt-5, openai/* ,,"), ["gpt-5", "openai/*"])
    assert.deepStrictEqual(parseList(""), [])
  })
})
