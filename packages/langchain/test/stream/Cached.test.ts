import { assert, describe, it } from "@effect/vitest"
import { ChatGateway } from "../../src/index.ts"
import { useGateway } from "../support/UseGateway.ts"

const gateway = useGateway()

/** Without ids and what the gateway says of this request. */
const shape = (chunks: ReadonlyArray<unknown>): unknown =>
  JSON.parse(
    JSON.stringify(chunks, (name, value) =>
      ["id", "gateway", "cost", "cost_usd", "headers", "request_id", "receipt_id"].includes(name) ? undefined : value
    )
  )

describe("a stream of the response cache", () => {
  it("is the same as the first one, but for its ids and its cost", async () => {
    const { apiKey, baseUrl } = await gateway().client({ cache: { mode: "on" } })
    const model = new ChatGateway({ model: "demo/mini", apiKey, baseUrl })
    const read = async () => {
      const chunks: Array<{ readonly content: unknown; readonly type: string; readonly usage: unknown }> = []
      for await (const { content, type, usage_metadata: usage } of await model.stream("Name a river.")) {
        chunks.push({ content, type, usage })
      }
      return chunks
    }
    const first = await read()
    let second = await read()
    assert.deepStrictEqual(shape(second), shape(first))
    second = await read()
    assert.deepStrictEqual(shape(second), shape(first))
    const spend = await fetch(`${gateway().url}/admin/spend?group_by=key`, {
      headers: { authorization: `Bearer ${gateway().masterKey}` }
    })
    assert.include(await spend.text(), '"cache_hits"')
  })
})
