/** The recorded moderation. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { moderations } from "../../../../../src/core/operations/moderations/Moderations.ts"
import { OpenAiModerations } from "../../../../../src/providers/protocols/openai/embeddings/OpenAiEmbeddings.ts"
import { problemWith } from "../../../../support/OpenAiSchema.ts"
import { hasData, loadFamily, sayWhenMissing } from "../../../../support/Transcripts.ts"
import { callOf } from "../Support.ts"

sayWhenMissing("replay of the moderations recording")

describe.skipIf(!hasData)("the recorded moderation", () => {
  const exchanges = loadFamily("openai.moderations")

  it("leaves as it came but for the model, and comes out as it is", () => {
    assert.lengthOf(exchanges, 1)
    for (const { request, response } of exchanges) {
      const value = request.body ?? {}
      const read = Result.getOrThrow(moderations.read({ kind: "json", value, bytes: 40 }))
      const call = { ...callOf(value, { model: "omni-moderation-latest" }), operation: "moderations", request: read }
      const wire = Result.getOrThrow(OpenAiModerations.lower(call))
      assert.deepStrictEqual(JSON.parse(wire.body), { ...value, model: "omni-moderation-latest" })
      assert.strictEqual(wire.path, "/moderations")
      const text = Buffer.from(response.bytes).toString()
      const { body, usage } = Result.getOrThrow(OpenAiModerations.lift(text, call))
      assert.deepStrictEqual(body, JSON.parse(text))
      assert.isUndefined(usage)
      // The older model that was recorded knows neither `illicit` nor to what it looked at.
      const problems = problemWith("CreateModerationResponse", body)?.split("; ") ?? []
      for (const problem of problems)
        assert.match(problem, /'(?:illicit|illicit\/violent|category_applied_input_types)'/)
    }
  })
})
