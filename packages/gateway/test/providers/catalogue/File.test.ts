/** What a catalogue file may say, and how what it may not say is named. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { catalogueOf } from "../../../src/providers/catalogue/facts/CatalogueInForce.ts"
import { LARGEST_FILE, MOST_MODELS } from "../../../src/core/domain/models/CatalogueFormat.ts"
import { readCatalogue } from "../../../src/providers/catalogue/facts/ReadCatalogue.ts"
import {
  builtCatalogue,
  JSON_SCHEMA,
  jsonSchemaText,
  SHIPPED,
  shippedText
} from "../../../../../scripts/catalogue/Files.ts"

const file = (more: object) =>
  JSON.stringify({ schema: "catalogue/v1", version: "test", made: "2026-11-27T00:00:00Z", models: {}, ...more })

const problemsOf = (text: string): ReadonlyArray<string> => {
  const read = readCatalogue(text)
  return Result.isFailure(read) ? read.failure.problems : []
}

const catalogueFrom = (more: object) => catalogueOf(Result.getOrThrow(readCatalogue(file(more))))

const cheap = { prices: [{ usd: { input: 1, output: 2 } }] }

describe("a catalogue file", () => {
  it("that ships is the one that the vendors' files make", () => {
    assert.strictEqual(readFileSync(SHIPPED, "utf8"), shippedText(builtCatalogue()))
    assert.strictEqual(readFileSync(JSON_SCHEMA, "utf8"), jsonSchemaText())
    assert.deepStrictEqual(problemsOf(readFileSync(SHIPPED, "utf8")), [])
  })

  it("is refused when it is damaged, too large or has too many models", () => {
    assert.match(problemsOf(file({}).slice(0, -5))[0]!, /^the file is not JSON/)
    assert.match(
      problemsOf(" ".repeat(2 * 1024 * 1024))[0]!,
      new RegExp(`^the file has 2097152 bytes.*${LARGEST_FILE}`)
    )
    const models = Object.fromEntries(Array.from({ length: MOST_MODELS + 1 }, (_, index) => [`a/${index}`, {}]))
    assert.match(
      problemsOf(file({ models }))[0]!,
      new RegExp(`has ${MOST_MODELS + 1} models; the most is ${MOST_MODELS}`)
    )
  })

  it("is refused where it says what can't be, each with the place", () => {
    const model = (fields: object, name = "a/b") => problemsOf(file({ models: { [name]: fields, "a/free": {} } }))
    const rule = (fields: object) => model({ rules: [{ when: ["tools"], ...fields }] })[0]
    assert.match(problemsOf("[]")[0]!, /^the file is no catalogue: /)
    assert.deepStrictEqual(model(cheap, "a/*"), [
      "models → a/*: a model's name has no *; write it under globs, without prices"
    ])
    assert.deepStrictEqual(model({ prices: [{ ...cheap.prices[0], from: "2026-02-31" }] }), [
      "models → a/b → prices → 0 → from: expected a day of the calendar"
    ])
    for (const made of ["yesterday", "2026-99-99T99:99:99Z", "2026-02-31T00:00:00Z"]) {
      assert.deepStrictEqual(problemsOf(file({ made })), ["made: expected a time in UTC such as 2026-11-27T08:00:00Z"])
    }
    assert.deepStrictEqual(model({ shutdown: { on: "2026-01-01", billedAs: "free" } }), [
      "models → a/b → shutdown: a/free, whose prices hold then, has none"
    ])
    assert.match(rule({ do: "drop" })!, /drop needs the field that it changes/)
    assert.match(rule({ do: "rename", field: "n" })!, /rename needs the new name in to/)
    assert.match(rule({ do: "nearest", field: "n" })!, /nearest needs the value in to/)
    assert.match(rule({ do: "clamp", field: "n", to: 1 })!, /clamp needs the least and the most in to/)
    assert.match(
      problemsOf(file({ models: { "a/b": {} }, resold: { c: [{ of: "a", spellings: ["*a*b*<id>"] }] } }))[0]!,
      /^resold → c: the spelling "\*a\*b\*<id>" needs one <id>/
    )
    assert.deepStrictEqual(problemsOf(`\uFEFF${file({})}`), [])
  })

  it("with a glob of many stars is looked up in no time", () => {
    const { find } = catalogueFrom({ globs: [{ match: `a/${"*a".repeat(60)}b`, stop: false }] })
    assert.strictEqual(find("a", "a".repeat(500)).facts.how, "unknown")
    assert.strictEqual(find("A", `${"xA".repeat(60)}B`).facts.how, "glob")
  })

  it("is refused when a trait or a glob carries a price", () => {
    assert.deepStrictEqual(problemsOf(file({ traits: { t: cheap } })), [
      "traits → t → prices: a trait may not carry prices; write them at each model"
    ])
    assert.deepStrictEqual(problemsOf(file({ globs: [{ match: "a/*", tiers: { batch: 0 } }] })), [
      "globs → 0 → tiers: a glob may not carry prices; name the model exactly"
    ])
    assert.match(
      problemsOf(file({ traits: { t: { protocol: { usd: { input: 0 } } } } }))[0]!,
      /^traits → t → protocol → usd/
    )
  })

  it("tells kinds of models by their names, below all else that is known of them", () => {
    const { find } = catalogueFrom({
      models: { "a/whisper-9": { operations: ["chat"] } },
      kinds: [
        { match: ["s/*-big-*"], limits: { context: 1 } },
        {
          match: ["*whisper*"],
          not: ["*-chat-*"],
          operations: ["transcriptions"],
          limits: { context: 2, maxOutput: 3 }
        }
      ]
    })
    const facts = (vendor: string, model: string) => find(vendor, model).facts
    assert.deepInclude(facts("s", "org/Whisper:big"), {
      operations: ["transcriptions"],
      limits: { context: 1, maxOutput: 3 },
      key: undefined,
      how: "unknown"
    })
    assert.deepStrictEqual(facts("a", "whisper-9").operations, ["chat"])
    assert.isUndefined(facts("s", "whisper-chat").operations)
    assert.isUndefined(facts("s", "bigger").limits)
    assert.deepStrictEqual(problemsOf(file({ kinds: [{ match: ["*"], ...cheap }] })), [
      "kinds → 0 → prices: a kind may not carry prices; name the model exactly"
    ])
  })

  it("is refused when a name in it points nowhere", () => {
    const models = { "a/b": { is: ["none"], shutdown: { billedAs: "c" } }, d: {} }
    assert.deepStrictEqual(problemsOf(file({ models })), [
      'models → a/b: there is no trait "none"',
      "models → a/b → shutdown: there is no model a/c",
      "models → d: a model is named vendor/id"
    ])
    assert.deepStrictEqual(problemsOf(file({ traits: { a: { is: ["b"] }, b: { is: ["a"] } } })), [
      "traits → a: it is made of itself"
    ])
  })

  it("is refused when dates or thresholds of prices are out of order", () => {
    const usd = { input: 1, output: 1 }
    const late = [{ usd }, { from: "2027-02-01", usd }, { from: "2027-01-01", usd }]
    const steps = [{ usd, above: [2, 1].map((tokens) => ({ tokens, usd })) }]
    assert.match(
      problemsOf(file({ models: { "a/b": { prices: late } } }))[0]!,
      /prices → 2: prices must be in the order/
    )
    assert.match(problemsOf(file({ models: { "a/b": { prices: steps } } }))[0]!, /above: thresholds must ascend/)
    assert.match(problemsOf(file({ models: { "a/b": { prices: [{ from: "2027-13-01", usd }] } } }))[0]!, /calendar/)
  })

  it("is refused when a rule does two things, and taken when a rule names a feature of a later version", () => {
    const rule = { when: ["tools"], use: "responses", do: "drop" }
    assert.match(problemsOf(file({ models: { "a/b": { rules: [rule] } } }))[0]!, /exactly one of use, do and price/)
    const models = {
      "a/b": {
        rules: [
          { when: ["holograms"], do: "drop", field: "hologram" },
          { when: ["tools", "!reasons"], use: "responses" }
        ]
      },
      "a/c": { rules: [{ when: ["cache:48h"], price: "cache_write_48h" }] }
    }
    const catalogue = catalogueFrom({ models })
    assert.deepStrictEqual(catalogue.find("a", "b").facts.rules, [{ when: ["tools", "!reasons"], use: "responses" }])
    assert.isUndefined(catalogue.find("a", "b").facts.hasUnknownPriceRule)
    assert.isTrue(catalogue.find("a", "c").facts.hasUnknownPriceRule)
  })
})

describe("a model in the catalogue", () => {
  const catalogue = catalogueFrom({
    traits: {
      base: { tools: { function: true, forced: true }, rules: [{ when: ["n"], do: "drop", field: "n" }] },
      odd: { is: ["base"], tools: { forced: false }, sampling: "refused" }
    },
    models: {
      "a/b-1": {
        is: ["odd"],
        aliases: ["b-new"],
        snapshots: ["b-1-0309"],
        sampling: "taken",
        operations: ["chat"],
        ...cheap
      },
      "a/b-1-2026-02-01": { limits: { context: 7 } }
    },
    globs: [{ match: "a/b-*", is: ["base"] }],
    resold: {
      host: [{ of: "a", spellings: ["*a.<id>-v*"], factor: 1.1 }],
      same: [{ of: "a", sameApi: true }],
      "*": [{ of: "a", spellings: ["a/<id>"], priced: false }]
    }
  })
  const find = (vendor: string, model: string) => {
    const { how, key } = catalogue.find(vendor, model).facts
    return [how, key]
  }

  it("is found exactly, then as an alias, then without a date, then as a reseller spells it, then by a glob", () => {
    assert.deepStrictEqual(find("a", "b-1"), ["exact", "a/b-1"])
    assert.deepStrictEqual(find("a", "b-new"), ["alias", "a/b-1"])
    assert.deepStrictEqual(find("a", "b-1-0309"), ["alias", "a/b-1"])
    assert.deepStrictEqual(find("a", "b-1-2026-02-01"), ["exact", "a/b-1-2026-02-01"])
    assert.deepStrictEqual(find("a", "b-1-2026-03-01"), ["snapshot", "a/b-1"])
    assert.deepStrictEqual(find("a", "b-1@20260301"), ["snapshot", "a/b-1"])
    assert.deepStrictEqual(find("host", "us.a.b-1-20260301-v1:0"), ["resold", "a/b-1"])
    assert.deepStrictEqual(find("anybody", "a/b-1"), ["resold", "a/b-1"])
    assert.deepStrictEqual(find("a", "b-2-mini"), ["glob", undefined])
    assert.deepStrictEqual(find("a", "c"), ["unknown", undefined])
    assert.deepStrictEqual(find("a", "constructor"), ["unknown", undefined])
  })

  it("has the facts of its traits from left to right, and its own words win", () => {
    const { how: _, key: __, ...facts } = catalogue.find("a", "b-1").facts
    assert.deepStrictEqual(facts, {
      tools: { function: true, forced: false },
      rules: [{ when: ["n"], do: "drop", field: "n" }],
      sampling: "taken",
      operations: ["chat"]
    })
    assert.isUndefined(catalogue.find("a", "b-2").model)
  })

  it("has its operations at its maker and at resellers with the maker's API alone", () => {
    assert.deepStrictEqual(catalogue.find("same", "b-1").facts.operations, ["chat"])
    assert.isUndefined(catalogue.find("host", "a.b-1-v1").facts.operations)
  })
})
