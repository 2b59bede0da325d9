import { assert, describe, it } from "@effect/vitest"
import { AIMessage } from "@langchain/core/messages"
import { decisionOfBody, decisionOfHeaders } from "../../src/spend/Decision.ts"
import { gatewayDecision } from "../../src/index.ts"

const headers = {
  "x-gateway-decision": "openrouter/meta/llama-3",
  "x-gateway-deployment": "or-llama",
  "x-gateway-route-bucket": "simple",
  "x-gateway-route-score": "0.1103",
  "x-gateway-cost-usd": "0.000041550",
  "x-gateway-retries": "1",
  "x-request-id": "req_1",
  "x-gateway-receipt-id": "rcpt_1"
}
const decision = {
  deployment: "or-llama",
  provider: "openrouter",
  model: "meta/llama-3",
  bucket: "simple",
  score: 0.1103,
  costUsd: 0.00004155,
  costIsFinal: true,
  retries: 1,
  requestId: "req_1",
  receiptId: "rcpt_1",
  guardrail: null
}

describe("the headers tell", () => {
  it("everything", () => assert.deepStrictEqual(decisionOfHeaders(new Headers(headers)), decision))

  it("that a stream's cost is not final, and that an unpriced model's is unknown", () => {
    const stream = decisionOfHeaders(new Headers({ ...headers, "x-gateway-cost-final": "false" }))
    assert.isFalse(stream?.costIsFinal)
    const unpriced = { ...headers, "x-gateway-cost-usd": "0", "x-gateway-cost-known": "false" }
    assert.isNull(decisionOfHeaders(new Headers(unpriced))?.costUsd)
  })

  it("names that were encoded, and leaves alone those that were not", () => {
    for (const [header, model] of [
      ["p/caf%C3%A9%20100%25", "café 100%"],
      ["p/100%", "100%"],
      ["p/a%41", "a%41"],
      ["p/%zz", "%zz"]
    ] as const) {
      assert.strictEqual(decisionOfHeaders(new Headers({ ...headers, "x-gateway-decision": header }))?.model, model)
    }
  })

  it("nothing when they are somebody else's", () => {
    assert.isUndefined(decisionOfHeaders(new Headers({ "content-type": "application/json" })))
    const garbage = { "x-gateway-decision": "m", "x-gateway-cost-usd": "free", "x-gateway-route-score": "high" }
    assert.deepInclude(decisionOfHeaders(new Headers(garbage)), { provider: "", model: "m", costUsd: null, score: 0 })
  })
})

describe("the body tells", () => {
  const body = {
    decision: "p/m",
    deployment: "d",
    bucket: "none",
    score: 0,
    cost_usd: 0.5,
    retries: 0,
    receipt_id: "r"
  }

  it("the exact cost, whatever the headers held back", () => {
    const streamed = new Headers({ ...headers, "x-gateway-cost-final": "false" })
    assert.deepInclude(decisionOfBody(body, streamed), { deployment: "d", costUsd: 0.5, costIsFinal: true, retries: 0 })
    assert.isNull(decisionOfBody({ ...body, cost_usd: null }, streamed)?.costUsd)
  })

  it("what guardrails did", () => {
    const guardrail = { check: "pii", action: "masked" }
    assert.deepStrictEqual(decisionOfBody({ ...body, guardrail }, new Headers(headers))?.guardrail, guardrail)
    assert.isNull(decisionOfBody(body, new Headers(headers))?.guardrail)
  })

  it("nothing when it is somebody else's", () => {
    for (const value of [undefined, null, "x", {}, { decision: 1 }]) {
      assert.isUndefined(decisionOfBody(value, new Headers(headers)))
    }
  })
})

it("gatewayDecision reads messages of ours and no others", () => {
  assert.deepStrictEqual(
    gatewayDecision(new AIMessage({ content: "", response_metadata: { gateway: decision } })),
    decision
  )
  for (const other of [new AIMessage(""), new AIMessage({ content: "", response_metadata: { gateway: "x" } }), null]) {
    assert.isUndefined(gatewayDecision(other))
  }
})
