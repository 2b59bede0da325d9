/** What a table of LiteLLM's keys says, as keys of this gateway. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Place } from "../../src/keys/KeysAccount.ts"
import { keyColumns } from "../../src/keys/columns/KeyColumns.ts"
import { readTable } from "../../src/keys/File.ts"
import type { ReadOptions } from "../../src/keys/ReadKeys.ts"

const NOW = Date.parse("2026-11-22T12:00:00Z")
const options: ReadOptions = { timeZone: "UTC", now: NOW, allowLooser: false }
const digest = (text: string) => createHash("sha256").update(text).digest("hex")
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** A table of these columns, with a key for each row. */
const csv = (...rows: ReadonlyArray<Readonly<Record<string, string>>>): string => {
  const names = [...new Set(["token", ...rows.flatMap((row) => Object.keys(row))])]
  const lines = rows.map((row, index) =>
    names.map((name) => (name === "token" ? (row[name] ?? digest(`sk-${index}`)) : quoted(row[name] ?? ""))).join(",")
  )
  return [names.join(","), ...lines].join("\n")
}

const read = (row: Readonly<Record<string, string>>, more: Partial<ReadOptions> = {}) => {
  const table = Result.getOrThrow(readTable(csv(row), { ...options, ...more }))
  const [candidate] = table.candidates
  if (candidate === undefined) assert.fail("there is no key")
  const said = (column: string) => table.entries.filter((entry) => entry.column === column)
  return { ...candidate, entries: table.entries, said }
}

const lineOf = (at: Place) => ("line" in at ? at.line : undefined)

const problems = (text: string) => {
  const table = readTable(text, options)
  return Result.isFailure(table) ? table.failure : assert.fail("it was read")
}

describe("a row", () => {
  it("is a key with its name, team, models, limits, budget, tags and expiry", () => {
    const {
      digest: hash,
      isDisabled,
      key,
      spent
    } = read({
      key_alias: "checkout",
      key_name: "sk-...ab12",
      team_id: "4b1c",
      models: '{gpt-4o,"claude-*"}',
      rpm_limit: "60",
      tpm_limit: "100000",
      max_parallel_requests: "4",
      max_budget: "25.5",
      budget_duration: "30d",
      budget_reset_at: "2026-12-01 00:00:00",
      spend: "3.000000001",
      expires: "2027-01-01 00:00:00",
      blocked: "f",
      metadata: '{"tags":["prod","eu"],"owner":"ann"}'
    })
    assert.strictEqual(hash, digest("sk-0"))
    assert.isFalse(isDisabled)
    assert.strictEqual(spent, 3_000_000_001)
    assert.deepStrictEqual(key, {
      name: "checkout",
      team: "4b1c",
      models: ["gpt-4o", "claude-*"],
      limits: { rpm: 60, tpm: 100_000, maxParallel: 4 },
      budgets: [{ limit: 25_500_000_000, window: "month", timeZone: "UTC" }],
      tags: ["prod", "eu"],
      metadata: { owner: "ann" },
      expiresAt: Date.parse("2027-01-01T00:00:00Z")
    })
  })

  it("without values is a key without limits, named as LiteLLM shows it", () => {
    const { entries, isDisabled, key } = read({ key_name: "sk-...ab12", models: "{}", metadata: "{}", spend: "0" })
    assert.deepInclude(key, { name: "sk-...ab12", models: [], budgets: [], expiresAt: null })
    assert.isFalse(isDisabled)
    assert.deepStrictEqual(
      entries.map(({ column, outcome }) => [column, outcome]),
      [
        ["token", "carried"],
        ["key_name", "carried"]
      ]
    )
  })

  it("has a word of every cell that says something: carried, changed, left out or not needed", () => {
    const samples: Readonly<Record<string, string>> = {
      key_alias: "a",
      key_name: "sk-...x",
      models: "{m}",
      aliases: '{"a":"b"}',
      config: '{"a":1}',
      router_settings: '{"a":1}',
      permissions: '{"a":1}',
      max_parallel_requests: "1",
      rpm_limit: "1",
      tpm_limit: "1",
      tpd_limit: "1",
      max_budget: "1",
      budget_duration: "1d",
      budget_reset_at: "2027-01-01",
      budget_limits: '[{"budget_duration":"1h","max_budget":2}]',
      spend: "0.5",
      expires: "2027-01-01",
      blocked: "t",
      metadata: '{"a":1}',
      model_spend: '{"a":1}',
      model_max_budget: '{"a":1}',
      budget_fallbacks: '{"a":1}',
      allowed_cache_controls: "{no-cache}",
      allowed_routes: "{/embeddings}",
      policies: "{p}",
      access_group_ids: "{g}",
      soft_budget_cooldown: "t",
      auto_rotate: "t",
      what_a_later_version_has: "x"
    }
    const row = Object.fromEntries([...keyColumns.keys()].map((name) => [name, "2026-01-01 00:00:00"]))
    const { token: _, total_spend: __, ...rest } = row
    const { entries } = read({ ...rest, total_spend: "1", ...samples })
    for (const name of [...keyColumns.keys(), "what_a_later_version_has"]) {
      assert.isTrue(
        entries.some(({ column }) => column === name),
        name
      )
    }
    for (const { message, outcome } of entries) assert.strictEqual(message === "", outcome === "carried")
  })

  it.each([
    [{ models: "{no-default-models}" }, "models"],
    [{ models: "{all-team-models}" }, "models"],
    [{ models: '{"bad name"}' }, "models"],
    [{ budget_id: "b-1" }, "budget_id"],
    [{ model_max_budget: '{"gpt-4o":{"budget_limit":"much"}}' }, "model_max_budget"],
    [{ model_max_budget: '{"gpt-4o":{"rpm_limit":0}}' }, "model_max_budget"],
    [{ model_max_budget: '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}' }, "model_max_budget"],
    [{ budget_limits: '{"1d": 5}' }, "budget_limits"],
    [{ tpd_limit: "5" }, "tpd_limit"],
    [{ allowed_routes: "{/embeddings}" }, "allowed_routes"],
    [{ key_type: "management" }, "key_type"],
    [{ object_permission_id: "o-1" }, "object_permission_id"],
    [{ metadata: '{"model_rpm_limit":5}' }, "metadata.model_rpm_limit"],
    [{ metadata: '{"tag_rpm_limit":{"batch":5}}' }, "metadata.tag_rpm_limit"]
  ])("that could do more here (%j) is a disabled key, unless that is allowed", (row, column) => {
    const { isDisabled, isLooser, said } = read(row)
    assert.deepStrictEqual([isDisabled, isLooser], [true, true])
    assert.isTrue(said(column).some((entry) => entry.isLooser))
    assert.isFalse(read(row, { allowLooser: true }).isDisabled)
  })

  it.each([
    { rpm_limit: "0" },
    { max_parallel_requests: "0" },
    { max_budget: "0" },
    { max_budget: "1e-12" },
    { blocked: "true" }
  ])("that lets nothing through (%j) is a disabled key, whatever is allowed", (row) => {
    assert.isTrue(read(row, { allowLooser: true }).isDisabled)
  })

  it("says when a budget starts anew if LiteLLM would start it at another time", () => {
    const month = { max_budget: "10", budget_duration: "30d" }
    const [same] = read({ ...month, budget_reset_at: "2026-12-01 00:00:00" }).said("budget_reset_at")
    assert.deepInclude(same, { outcome: "carried" })
    const [later, ...others] = read({ ...month, budget_reset_at: "2026-12-15 09:00:00" }).said("budget_reset_at")
    assert.lengthOf(others, 0)
    assert.deepInclude(later, {
      outcome: "changed",
      message: "the budget starts anew at 2026-12-01T00:00:00.000Z, in LiteLLM it would at 2026-12-15T09:00:00.000Z"
    })
  })

  it("counts what was spent where a budget does, and while its window lasts", () => {
    assert.strictEqual(read({ spend: "4" }).spent, 0)
    assert.strictEqual(read({ spend: "4", max_budget: "10" }).spent, 4_000_000_000)
    const month = { spend: "4", max_budget: "10", budget_duration: "30d" }
    assert.strictEqual(read({ ...month, budget_reset_at: "2026-12-01" }).spent, 4_000_000_000)
    assert.strictEqual(read({ ...month, budget_reset_at: "2026-11-22 11:59:59" }).spent, 0)
    assert.strictEqual(read({ spend: "-4", max_budget: "10" }).spent, 0)
    assert.strictEqual(read({ spend: "1e300", max_budget: "10" }).spent, 9_000_000_000_000_000)
  })

  it("has the smaller of two budgets of one window, in LiteLLM's time zone", () => {
    const limits = '[{"budget_duration":"1d","max_budget":3},{"budget_duration":"7d","max_budget":9}]'
    const { key } = read(
      { max_budget: "5", budget_duration: "1d", budget_limits: limits },
      { timeZone: "Europe/Berlin" }
    )
    assert.deepStrictEqual(key.budgets, [
      { limit: 3_000_000_000, window: "day", timeZone: "Europe/Berlin" },
      { limit: 9_000_000_000, window: "week", timeZone: "Europe/Berlin" }
    ])
  })

  it("holds models to their budgets and limits by model rules, and stays enabled", () => {
    const { isDisabled, key, said } = read(
      {
        model_max_budget: JSON.stringify({
          "gpt-4o": { budget_limit: 5, time_period: "1d" },
          o3: { max_budget: 2.5, budget_duration: "12h", rpm_limit: 9 },
          "openai/gpt-4.1": 7
        }),
        metadata: JSON.stringify({ model_rpm_limit: { o3: 4 }, model_tpm_limit: { o3: 1000 } })
      },
      { timeZone: "Europe/Berlin" }
    )
    assert.isFalse(isDisabled)
    const limits = { rpm: undefined, tpm: undefined, maxParallel: undefined }
    assert.deepStrictEqual(key.rules?.modelRules, [
      { match: ["gpt-4o"], limits, budgets: [{ limit: 5_000_000_000, window: "day", timeZone: "Europe/Berlin" }] },
      {
        match: ["o3"],
        limits: { rpm: 4, tpm: 1000, maxParallel: undefined },
        budgets: [{ limit: 2_500_000_000, window: "day", timeZone: "Europe/Berlin" }]
      },
      { match: ["openai/gpt-4.1"], limits, budgets: [{ limit: 7_000_000_000, window: "total", timeZone: "UTC" }] }
    ])
    const messages = said("model_max_budget").map(({ message }) => message)
    assert.include(messages, "o3: there is no window of 12h: the same amount for the day")
    assert.include(messages, "gpt-4o: no configuration says what it calls; see --config")
    assert.isTrue(messages.some((message) => message.startsWith("model rules for gpt-4o, o3, openai/gpt-4.1: ")))
  })

  it("has one rule for two names of the same deployments, with the smaller limits", () => {
    const { key, said } = read(
      { model_max_budget: '{"fast":{"budget_limit":5,"rpm_limit":3},"cheap":{"budget_limit":2,"rpm_limit":8}}' },
      { modelsOf: () => ["openai/gpt-4o-mini", "azure/mini"] }
    )
    assert.deepStrictEqual(key.rules?.modelRules, [
      {
        match: ["azure/mini", "openai/gpt-4o-mini"],
        limits: { rpm: 3, tpm: undefined, maxParallel: undefined },
        budgets: [{ limit: 2_000_000_000, window: "total", timeZone: "UTC" }]
      }
    ])
    assert.include(
      said("model_max_budget").map(({ message }) => message),
      "fast: the rule is for azure/mini, openai/gpt-4o-mini"
    )
  })

  it("does not bring credentials of others along", () => {
    const { entries, key } = read({
      metadata: JSON.stringify({
        logging: [{ callback_vars: { langfuse_secret_key: "sk-lf-1234567890" } }],
        note: "use sk-proj-abcdef123456 for it",
        deep: { api_key: "x" },
        fine: { list: [1, null] }
      })
    })
    assert.deepStrictEqual(key.metadata, { fine: { list: [1, null] } })
    assert.notMatch(JSON.stringify(entries), /sk-lf|sk-proj/)
  })

  it("keeps hostile names in metadata as data", () => {
    const { key } = read({ metadata: '{"__proto__":{"admin":true},"constructor":1}' })
    assert.deepStrictEqual(Object.keys(key.metadata ?? {}), ["__proto__", "constructor"])
  })

  it("of LiteLLM's own pages is no key", () => {
    const table = Result.getOrThrow(readTable(csv({ team_id: "litellm-dashboard" }, {}), options))
    assert.strictEqual(table.candidates.length, 1)
    assert.deepStrictEqual(
      table.skipped.map(({ at }) => lineOf(at)),
      [2]
    )
  })

  it("that holds the key itself, as old versions did, is the same key", () => {
    assert.strictEqual(read({ token: "sk-0" }).digest, digest("sk-0"))
  })
})

describe("a damaged table", () => {
  it("is refused as a whole, with every wrong cell by its line and column", () => {
    const found = problems(
      csv(
        { max_budget: "-5", rpm_limit: "many" },
        { token: "nonsense", metadata: "{" },
        { token: digest("sk-0"), expires: "soon", models: "gpt-4o" },
        { blocked: "perhaps", budget_duration: "fortnight" },
        { tpm_limit: "-1", spend: "NaN" }
      )
    )
    assert.sameMembers(
      found.map(({ at, column }) => `${lineOf(at)} ${column}`),
      [
        "2 max_budget",
        "2 rpm_limit",
        "3 token",
        "3 metadata",
        "4 token",
        "4 expires",
        "4 models",
        "5 blocked",
        "5 budget_duration",
        "6 tpm_limit",
        "6 spend"
      ]
    )
    assert.include(found.find(({ at, column }) => lineOf(at) === 4 && column === "token")?.message, "line 2")
  })

  it.each([
    ["", /no line/],
    ["key,alias\na,b", /`token` is not among them/],
    ["token;key_alias\na;b", /separate the cells with commas/],
    ["token,token\na,b", /there twice/],
    [`token,spend\n${digest("a")}`, /1 cells in a table of 2 columns/],
    ["token\nDEADBEEF", /SHA-256/],
    [`token\n${digest("a").toUpperCase()}`, /lower case/],
    ["token,spend\n,1", /there is none/],
    [`token,spend\n"${digest("a")},1`, /never closed/]
  ])("%j says what would be right", (text, why) => {
    assert.match(
      problems(text)
        .map(({ message }) => message)
        .join(),
      why
    )
  })

  it("never shows what a cell holds where that may be a key", () => {
    const found = problems("token\nsk_live_not-a-digest-1234567890")
    assert.notInclude(JSON.stringify(found), "not-a-digest")
  })
})
