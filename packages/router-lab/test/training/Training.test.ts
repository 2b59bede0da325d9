import { assert, describe, it } from "@effect/vitest"
import { seededRandom } from "../../src/SeededRandom.ts"
import { featureExpectations, featureNames } from "../../../gateway/src/classifier/features/PromptFeatures.ts"
import { type Linear, linearScore, prepareLinear, scorerOf } from "../../../gateway/src/classifier/model/Tuned.ts"
import { rankOf } from "../../../gateway/src/classifier/model/Model.ts"
import { wordsOf } from "../../../gateway/src/classifier/features/Words.ts"
import { make, type Seen } from "../../src/training/PoolTraining.ts"
import { momentsOf, ridge, signedRidge } from "../../src/training/Ridge.ts"
import { defaultSettings, type Example, regressionOn } from "../../src/training/Training.ts"
import { build } from "../../../../scripts/router/build.ts"
import { dataFolder } from "../../../../scripts/router/data.ts"
import committed from "../../../gateway/src/classifier/model/default-model.json" with { type: "json" }

const seen = (features: Float64Array): Seen => ({ features, words: wordsOf("what is this") })

describe("ridge", () => {
  const random = seededRandom(3)
  const rows = Array.from({ length: 400 }, () => Float64Array.from({ length: 3 }, () => random() - 0.5))
  const labels = rows.map(([a, b]) => 2 * a! - b! + 5)

  it("recovers the weights behind exact labels, whatever their offset", () => {
    const weights = ridge(momentsOf(rows, labels), 1e-9)
    for (const [index, expected] of [2, -1, 0].entries()) assert.approximately(weights[index]!, expected, 1e-5)
  })

  it("keeps to the signs it is given, and then lets other weights say what they can", () => {
    const moments = momentsOf(rows, labels)
    const free = signedRidge(moments, [0, 0, 0], 1e-9)
    for (const [index, expected] of [2, -1, 0].entries()) assert.approximately(free[index]!, expected, 1e-5)
    const [up, down] = signedRidge(moments, [1, 1, 1], 1e-9)
    assert.isAbove(up!, 1.5)
    assert.strictEqual(down, 0)
  })

  it("shrinks weights as the penalty grows", () => {
    const size = (penalty: number) => Math.hypot(...ridge(momentsOf(rows, labels), penalty))
    assert.isBelow(size(0.1), size(0.001))
    assert.isBelow(size(1_000), 0.001)
  })
})

describe("the regression on the pool", () => {
  const code = featureNames.indexOf("code marks")
  const commas = featureNames.indexOf("commas")
  const numbers = featureNames.indexOf("numbers")
  const random = seededRandom(5)
  // Within each family commas make it harder, and code marks easier, which the model isn't allowed to believe.
  const examples: ReadonlyArray<Example> = Array.from({ length: 400 }, (_, index) => {
    const features = Float64Array.from(featureNames, () => 0)
    features[code] = random()
    features[commas] = random()
    const family = index % 2 === 0 ? "a" : "b"
    return {
      source: family,
      family,
      features,
      weak: 0.5 - 0.3 * (features[commas]! - features[code]!),
      strong: 0.9
    }
  })
  const weightsOf = (linear: Linear) => linear.features.map(({ weight }) => weight)

  it("learns what the weak model fails at, and no weight that points where its feature may not", () => {
    const weights = weightsOf(regressionOn(examples))
    assert.isAbove(weights[commas]!, 0)
    assert.strictEqual(weights[code], 0)
    assert.strictEqual(weights.filter((weight) => weight !== 0).length, 1)
  })

  it("learns from which families are hard as much as it is told to, and nothing from which sources of a family are", () => {
    const levels = (familyOf: (source: number) => string): ReadonlyArray<Example> =>
      examples.map((row, index) => {
        const source = index % 4
        const features = Float64Array.from(row.features)
        features[numbers] = source
        return { source: String(source), family: familyOf(source), features, weak: 0.8 - 0.2 * source, strong: 0.9 }
      })
    const apart = levels(String)
    assert.isAbove(weightsOf(regressionOn(apart))[numbers]!, 0)
    assert.isAbove(
      weightsOf(regressionOn(apart, { ...defaultSettings, between: 2 }))[numbers]!,
      weightsOf(regressionOn(apart))[numbers]!
    )
    assert.strictEqual(weightsOf(regressionOn(apart, { ...defaultSettings, between: 0 }))[numbers], 0)
    assert.strictEqual(weightsOf(regressionOn(levels(() => "one")))[numbers], 0)
  })
})

describe("make", () => {
  const commas = featureNames.indexOf("commas")
  const random = seededRandom(7)
  const examples: ReadonlyArray<Example & Seen> = Array.from({ length: 400 }, (_, index) => {
    const features = Float64Array.from(featureNames, () => 0)
    features[commas] = random()
    const source = index % 2 === 0 ? "a" : "b"
    return { source, family: source, ...seen(features), weak: 0.5 - 0.3 * features[commas]!, strong: 0.9 }
  })
  const questions = examples.slice(0, 120).map(({ weak, ...row }) => ({ ...row, difficulty: 1 - weak }))

  it("adds what is expected of a feature where no label says anything, in full, whatever else is learnt", () => {
    for (const model of [make(examples, [], examples), make(examples, questions, examples)]) {
      for (const [index, { weight }] of model.linear.features.entries()) {
        if (index !== commas) assert.strictEqual(weight, featureExpectations[index])
      }
      assert.isAbove(model.linear.features[commas]!.weight, 0)
    }
  })

  it("scores the reference mix evenly between 0 and 1", () => {
    const { linear, pool, quantiles } = make(examples, questions, examples)
    const compiled = prepareLinear(linear)
    const score = scorerOf(pool!, compiled)
    const ranks = examples.map(({ features, words }) =>
      rankOf(quantiles, score(linearScore(compiled, features), features, words))
    )
    // Of the questions that it learnt from it says a little too much.
    for (const share of [0.1, 0.25, 0.5, 0.75, 0.9]) {
      assert.approximately(ranks.filter((rank) => rank < share).length / ranks.length, share, 0.05)
    }
  })

  it("gives the same model for the same data", () => {
    assert.deepStrictEqual(make(examples, questions, examples), make(examples, questions, examples))
  })
})

const folder = dataFolder()
if (folder === undefined)
  console.log("skipped: no router/ under GATEWAY_DATA or ../shared/data, so the committed model isn't trained again")

describe.skipIf(folder === undefined)("the committed model", () => {
  it("is what the training script gives", () => {
    assert.deepStrictEqual<unknown>(build(folder!), committed)
  })
})
