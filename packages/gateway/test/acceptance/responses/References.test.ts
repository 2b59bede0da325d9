/** Items that requests refer to, and what they can't refer to, through the port, with the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rejected, resolved } from "../Promised.ts"
import { connected, problemOf, told } from "./Speaking.ts"

describe("item_reference", () => {
  it.live("stands for an item that was stored", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* connected()
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "first" }))
      const items = one.output.map((item) => ({ type: "item_reference" as const, id: item.id! }))
      const input = [
        { role: "user" as const, content: "first" },
        ...items,
        { role: "user" as const, content: "second" }
      ]
      const two = yield* resolved(() => client.responses.create({ model: "m", input }))
      assert.deepStrictEqual(told(asked[1]!), ["user: first", "reasoning", "assistant: answer 0", "user: second"])
      // What was stored does not hang on what it referred to.
      yield* resolved(() => client.responses.delete(one.id))
      yield* resolved(() => client.responses.create({ model: "m", input: "third", previous_response_id: two.id }))
      assert.lengthOf(told(asked[2]!), 7)
    })
  )

  it.live("to nothing is a mistake in its place", () =>
    Effect.gen(function* () {
      const { client } = yield* connected()
      const input = [
        { role: "user" as const, content: "Hi" },
        { type: "item_reference" as const, id: "msg_never" }
      ]
      const wrong = yield* rejected(() => client.responses.create({ model: "m", input }))
      assert.deepStrictEqual(problemOf(wrong), [400, "invalid_field", "input[1].id"])
    })
  )
})

describe("what is not supported", () => {
  it.live("a conversation is refused, before anybody is asked", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* connected()
      const wrong = yield* rejected(() => client.responses.create({ model: "m", input: "Hi", conversation: "conv_1" }))
      assert.deepStrictEqual(problemOf(wrong), [400, "invalid_field", "conversation"])
      assert.lengthOf(asked, 0)
    })
  )
})
