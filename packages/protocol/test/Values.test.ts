import { assert, describe, it } from "@effect/vitest"
import {
  BudgetsInput,
  BudgetUsd,
  EndUserSource,
  EndUserSourceInput,
  MAX_BUDGET_USD,
  ModelPattern,
  Name,
  Tag,
  TeamName,
  TimeOrDay,
  TimestampInput,
  TimeZone
} from "@model-gateway/protocol"
import { Schema } from "effect"

const assertAccepts = (
  schema: Schema.Codec<unknown, unknown>,
  good: ReadonlyArray<unknown>,
  bad: ReadonlyArray<unknown>
) => {
  const is = Schema.is(schema)
  for (const value of good) assert.isTrue(is(value), `${JSON.stringify(value)} is good`)
  for (const value of bad) assert.isFalse(is(value), `${JSON.stringify(value)} is bad`)
}

describe("what callers may write", () => {
  it("a key reads its end user somewhere; one that was stored without a source can still be shown", () => {
    assertAccepts(EndUserSourceInput, [{}, { from: ["field"] }], [{ from: [] }, { from: ["field", "field"] }])
    assertAccepts(EndUserSource, [{ from: [] }], [{ from: ["field", "field"] }])
  })

  it("a budget is above nothing, bounded, and no finer than a nano-USD", () => {
    assertAccepts(
      BudgetUsd,
      [1e-9, 0.1, 0.3, 12.000000001, 8_999_999.5, MAX_BUDGET_USD],
      [0, -1, 1e-10, 0.1234567891, MAX_BUDGET_USD + 1, Number.NaN, Number.POSITIVE_INFINITY, "5"]
    )
  })

  it("budgets have windows that differ", () => {
    assertAccepts(
      BudgetsInput,
      [
        [],
        [
          { usd: 1, window: "day" },
          { usd: 2, window: "day", time_zone: "Europe/Berlin" }
        ],
        [{ usd: 1 }, { usd: 1, window: "hour" }]
      ],
      [
        [
          { usd: 1, window: "day" },
          { usd: 2, window: "day", time_zone: "UTC" }
        ],
        [
          { usd: 1, time_zone: "UTC" },
          { usd: 2, window: "total", time_zone: "Europe/Berlin" }
        ],
        [
          { usd: 1, window: "day", time_zone: "Europe/Berlin" },
          { usd: 2, window: "day", time_zone: "europe/berlin" }
        ],
        Array.from({ length: 17 }, () => ({ usd: 1 }))
      ]
    )
  })

  it("times have an offset, and are in the calendar", () => {
    assertAccepts(
      TimestampInput,
      ["2026-11-21T12:00:00Z", "2026-11-21T12:00:00.123456Z", "2028-02-29T23:59:59+05:30"],
      ["2026-11-21", "2026-11-21T12:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "now", "", "1764000000"]
    )
    assertAccepts(TimeOrDay, ["2026-11-21", "2026-11-21T12:00:00Z"], ["2026-02-30", "2026-11", "21.11.2026"])
  })

  it("time zones are IANA's", () => {
    assertAccepts(
      TimeZone,
      ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"],
      ["+02:00", "Mars/X", "", " UTC"]
    )
  })

  it("names are short and printable", () => {
    assertAccepts(
      Name,
      ["a", "ein Schlüssel", "😀", "x".repeat(200)],
      ["", " a", "a ", "a\u0000", "a\nb", "x".repeat(201), "\ud800"]
    )
    assertAccepts(TeamName, ["a", "R.D @ 5", "größe", "a:b"], ["", "a/b", "a?b", "-a", "a ", "a,b", "x".repeat(101)])
    assertAccepts(Tag, ["a", "team:x/y"], ["", "a,b", "a b", "ü", "x".repeat(65)])
    assertAccepts(ModelPattern, ["auto", "openai/*", "gpt-5-mini"], ["", "a b", "a\tb", "x".repeat(201)])
  })
})
