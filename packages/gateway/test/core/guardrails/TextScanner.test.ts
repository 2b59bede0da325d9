import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { GuardrailAction } from "../../../src/core/domain/Guardrail.ts"
import { loadPatterns, patternRule } from "../../../src/core/guardrails/PatternRule.ts"
import { type CheckedRule, personalRules, secretRule, type TextRule, TextScanner } from "@model-gateway/protocol"

await Effect.runPromise(loadPatterns)

const rules: ReadonlyArray<TextRule> = [
  secretRule,
  ...Object.values(personalRules),
  patternRule("codename", "(?i)project[- ]apollo\\b", 32),
  patternRule("run", "z+", 16)
]

const checked = (action: GuardrailAction, some = rules): ReadonlyArray<CheckedRule> =>
  some.map((rule) => ({ check: rule.name, action, rule }))

const scanner = (all: ReadonlyArray<CheckedRule>, found: Array<string> = []) =>
  new TextScanner(all, ({ rule }, text) => {
    found.push(`${rule.name}:${text}`)
    return `<${rule.name}>`
  })

const masked = (text: string, all = checked("mask")): string => scanner(all).push(text, true)

const streamed = (text: string, cut: () => number, all = checked("mask")) => {
  const found: Array<string> = []
  const window = scanner(all, found)
  let output = ""
  for (let at = 0; at < text.length;) {
    const length = cut()
    output += window.push(text.slice(at, at + length), false)
    at += length
  }
  return { output: output + window.push("", true), found }
}

/** The same numbers in every run. */
const random = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed % below
}

/** More of them by hand: `ROUNDS=400000`. */
const ROUNDS = Number(process.env["ROUNDS"] ?? 4000)

const KEY = "sk-abcdefghijklmnopqrsT"
const atoms = [
  "hello ",
  "world. ",
  "bob@example.com",
  "a.b+c@x.co.uk",
  "@",
  "a@",
  " ",
  ",",
  "\n",
  "- ",
  "é",
  "👨‍👩‍👧",
  "\u200b",
  "４１１１",
  "ｂ@example.com",
  "4111 1111 1111 1111",
  "4111111111111111 ",
  "12 34 ",
  "99",
  "1".repeat(30),
  "DE89 3704 0044 0532 0130 00",
  "GB82WEST12345698765432",
  "GB82",
  KEY,
  `${KEY}UVWXYZ012345`,
  "sk-",
  "AKIAIOSFODNN7EXAMPLE",
  "-----BEGIN RSA PRIVATE KEY-----\nMIIEow/+=\n-----END RSA PRIVATE KEY-----",
  "-----BEGIN ",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig",
  "Project Apollo",
  "project-apollos",
  "zzz",
  "z".repeat(40),
  "x".repeat(80)
]

describe("the scanner", () => {
  it("gives a stream the same result as the complete text, however it is cut", () => {
    const next = random(7)
    let matches = 0
    for (let round = 0; round < ROUNDS; round++) {
      const text = Array.from({ length: 1 + next(8) }, () => atoms[next(atoms.length)]!).join("")
      const expected = masked(text)
      if (expected !== text) matches++
      const { output } = streamed(text, () => 1 + next(6))
      if (output !== expected) assert.strictEqual(output, expected, JSON.stringify(text))
    }
    assert.isAbove(matches, ROUNDS / 2)
  })

  it("finds the same matches in a stream for rules that deny or flag", () => {
    const next = random(11)
    for (let round = 0; round < 2_000; round++) {
      const text = Array.from({ length: 1 + next(8) }, () => atoms[next(atoms.length)]!).join("")
      const complete: Array<string> = []
      const output = scanner(checked("flag"), complete).push(text, true)
      const pieces = streamed(text, () => 1 + next(6), checked("flag"))
      assert.deepStrictEqual(pieces.found.toSorted(), complete.toSorted(), JSON.stringify(text))
      assert.deepStrictEqual([output, pieces.output], [text, text])
    }
  })

  it.each([
    ["mail bob@example.com.", "mail <email>."],
    ["bob@localhost and @bob", "bob@localhost and @bob"],
    ["jo\u00adhn@example.com", "<email>"],
    ["card 4111 1111 1111 1111 12/27", "card <credit_card> 12/27"],
    ["4111111111111112", "4111111111111112"],
    ["order 1700000000000", "order 1700000000000"],
    ["IBAN DE89 3704 0044 0532 0130 00, please", "IBAN <iban>, please"],
    ["de89370400440532013000", "<iban>"],
    ["DE89 3704 0044 0532 0130 01", "DE89 3704 0044 0532 0130 01"],
    [`key=${KEY}abc"`, 'key=<secret>"'],
    [
      "a task-oriented-dialogue-system and a risk-free-but-long-word",
      "a task-oriented-dialogue-system and a risk-free-but-long-word"
    ],
    ["AKIAIOSFODNN7EXAMPLE", "<secret>"],
    ["(Project-Apollo)", "(<codename>)"],
    ["project apollonia", "project apollonia"]
  ])("masks %j as %j", (text, expected) => assert.strictEqual(masked(text), expected))

  it("never releases a character of a secret that comes in 40 events", () => {
    const secret = `ghp_${"aB3".repeat(12)}`
    const window = scanner(checked("mask"))
    const released = [...secret].map((one) => window.push(one, false))
    assert.strictEqual(released.join(""), "")
    assert.strictEqual(window.push(" done", true), "<secret> done")
  })

  it("holds at most one word of prose", () => {
    const prose = "The quick brown fox writes to alice about invoice 42 and the meeting on Tuesday. ".repeat(20)
    const window = scanner(checked("mask", [secretRule, ...Object.values(personalRules)]))
    let most = 0
    let released = 0
    for (let at = 0; at < prose.length; at += 4) {
      released += window.push(prose.slice(at, at + 4), false).length
      most = Math.max(most, Math.min(at + 4, prose.length) - released)
    }
    assert.isAtMost(most, 10)
  })

  it.each(["@", "a@", "1", "4 ", "4", "sk-", "eyJ", "-----BEGIN ", "a.", "GB82 ", "AKIA"])(
    "reads a megabyte of %j in linear time",
    (anchor) => {
      const cost = (size: number) => {
        const text = anchor.repeat(size / anchor.length)
        const before = process.cpuUsage()
        masked(text, checked("mask", [secretRule, ...Object.values(personalRules)]))
        return process.cpuUsage(before).user / 1000
      }
      cost(1 << 16)
      assert.isBelow(cost(1 << 20), 1500)
    }
  )
})
