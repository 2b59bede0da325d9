import { assert, it } from "@effect/vitest"
import { nano } from "./Gateway.ts"
import { useGateway } from "./UseGateway.ts"

const gateway = useGateway()

it("the books of a key are told in one way: receipts, ledger rows and spend agree", async () => {
  const { apiKey, baseUrl, id } = await gateway().client({ name: "books", tags: ["support"] })
  const ask = async (model: string) => {
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Say hello." }] })
    })
    await response.text()
    return response
  }
  const answered = await ask("auto")
  assert.strictEqual(answered.status, 200)
  assert.strictEqual((await ask("failover")).headers.get("x-gateway-retries"), "1")

  const receipts = await gateway().receipts(id, 2)
  assert.deepStrictEqual(
    receipts.map((receipt) => [receipt.requested_model, receipt.status, receipt.attempts.length]),
    [
      ["auto", "ok", 1],
      ["failover", "ok", 2]
    ]
  )
  const first = await gateway().receipt(answered.headers.get("x-gateway-receipt-id") ?? "")
  assert.strictEqual(nano(first.cost_usd), nano(Number(answered.headers.get("x-gateway-cost-usd"))))
  const rows = await gateway().ledger(id, 2)
  const booked = rows.reduce((sum, row) => sum + row.cost, 0)
  assert.isAbove(booked, 0)
  assert.strictEqual(nano(await gateway().spent(id)), booked)
  assert.strictEqual(nano(receipts[0]!.cost_usd) + nano(receipts[1]!.cost_usd), booked)
})
