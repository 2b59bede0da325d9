/** A caller that leaves a stream in the middle: the gateway knows, ends the provider's call, and books what was used. */
import { assert, describe, it } from "@effect/vitest"
import { StringOutputParser } from "@langchain/core/output_parsers"
import { type Connected, connect } from "../support/Model.ts"
import { nano } from "../support/Gateway.ts"
import { useGateway } from "../support/UseGateway.ts"

const gateway = useGateway()

const leaves: ReadonlyArray<readonly [string, (model: Connected["model"]) => Promise<void>]> = [
  [
    "break",
    async (model) => {
      let chunks = 0
      for await (const chunk of await model.stream("Hello")) if (chunk.text !== "" && ++chunks === 3) break
    }
  ],
  [
    "return()",
    async (model) => {
      const stream = await model.stream("Hello")
      await stream.next()
      await stream.return()
    }
  ],
  [
    "an error of the caller's own",
    async (model) => {
      const reading = async () => {
        for await (const chunk of await model.stream("Hello")) if (chunk.text !== "") throw new Error("enough")
      }
      await reading().catch(() => undefined)
    }
  ],
  [
    "an aborted signal",
    async (model) => {
      const controller = new AbortController()
      const reading = async () => {
        for await (const chunk of await model.stream("Hello", { signal: controller.signal })) {
          if (chunk.text !== "") controller.abort()
        }
      }
      await reading().catch(() => undefined)
    }
  ],
  [
    "leaving a chain around the model",
    async (model) => {
      const chain = model.pipe(new StringOutputParser())
      for await (const text of await chain.stream("Hello")) if (text !== "") break
    }
  ],
  [
    "leaving its events",
    async (model) => {
      for await (const { event } of model.streamEvents("Hello", { version: "v2" })) {
        if (event === "on_chat_model_stream") break
      }
    }
  ]
]

describe("leaving a stream by", () => {
  for (const [way, leave] of leaves) {
    it(`${way}: cut by the client, settled, nothing held`, async () => {
      const { keyId, model } = await connect(gateway(), { model: "paced/standard" }, { budget_usd: 1 })
      await leave(model)
      const [receipt] = await gateway().receipts(keyId, 1)
      assert.strictEqual(receipt?.status, "client_gone")
      assert.isTrue(receipt?.client_disconnected)
      // The whole answer has more than a hundred tokens, and takes seconds.
      assert.isBelow(receipt?.usage.output ?? 100, 50)
      assert.deepStrictEqual(
        receipt?.attempts.map(({ outcome }) => outcome),
        ["client_gone"]
      )
      const rows = await gateway().ledger(keyId, 1)
      assert.deepStrictEqual(
        rows.map(({ status }) => status),
        ["settled"]
      )
      assert.isAbove(rows[0]?.cost ?? 0, 0)
      assert.strictEqual(rows[0]?.cost, nano(receipt?.cost_usd))
      const { budgets } = await gateway().admin("GET", `/admin/keys/${keyId}`)
      assert.strictEqual(budgets[0].reserved_usd, 0)
      assert.strictEqual(nano(budgets[0].spent_usd), rows[0]?.cost)
    })
  }
})
