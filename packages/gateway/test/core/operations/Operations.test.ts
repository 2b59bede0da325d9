import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { RoutedRequest } from "../../../src/core/operations/CallRequest.ts"
import type { InvalidField } from "../../../src/core/domain/Errors.ts"
import { operationNames } from "../../../src/core/domain/OperationName.ts"
import { allOperations, operationAt } from "../../../src/core/operations/Operations.ts"

const parse = (endpoint: string, body: unknown): Result.Result<RoutedRequest, InvalidField> => {
  const bytes = JSON.stringify(body)?.length ?? 0
  return (operationAt(endpoint) ?? assert.fail(endpoint)).read({ kind: "json", value: body, bytes })
}
const read = (endpoint: string, body: object) =>
  Result.getOrThrowWith(parse(endpoint, { model: "auto", ...body }), (error) => error)
const param = (endpoint: string, body: unknown) =>
  Result.match(parse(endpoint, body), { onFailure: (error) => error.param, onSuccess: () => "" })

describe("an operation", () => {
  it("takes parts of a kind it does not know for what can't be read", () => {
    const ask = (...content: ReadonlyArray<object>) =>
      read("/v1/chat/completions", { messages: [{ role: "user", content }] })
    const video = { type: "video_url", video_url: { url: "https://example.com/a.mp4" } }
    assert.deepInclude(ask(video), { prompt: "", hasUnread: true, needs: ["chat"] })
    assert.deepInclude(ask(video, { type: "text", text: "What is this?" }), {
      prompt: "What is this?",
      hasUnread: true
    })
    assert.deepInclude(ask({ type: "text", text: "" }), { prompt: "", hasUnread: false })
  })

  it("reads the prompt of Completions: the longest of several, and tokens as what can't be read", () => {
    assert.deepInclude(read("/v1/completions", { prompt: "Hi", max_tokens: 5 }), { prompt: "Hi", maxOutput: 5 })
    assert.strictEqual(read("/v1/completions", { prompt: ["a", "the long one", "b"] }).prompt, "the long one")
    for (const prompt of [
      [1, 2, 3],
      [[1], [2, 3]]
    ]) {
      assert.deepInclude(read("/v1/completions", { prompt }), { prompt: "", hasUnread: true })
    }
  })

  it("needs vectors for Embeddings, and nothing else", () => {
    for (const input of ["Hi", ["a", "b"], [1, 2], [[1], [2]]]) {
      assert.deepStrictEqual(read("/v1/embeddings", { input }).needs, ["embeddings"])
    }
  })

  it("names the field that is wrong", () => {
    const wrong: ReadonlyArray<readonly [string, object, string]> = [
      ["/v1/completions", { prompt: {} }, "prompt"],
      ["/v1/completions", { prompt: [true] }, "prompt"],
      ["/v1/completions", { prompt: "x", n: -1 }, "n"],
      ["/v1/embeddings", { input: [] }, "input"],
      ["/v1/embeddings", {}, "input"],
      ["/v1/chat/completions", { messages: [] }, "messages"]
    ]
    for (const [endpoint, body, field] of wrong) assert.strictEqual(param(endpoint, { model: "auto", ...body }), field)
    assert.strictEqual(param("/v1/embeddings", { input: "x" }), "model")
  })
})

it("has a name that a configuration may have, and no name is left over", () => {
  assert.sameMembers(
    allOperations.map(({ name }) => name),
    [...operationNames]
  )
})
