/** An effort of the Messages API on its way to a model that has no Messages API. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Script, TestGateway } from "../../../../src/testing/index.ts"

const sent = (fields: object) =>
  Effect.gen(function* () {
    const gateway = yield* TestGateway
    const script = yield* Script
    const key = yield* gateway.createKey()
    yield* gateway.send({
      method: "POST",
      path: "/v1/messages",
      headers: { "x-api-key": key },
      body: { model: "up/m", max_tokens: 1000, messages: [{ role: "user", content: "hi" }], ...fields }
    })
    return (yield* script.requests).at(-1)?.body as { readonly reasoning_effort?: string } | undefined
  }).pipe(
    Effect.provide(
      TestGateway.layer({
        providers: { up: { protocol: "openai-chat", base_url: "https://up.test/v1" } },
        deployments: ["up/m"],
        scripts: { "*": [Script.answer("ok")] }
      })
    )
  )

describe("an effort at /v1/messages", () => {
  it.effect("is kept with and without `thinking`, and is none where thinking is off", () =>
    Effect.gen(function* () {
      const output_config = { effort: "high" }
      assert.strictEqual((yield* sent({ output_config }))?.reasoning_effort, "high")
      assert.strictEqual((yield* sent({ output_config, thinking: { type: "adaptive" } }))?.reasoning_effort, "high")
      assert.strictEqual((yield* sent({ output_config, thinking: { type: "disabled" } }))?.reasoning_effort, "none")
      assert.notProperty(yield* sent({}), "reasoning_effort")
    })
  )
})
