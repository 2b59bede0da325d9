/** Receipts to make, for tests of what listens to them. */
import type { Receipt, ReceiptAttempt } from "../../src/core/receipts/Receipt.ts"
import { noUsage } from "../../src/core/domain/Usage.ts"

export const attempt = (fields: Partial<ReceiptAttempt> = {}): ReceiptAttempt => ({
  deployment: "openai/gpt-5-mini",
  provider: "openai",
  model: "gpt-5-mini",
  outcome: "ok",
  httpStatus: 200,
  startedMs: 2,
  firstTokenMs: null,
  durationMs: 300,
  cost: 1_500,
  usage: { ...noUsage, input: 100, cachedInput: 20, output: 50, reasoning: 5 },
  estimated: false,
  ...fields
})

export const failed = (fields: Partial<ReceiptAttempt> = {}): ReceiptAttempt =>
  attempt({ outcome: "unavailable", httpStatus: 503, durationMs: 40, cost: 0, usage: noUsage, ...fields })

/** 2026-03-01T10:20:00Z */
export const NOW = Date.UTC(2026, 2, 1, 10, 20)

export const receipt = (fields: Partial<Receipt> = {}): Receipt => ({
  requestId: "req_0123456789abcdefghijklmn",
  at: NOW,
  durationMs: 320,
  keyId: "key_AAAAAAAAAAAA",
  team: "red",
  endpoint: "/v1/chat/completions",
  requestedModel: "auto",
  deployment: "openai/gpt-5-mini",
  provider: "openai",
  model: "gpt-5-mini",
  bucket: "simple",
  score: 0.2,
  reasons: ["short"],
  attempts: [attempt()],
  status: "ok",
  stream: false,
  priced: true,
  priceSource: "test",
  priceVersion: "1",
  tags: [],
  ...fields
})
