import { assert, describe, it } from "@effect/vitest"
import { Script, TestGateway } from "@model-gateway/gateway/testing"
import { Effect } from "effect"
import type { Receipt } from "../../src/core/receipts/Receipt.ts"
import { ReceiptEvents } from "../../src/core/receipts/ReceiptEvents.ts"

const messages = [{ role: "user", content: "Hello" }]

describe("a receipt", () => {
  for (const [path, body, reason] of [
    ["/v1/chat/completions", { messages, temperature: 0.5, max_tokens: 9 }, "stop"],
    ["/v1/messages", { messages, temperature: 0.5, max_tokens: 9 }, "end_turn"],
    ["/v1/responses", { input: "Hello", temperature: 0.5, max_output_tokens: 16 }, "completed"]
  ] as const) {
    it.effect(
      `of ${path} has what traces tell: parameters, the answer's id, model and reasons, plain and streamed`,
      () =>
        Effect.gen(function* () {
          const gateway = yield* TestGateway
          const receipts: Array<Receipt> = []
          const log = yield* ReceiptEvents
          log.listen((receipt) => void receipts.push(receipt))
          const headers = { authorization: `Bearer ${yield* gateway.createKey()}` }
          for (const stream of [false, true]) {
            const sent = { model: "own/m", ...body, ...(stream ? { stream } : {}) }
            const answer = yield* gateway.send({ method: "POST", path, headers, body: sent })
            assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
          }
          for (const { attempts, parameters } of receipts) {
            const [attempt] = attempts
            assert.strictEqual(attempt?.baseUrl, "https://own.test/v1")
            assert.deepStrictEqual(attempt?.answer?.finishReasons, [reason])
            assert.isString(attempt?.answer?.id)
            assert.isString(attempt?.answer?.model)
            assert.strictEqual(parameters?.temperature, 0.5)
            assert.isNumber(parameters?.maxTokens)
          }
          assert.lengthOf(receipts, 2)
        }).pipe(
          Effect.provide(
            TestGateway.layer({
              providers: { own: { protocol: "openai-chat", base_url: "https://own.test/v1" } },
              deployments: ["own/m"],
              scripts: { own: [Script.answer("Hi there")] }
            })
          )
        )
    )
  }
})
