/** `builtin@1` scores as the release did that it shipped with, whatever was learnt and counted since. */
import { assert, describe, it } from "@effect/vitest"
import { ladders, languages } from "../../../../../bench/router/Prompts.ts"
import { classify } from "../../../src/classifier/PromptScore.ts"
import { builtinModel, defaultModel } from "../../../src/classifier/model/Builtin.ts"
import { builtinModels } from "../../../src/core/domain/Settings.ts"
import scores from "./builtin-1-scores.json" with { type: "json" }

const prompts = [
  ...ladders.flatMap(({ rungs }) => rungs),
  ...Object.values(languages).flatMap((levels) => Object.values(levels).flat())
]

describe("the models that ship by their names", () => {
  it("builtin@1 gives each prompt the score that it gave when it was the only one", () => {
    const first = builtinModel("builtin@1")!
    assert.strictEqual(scores.length, prompts.length)
    for (const [i, prompt] of prompts.entries()) {
      assert.strictEqual(classify(prompt, first).score, scores[i], prompt)
    }
  })

  it("the last is what scores where none is named, and no other name is one", () => {
    assert.strictEqual(builtinModel(builtinModels.at(-1)!), defaultModel)
    for (const name of builtinModels) assert.isDefined(builtinModel(name))
    assert.isUndefined(builtinModel("builtin@3"))
    assert.notStrictEqual(classify(prompts[1]!).score, classify(prompts[1]!, builtinModel("builtin@1")).score)
  })
})
