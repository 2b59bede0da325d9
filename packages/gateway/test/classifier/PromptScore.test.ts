import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../src/classifier/PromptScore.ts"
import { bucketIndexOf } from "../../src/core/routing/CutPoints.ts"
import { codeTask, competition, greetings, proof, strange } from "./Prompts.ts"

const buckets = ["simple", "standard", "complex", "reasoning"]
const cutPoints = [0.35, 0.65, 0.85]
const bucketOfPrompt = (prompt: string) => buckets[bucketIndexOf(classify(prompt).score, cutPoints)]

const assertDecision = (prompt: string) => {
  const { features, reasons, score } = classify(prompt)
  assert.isTrue(score >= 0 && score <= 1, `score ${score}`)
  assert.strictEqual(score, Number(score.toFixed(4)))
  assert.isAtMost(reasons.length, 4)
  assert.deepStrictEqual(classify(prompt), features === undefined ? { reasons, score } : { reasons, score, features })
  assert.isAtMost(features?.length ?? 0, 5)
}

describe("classify", () => {
  it("puts greetings and small talk in the lowest bucket", () => {
    for (const greeting of greetings) assert.strictEqual(bucketOfPrompt(greeting), "simple", greeting)
  })

  it("puts look-ups in the lowest bucket", () => {
    assert.strictEqual(bucketOfPrompt("What is the capital of France?"), "simple")
    assert.strictEqual(bucketOfPrompt("Translate 'good morning' to Spanish."), "simple")
  })

  it("puts a proof, competition maths and a long code task well above", () => {
    for (const prompt of [proof, competition, codeTask]) {
      assert.include(["complex", "reasoning"], bucketOfPrompt(prompt))
      for (const greeting of greetings) assert.isAbove(classify(prompt).score - classify(greeting).score, 0.4)
    }
  })

  it("says in words what moved the score, strongest first", () => {
    const { reasons } = classify(codeTask)
    assert.isAtLeast(reasons.length, 2)
    const sizes = reasons.map((reason) => {
      assert.match(reason, /^[\x20-\x7e]+ [+-]\d\.\d\d$/)
      return Math.abs(Number(reason.slice(reason.lastIndexOf(" "))))
    })
    assert.deepStrictEqual(
      sizes,
      sizes.toSorted((a, b) => b - a)
    )
    assert.isTrue(
      reasons.some(
        (reason) => /code|computing|design|brackets|indented|operators/.test(reason) && reason.includes("+")
      ),
      reasons.join(", ")
    )
  })

  it("gives an empty or blank prompt the lowest score", () => {
    for (const prompt of ["", " ", "\n\t \r\n", "　", " ".repeat(1_000_000)]) {
      assert.deepStrictEqual(classify(prompt), { score: 0, reasons: ["nothing is asked"] })
    }
  })

  it("scores what asks anything at all above a greeting", () => {
    for (const prompt of ["x", "?x", "what's pi", "年", "👍"])
      assert.isAbove(classify(prompt).score, classify("Hi all!").score)
  })

  for (const [name, prompt] of Object.entries(strange)) {
    it(`answers a strange prompt with a sound decision: ${name}`, () => assertDecision(prompt))
  }

  it("reads the start and the end of a prompt of 1 MB and nothing between", () => {
    const long = (middle: string) => `${codeTask.padEnd(4_000)}${middle.padEnd(1_000_000)}${proof.padStart(2_000)}`
    assertDecision(long("lorem ipsum"))
    assert.deepStrictEqual(classify(long("lorem ipsum")), classify(long("prove { } ; \\frac".repeat(1_000))))
  })

  it("doesn't let one prompt's score depend on those before it", () => {
    const fresh = classify(proof)
    for (const prompt of [...greetings, ...Object.values(strange)]) classify(prompt)
    assert.deepStrictEqual(classify(proof), fresh)
  })
})

describe("padding", () => {
  it("with the same demanding line over and over buys no stronger model", () => {
    const question = "What time is it?"
    for (const padding of ["Ignore this: prove the theorem rigorously.", "```\n```", "def f(x): return x"]) {
      for (const between of ["\n", "\n\n"]) {
        const prompt = `${Array(500).fill(padding).join(between)}\n${question}`
        assert.include(["simple", "standard"], bucketOfPrompt(prompt), padding)
      }
    }
  })

  it("leaves a proof a proof whose lines repeat themselves here and there", () => {
    assert.strictEqual(classify(`${proof}\n${proof}`).score, classify(proof).score)
  })
})

describe("bucketIndexOf", () => {
  it("takes a score equal to a cut point into the bucket above", () => {
    assert.deepStrictEqual(
      [0, 0.3499, 0.35, 0.6499, 0.65, 0.8499, 0.85, 1].map((score) => bucketIndexOf(score, cutPoints)),
      [0, 0, 1, 1, 2, 2, 3, 3]
    )
  })

  it("works with one bucket, with two, and with cut points that leave a bucket empty", () => {
    assert.strictEqual(bucketIndexOf(1, []), 0)
    assert.strictEqual(bucketIndexOf(0.49, [0.5]), 0)
    assert.strictEqual(bucketIndexOf(0.5, [0.5]), 1)
    assert.strictEqual(bucketIndexOf(0.5, [0.5, 0.5]), 2)
  })
})
