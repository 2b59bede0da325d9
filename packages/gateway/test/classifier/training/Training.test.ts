import { assert, describe, it } from "@effect/vitest"
import { seededRandom } from "../../../src/classifier/SeededRandom.ts"
import { featureExpectations, featureNames } from "../../../src/classifier/features/Features.ts"
import { linearScore, prepareLinear } from "../../../src/classifier/model/LinearModel.ts"
import { rankOf } from "../../../src/classifier/model/Model.ts"
import { momentsOf, ridge, signedRidge } from "../../../src/classifier/training/Ridge.ts"
import { defaultSettings, type Example, train } from "../../../src/classifier/training/Training.ts"
import { build } from "../../../../../scripts/router/build.ts"
import { dataFolder } from "../../../../../scripts/router/data.ts"
import committed from "../../../src/classifier/model/default-model.json" with { type: "json" }

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

describe("train", () => {
  const code = featureNames.indexOf("code marks")
  const commas = featureNames.indexOf("commas")
  // Commas make it harder in both sources; code marks easier in both, which the model isn't allowed to believe.
  const examples = (): ReadonlyArray<Example> => {
    const random = seededRandom(5)
    return Array.from({ length: 400 }, (_, index) => {
      const features = Float64Array.from(featureNames, () => 0)
      features[code] = random()
      features[commas] = random()
      const weak = 0.5 - 0.3 * (features[commas]! - features[code]!)
      return { source: index % 2 === 0 ? "a" : "b", features, weak, strong: 0.9 }
    })
  }
  const reference = () => examples().map(({ features }) => features)
  const model = train(examples(), reference())
  const learnt = train(examples(), reference(), { ...defaultSettings, expectedWeight: 0 })

  it("learns what the weak model fails at", () => {
    assert.isAbove(learnt.linear.features[commas]!.weight, 0)
    assert.strictEqual(learnt.linear.features.filter(({ weight }) => weight !== 0).length, 1)
  })

  it("drops a weight that points where its feature may not", () => {
    assert.strictEqual(learnt.linear.features[code]!.weight, 0)
  })

  it("begins with what is expected of a feature, where no label says anything", () => {
    const silent = featureNames.flatMap((_, index) => (index === commas ? [] : [index]))
    assert.deepStrictEqual(
      silent.map((index) => Math.sign(model.linear.features[index]!.weight)),
      silent.map((index) => Math.sign(featureExpectations[index]!))
    )
  })

  it("listens to a source as far as its labels say anything", () => {
    const opposed = (strong: (weak: number) => number) =>
      examples().map((row) => {
        const weak = 0.5 + 0.3 * (row.features[commas]! + row.features[code]!)
        return row.source === "a" ? row : { ...row, weak, strong: strong(weak) }
      })
    const weightOf = (rows: ReadonlyArray<Example>) =>
      train(rows, reference(), { ...defaultSettings, expectedWeight: 0 }).linear.features[commas]!.weight
    // No better than the weak one on average: such answers say nothing of who needs the strong one.
    const mean = 0.8
    assert.isAbove(weightOf(opposed((weak) => weak + (weak < mean ? 0.1 : -0.1))), 0)
    assert.strictEqual(weightOf(opposed(() => 2)), 0)
  })

  it("scores the reference mix evenly between 0 and 1", () => {
    const ranks = examples().map(({ features }) =>
      rankOf(model.quantiles, linearScore(prepareLinear(model.linear), features))
    )
    for (const share of [0.1, 0.25, 0.5, 0.75, 0.9]) {
      assert.approximately(ranks.filter((rank) => rank < share).length / ranks.length, share, 0.01)
    }
  })

  it("gives the same model for the same data", () => {
    assert.deepStrictEqual(train(examples(), reference()), model)
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
