import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { shippedCatalogue } from "../../../gateway/src/providers/catalogue/facts/Shipped.ts"
import { invoke } from "../Invoke.ts"
import { folder } from "../Support.ts"

const KEY = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"
/** 2026-11-27. */
const NOW = Date.UTC(2026, 10, 27)

const { file: shipped } = shippedCatalogue()

/** The catalogue that ships, made later, with some models changed. */
const later = (changes: { readonly [name: string]: object }, made = "2027-01-05T00:00:00Z") =>
  JSON.stringify({
    ...shipped,
    version: "later",
    made,
    models: {
      ...shipped.models,
      ...Object.fromEntries(Object.entries(changes).map(([name, more]) => [name, { ...shipped.models[name], ...more }]))
    }
  })

const prepared = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  const cwd = yield* folder
  const config = join(cwd, "gateway.yaml")
  const run = (...args: ReadonlyArray<string>) =>
    invoke(["catalogue", ...args, "--config", config], { GATEWAY_MASTER_KEY: KEY })
  const configure = (deployments: string, more = "") =>
    writeFileSync(
      config,
      `master_key: \${GATEWAY_MASTER_KEY}\nproviders: { openai: { api_key: sk-1 }, xai: { api_key: x }, gemini: { api_key: g } }\ndeployments: [${deployments}]\n${more}`
    )
  const write = (name: string, text: string) => {
    writeFileSync(join(cwd, name), text)
    return join(cwd, name)
  }
  return { cwd, configure, run, write }
})

describe("catalogue show", () => {
  it.effect("shows a model by its id alone, and names similar ones where there is none", () =>
    Effect.gen(function* () {
      const { run } = yield* prepared
      const { code, stdout } = yield* run("show", "gpt-6.2-sol")
      assert.strictEqual(code, 0)
      for (const part of ["openai/gpt-6.2-sol", "context 1050000", "above 272000: ", "ultrafast", "flex not offered"]) {
        assert.include(stdout, part)
      }
      const reseller = yield* run("show", "vertex/claude-opus-5-5@20260922")
      assert.include(reseller.stdout, "which is anthropic/claude-opus-5-5")
      const missing = yield* run("show", "openai/nowhere-7.9")
      assert.strictEqual(missing.code, 1)
      assert.match(missing.stderr, /has no model "openai\/nowhere-7\.9"/)
    })
  )
})

describe("catalogue check", () => {
  it.effect("names shutdowns within 60 days, redirects, coming prices and unknown models", () =>
    Effect.gen(function* () {
      const { configure, run } = yield* prepared
      configure("openai/gpt-6.2-sol")
      assert.strictEqual((yield* run("check")).code, 0)
      configure(
        "openai/gpt-5-mini, openai/gpt-6.9-sol, openai/whisper-1, xai/grok-4-1-fast-reasoning, gemini/gemini-2.5-pro, gemini/gemini-4-argon"
      )
      const { code, stdout } = yield* run("check")
      assert.strictEqual(code, 1)
      const lines = stdout.split("\n")
      for (const line of [
        "! openai/gpt-5-mini shuts down on 2026-12-11, in 14 days; its vendor names gpt-5.6-terra as its replacement",
        "! openai/gpt-6.9-sol is not in the catalogue: it behaves like its family, and has no price",
        "! xai/grok-4-1-fast-reasoning has been replaced since 2026-05-15 by grok-4.3, at the price of grok-4.3",
        "! gemini/gemini-2.5-pro will be replaced from 2026-12-01 on by gemini-3.8-flash, at the price of gemini-3.8-flash",
        "! gemini/gemini-4-argon costs 4 / 20 USD per million tokens from 2026-12-01 on, instead of 2 / 10"
      ]) {
        assert.include(lines, line)
      }
      assert.notInclude(stdout, "whisper-1")
    })
  )

  it.effect("names what is wrong with the file, and names in the configuration that point nowhere", () =>
    Effect.gen(function* () {
      const { configure, run, write } = yield* prepared
      write("catalogue.json", "{")
      configure("openai/gpt-6.2-sol", `catalogue: { models: { "openai/x": { like: openai/nothing } } }\n`)
      const { code, stdout } = yield* run("check")
      assert.strictEqual(code, 1)
      assert.match(stdout, /the file is not JSON/)
      assert.match(stdout, /openai\/x: like: there is no model "openai\/nothing"/)
    })
  )
})

const dearer = { prices: [{ usd: { input: 3, output: 10 } }] }

describe("catalogue update", () => {
  it.effect("takes new models, higher prices, lower limits and new rules, and prints them", () =>
    Effect.gen(function* () {
      const { cwd, run, write } = yield* prepared
      const refuses = { rules: [{ when: ["n"], do: "drop", field: "n" }] }
      const newer = write(
        "newer.json",
        later({
          "openai/gpt-4o": dearer,
          "openai/gpt-6.9-sol": dearer,
          "openai/gpt-4": { limits: { ...shipped.models["openai/gpt-4"]!.limits, context: 8_000 }, ...refuses }
        })
      )
      const { code, stderr, stdout } = yield* run("update", "--from", newer)
      assert.strictEqual(code, 0, stderr)
      for (const line of [
        "+ openai/gpt-6.9-sol  new",
        "↑ openai/gpt-4o  input 2.5 → 3",
        "↑ openai/gpt-4  context 8192 → 8000",
        '↑ openai/gpt-4  rule: {"when":["n"],"do":"drop","field":"n"}'
      ]) {
        assert.include(stdout.split("\n"), line)
      }
      assert.strictEqual(JSON.parse(readFileSync(join(cwd, "catalogue.json"), "utf8")).version, "later")
      assert.match((yield* run("diff", "shipped", "loaded")).stdout, /\+ openai\/gpt-6\.9-sol/)
      const again = yield* run("update", "--from", newer)
      assert.strictEqual(again.code, 1)
      assert.match(again.stderr, /not after catalogue later/)
    })
  )

  it.effect("names rules with features that this version does not know", () =>
    Effect.gen(function* () {
      const { run, write } = yield* prepared
      const strange = { ...dearer, rules: [{ when: ["telepathy", "n"], do: "drop", field: "n" }] }
      const newer = write("newer.json", later({ "openai/gpt-6.9-sol": strange }))
      const named = '! models → openai/gpt-6.9-sol: rules with unknown features are ignored: "telepathy"'
      assert.include((yield* run("update", "--from", newer)).stdout.split("\n"), named)
      assert.include((yield* run("diff", "shipped", "loaded")).stdout.split("\n"), named)
      assert.include((yield* run("check")).stdout.split("\n"), named)
    })
  )

  it.effect("refuses a lower price, a higher limit and a refusal that is gone, unless it is told to take them", () =>
    Effect.gen(function* () {
      const { cwd, run, write } = yield* prepared
      for (const change of [
        { prices: [{ usd: { input: 2, cached_input: 1.25, output: 10 } }] },
        {
          prices: [...shipped.models["openai/gpt-4o"]!.prices!, { from: "2027-06-01", usd: { input: 1, output: 10 } }]
        },
        { tiers: { ...shipped.models["openai/gpt-4o"]!.tiers, batch: 0.1 } },
        { tiers: { ...shipped.models["openai/gpt-4o"]!.tiers, scale: 1 } },
        { limits: { ...shipped.models["openai/gpt-4o"]!.limits, context: 1_000_000 } },
        { limits: {} },
        { fees: { web_search: 0 } }
      ]) {
        const newer = write("newer.json", later({ "openai/gpt-4o": change }))
        const { code, stderr, stdout } = yield* run("update", "--from", newer)
        assert.strictEqual(code, 1, JSON.stringify(change))
        assert.match(stdout, /↓ openai\/gpt-4o/, JSON.stringify(change))
        assert.match(stderr, /--yes/)
        assert.isFalse(existsSync(join(cwd, "catalogue.json")))
      }
      const newer = write("newer.json", later({ "openai/gpt-4o": { prices: [{ usd: { input: 2, output: 10 } }] } }))
      assert.strictEqual((yield* run("update", "--from", newer, "--yes")).code, 0)
      assert.isTrue(existsSync(join(cwd, "catalogue.json")))
    })
  )

  it.effect("refuses an older file, a damaged one, and one that is not there", () =>
    Effect.gen(function* () {
      const { cwd, run, write } = yield* prepared
      for (const [text, said] of [
        [later({}, "2020-01-01T00:00:00Z"), /was made at 2020-01-01T00:00:00Z, not after/],
        ["{", /the file is not JSON/],
        [later({ "openai/gpt-4o": { pricez: [] } }), /models → openai\/gpt-4o → pricez: there is no such field/]
      ] as const) {
        const { code, stderr } = yield* run("update", "--from", write("newer.json", text))
        assert.strictEqual(code, 1)
        assert.match(stderr, said)
      }
      assert.match((yield* run("update", "--from", join(cwd, "none.json"))).stderr, /There is no file/)
      assert.isFalse(existsSync(join(cwd, "catalogue.json")))
    })
  )
})
