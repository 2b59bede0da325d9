import { assert, describe, it } from "@effect/vitest"
import { answerText } from "../../../../src/core/operations/chat/ChatAnswerText.ts"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { RoutingMetadata } from "../../../../src/core/operations/RoutingMetadata.ts"
import { noUsage } from "../../../../src/core/domain/Usage.ts"
import { deployment } from "../../call/Support.ts"

const report: RoutingMetadata = {
  requestId: "req_1",
  deployment: deployment("openai/a"),
  bucket: "none",
  score: 0,
  retries: 0,
  cost: 1_500,
  isPriced: true,
  dropped: []
}

const usage = { ...noUsage, input: 3, output: 4 }

/** What a provider's text becomes, and what became of it when it is parsed. */
const told = (text: string) => {
  const out = answerText({ body: JSON.parse(text) as JsonObject, text, usage }, usage, report)
  return { out, body: JSON.parse(out) as Record<string, JsonObject> }
}

describe("answerText", () => {
  it("keeps the provider's text, with cost and gateway put in between", () => {
    const text = '{"id":"x","n":1.0,"e":"\\u00e9","usage":{"prompt_tokens":3,"completion_tokens":4}} \n'
    const { body, out } = told(text)
    assert.include(out, '"n":1.0,"e":"\\u00e9"')
    assert.deepStrictEqual(body["usage"], { prompt_tokens: 3, completion_tokens: 4, cost: 0.0000015 })
    assert.strictEqual(body["gateway"]!["receipt_id"], "rcpt_1")
  })

  it.each([
    ["another usage inside", '{"choices":[{"usage":{"a":1}}],"usage" : {"prompt_tokens":3}}'],
    ["usage twice", '{"usage":{"prompt_tokens":1},"usage":{"prompt_tokens":3}}'],
    ["a text that says usage", '{"a":"\\"usage\\":{\\"","usage":{"prompt_tokens":3}}'],
    ["a text that is called usage", '{"a":"usage","usage":{"prompt_tokens":3}}'],
    ["a cost of the provider's own", '{"usage":{"prompt_tokens":3,"cost":7}}'],
    ["an empty usage", '{"usage":{}}'],
    ["no usage", '{"id":"x"}'],
    ["usage that is null", '{"usage":null}'],
    ["a gateway of the provider's own", '{"gateway":{"a":1},"usage":{"prompt_tokens":3}}']
  ])("is right whatever the provider wrote: %s", (_, text) => {
    const { body } = told(text)
    const before = JSON.parse(text) as Record<string, JsonObject>
    assert.strictEqual(body["usage"]!["cost"], 0.0000015)
    if (before["usage"]?.["prompt_tokens"] === 3) assert.strictEqual(body["usage"]!["prompt_tokens"], 3)
    assert.strictEqual(body["gateway"]!["decision"], "openai/a")
    const rest = (one: object) => ({ ...one, usage: undefined, gateway: undefined })
    assert.deepStrictEqual(rest(body), rest(before))
  })
})
