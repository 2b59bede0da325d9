import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../src/core/ChatRequest.ts"
import { answerText } from "../../src/core/AnswerText.ts"
import { noUsage } from "../../src/core/Usage.ts"
import { deployment } from "./Support.ts"

const report = {
  requestId: "req_1",
  deployment: deployment("openai/a"),
  bucket: "none",
  score: 0,
  retries: 0,
  cost: 9_000,
  isPriced: true,
  dropped: []
}

const told = (text: string) => {
  const body = JSON.parse(text) as JsonObject
  const out = JSON.parse(answerText({ body, text, usage: noUsage }, noUsage, report)) as Record<string, unknown>
  const { gateway, usage, ...rest } = out as { gateway: JsonObject; usage: JsonObject }
  const { usage: before, ...restBefore } = body as { usage: JsonObject }
  const { cost, ...counted } = usage
  return {
    cost,
    costInGateway: gateway["cost_usd"],
    same: JSON.stringify([rest, counted]) === JSON.stringify([restBefore, before])
  }
}

describe("the cost of a whole answer", () => {
  for (const [name, text] of [
    ["plain", '{"id":"a","choices":[],"usage":{"prompt_tokens":5}}'],
    ["spaced, with something after it", '{"id": "a", "usage": {"prompt_tokens": 5}, "b": {}}\n  '],
    ["usage of its own in a choice", '{"choices":[{"usage":{"x":1}}],"usage":{"prompt_tokens":5}}'],
    ["usage in a choice, spaced otherwise", '{"choices":[{"usage":{"x":1}}],"usage": {"prompt_tokens":5}}'],
    ["usage in a choice, and none of the answer's", '{"choices":[{"usage":{"x":1}}],"usage":{}}'],
    ["text that quotes it", String.raw`{"choices":["say \"usage\":{\"x\":1"],"usage":{"prompt_tokens":5}}`],
    ["text that is it", '{"choices":["usage"],"usage":{"prompt_tokens":5}}'],
    ["a name that ends in it", String.raw`{"a\"usage":{"x":1},"usage": {"prompt_tokens":5}}`]
  ] as const) {
    it(`stands in its usage and nowhere else: ${name}`, () => {
      assert.deepStrictEqual(told(text), { cost: 0.000009, costInGateway: 0.000009, same: true })
    })
  }
})
