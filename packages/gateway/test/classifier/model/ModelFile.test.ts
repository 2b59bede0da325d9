import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { featureNames, featureSet } from "../../../src/classifier/features/PromptFeatures.ts"
import { decodeModelFile, encodeModelFile, LARGEST, type ModelFile } from "../../../src/classifier/model/ModelFile.ts"

const path = join(import.meta.dirname, "../../../src/classifier/model/default-model.json")
const text = readFileSync(path, "utf8")
const shipped = Result.getOrThrow(decodeModelFile(text))

/** What the decoder says of the shipped file with some fields replaced. */
const refusal = (change: (file: ModelFile) => unknown): string => messageOf(JSON.stringify(change(shipped)))
const messageOf = (broken: string): string => {
  const result = decodeModelFile(broken)
  assert.isTrue(Result.isFailure(result), "should be refused")
  return Result.isFailure(result) ? result.failure.message : ""
}
const withFeature = (index: number, change: Record<string, unknown>) => (file: ModelFile) => ({
  ...file,
  linear: {
    ...file.linear,
    features: file.linear.features.map((one, at) => (at === index ? { ...one, ...change } : one))
  }
})

describe("the shipped file", () => {
  it("is at most 400 kB and says where it comes from", () => {
    assert.isAtMost(statSync(path).size, 400_000)
    assert.isAbove(shipped.card.data.length, 5)
    for (const { licence, rows } of shipped.card.data) assert.isTrue(rows > 0 && licence !== "")
    assert.isAbove(shipped.card.evaluation.length, 0)
    assert.isAbove(shipped.card.weaknesses.length, 0)
  })

  it("has no label of the benchmarks' data sets behind it", () => {
    for (const { source } of shipped.card.data) assert.notMatch(source, /mmlu$|gsm8k|routellm|mt.?bench/i)
  })

  it("is written as it is read", () => {
    assert.strictEqual(encodeModelFile(shipped), text)
  })
})

describe("a file that can't be used is refused with what was found and what would be right", () => {
  it("text that is no JSON, or not an object", () => {
    assert.match(messageOf("{"), /no JSON/)
    assert.match(messageOf(""), /no JSON/)
    assert.match(messageOf("[1]"), /holds \[1\].*an object with `"format": "model-gateway-router"`/)
    assert.match(messageOf("null"), /holds null/)
  })

  it("one that is too large", () => {
    assert.match(messageOf(" ".repeat(LARGEST + 1)), /1048577 characters.*at most 1048576/)
  })

  it("another format or version", () => {
    assert.match(messageOf("{}"), /`format` is missing.*"model-gateway-router"/)
    assert.match(
      refusal((file) => ({ ...file, format: "onnx" })),
      /`format` is "onnx"/
    )
    assert.match(
      refusal((file) => ({ ...file, version: 2 })),
      /`version` is 2; this release reads version 1/
    )
  })

  it("another set of features", () => {
    const message = refusal((file) => ({ ...file, features: "text-1-00000000" }))
    assert.include(message, '"text-1-00000000"')
    assert.include(message, featureSet)
    assert.match(message, /router train/)
  })

  it("weights for other features than it says", () => {
    assert.match(refusal(withFeature(1, { name: "smell" })), /`linear\.features\.1\.name` is "smell"; it must be "/)
    const fewer = refusal((file) => ({ ...file, linear: { ...file.linear, features: file.linear.features.slice(1) } }))
    assert.match(fewer, new RegExp(`has ${featureNames.length - 1} entries; .* has ${featureNames.length}`))
  })

  it("numbers that are none, or can't be divided by", () => {
    assert.match(refusal(withFeature(0, { weight: null })), /`linear\.features\.0\.weight`/)
    assert.match(messageOf(text.replace(/"weight":[-\d.e]+/, '"weight":1e999')), /`linear\.features\.0\.weight`/)
    assert.match(refusal(withFeature(2, { deviation: 0 })), /`linear\.features\.2\.deviation`: .*above 0, got 0/)
  })

  it("quantiles that don't ascend", () => {
    for (const quantiles of [[], [1], [2, 1], [1, 1]]) {
      assert.match(
        refusal((file) => ({ ...file, quantiles })),
        /`quantiles`: .*ascending/
      )
    }
  })

  it("a part that is missing", () => {
    assert.match(
      refusal(({ card: _, ...file }) => file),
      /`card`/
    )
    assert.match(
      refusal(({ linear: _, ...file }) => file),
      /`linear`/
    )
  })
})
