import { assert, describe, it } from "@effect/vitest"
import { deploymentTable } from "../../src/output/DeploymentView.ts"
import { keyDetails, keyTable, type ShownKey } from "../../src/output/KeyView.ts"
import { budgetInShort, budgetLines, limitsInWords } from "../../src/output/LimitsView.ts"

const budget = {
  usd: 10,
  window: "day",
  time_zone: "Europe/Berlin",
  spent_usd: 1.5,
  reserved_usd: 0.25,
  remaining_usd: 8.25,
  resets_at: "2026-10-02T22:00:00Z"
}

const key: ShownKey = {
  id: "key_abcdefghijkl",
  name: "my app",
  team: null,
  models: [],
  limits: { rpm: 60 },
  budgets: [budget],
  status: "active",
  on_unknown_price: "deny",
  unknown_fields: "remove",
  allow_from: [],
  owner: null,
  require: { region: ["eu"], zdr: true },
  created_at: "2026-10-01T08:00:00Z",
  expires_at: null,
  revoked_at: null,
  last_used_at: "2026-10-02T09:30:00Z",
  tags: ["prod"]
}

describe("limits and budgets", () => {
  it("are sentences", () => {
    assert.strictEqual(
      limitsInWords({ rpm: 60, tpm: 100_000, max_parallel: 4 }),
      "60 requests a minute, 100,000 tokens a minute, 4 at a time"
    )
    assert.strictEqual(limitsInWords({ rpm: null }), "none")
    assert.deepStrictEqual(budgetLines([budget]), [
      "$10.00 a day (Europe/Berlin): $1.50 spent, $0.25 reserved by requests in flight, $8.25 left, resets 2026-10-02 22:00"
    ])
    const total = { ...budget, window: "total", time_zone: "UTC", reserved_usd: 0, resets_at: null }
    assert.deepStrictEqual(budgetLines([total]), ["$10.00 in all: $1.50 spent, $8.25 left"])
  })

  it("show the tightest budget in short, and how many more there are", () => {
    const hourly = { ...budget, usd: 1, window: "hour", remaining_usd: 0.5, spent_usd: 0.5 }
    assert.strictEqual(budgetInShort([budget, hourly]), "$0.50 of $1.00 an hour +1")
    assert.strictEqual(budgetInShort([]), "-")
  })
})

describe("keys", () => {
  it("are a line each", () => {
    assert.strictEqual(
      keyTable([key]),
      [
        "ID                NAME    TEAM  STATUS  BUDGET                 LAST USED (UTC)",
        "key_abcdefghijkl  my app  -     active  $1.50 of $10.00 a day  2026-10-02 09:30"
      ].join("\n")
    )
  })

  it("have details", () => {
    const text = keyDetails({ ...key, name: "evil\u001b[2J", expires_at: "2027-01-01T00:00:00Z" })
    assert.include(text, "models     all\n")
    assert.include(text, "limits     60 requests a minute\n")
    assert.include(text, "expires    2027-01-01 00:00 UTC\n")
    assert.notInclude(text, "\u001b")
  })
})

describe("deployments", () => {
  it("show how they are doing", () => {
    const health = {
      circuit: "half_open",
      error_rate: 0.025,
      latency_ms_p50: 1250,
      ttft_ms_p50: null,
      last_error: { at: "2026-10-01T12:30:00Z", class: "unavailable" }
    }
    const row = {
      id: "openai/gpt-5",
      status: "out_of_rotation",
      buckets: ["simple", "hard"],
      in_flight: 3,
      failure_rate_15m: 0.025,
      keys: [],
      health
    }
    const well = { ...row, status: "in_rotation", health: { ...health, circuit: "closed", last_error: null } }
    assert.strictEqual(
      deploymentTable([row, well]),
      [
        "ID            STATUS    CIRCUIT    FAILED, 15 MIN  LATENCY  1ST TOKEN  LAST ERROR                         IN FLIGHT  BUCKETS",
        "openai/gpt-5  disabled  half open           2.5 %    1.3 s          -  unavailable, 2026-10-01 12:30 UTC          3  simple, hard",
        "openai/gpt-5  enabled   closed              2.5 %    1.3 s          -  -                                          3  simple, hard"
      ].join("\n")
    )
    const [ready, refused] = [
      { index: 0, state: "ready", until: null },
      { index: 1, state: "out_of_credit", until: "2027-01-01T00:00:00.000Z" }
    ]
    assert.strictEqual(
      deploymentTable([
        { ...row, id: "a", keys: [ready, refused] },
        { ...row, id: "b", keys: [ready] },
        { ...row, id: "c", keys: [{ ...refused, index: 0 }] }
      ])
        .split("\n")
        .slice(4)
        .join("\n"),
      [
        "a: api_key[0] ready, api_key[1] out of credit until 2027-01-01T00:00:00.000Z",
        "c: api_key[0] out of credit until 2027-01-01T00:00:00.000Z"
      ].join("\n")
    )
  })
})
