/** Ids of answers: clients overwrite messages that share one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventsOf } from "../support/RawHttp.ts"
import { completion, completionEvents } from "../support/Upstream.ts"
import { facing } from "./Facing.ts"

const repeating = (stream: boolean) => ({ body: stream ? completionEvents("one ", "two") : completion("one two") })

describe("the id of an answer", () => {
  it.live("is replaced where the provider has told it before, plain and streamed", () =>
    Effect.gen(function* () {
      const { chat } = yield* facing(repeating)
      const ids: Array<string> = []
      for (let n = 0; n < 6; n++) {
        const stream = n % 2 === 1
        const { json, text } = yield* chat({ stream, stream_options: stream ? { include_usage: true } : undefined })
        if (!stream) {
          ids.push(json.id)
          assert.strictEqual(json.choices[0].message.content, "one two")
          continue
        }
        const events = eventsOf(text).filter((event) => typeof event === "object")
        const ofEvents = new Set<string>(events.map((event) => event.id))
        assert.strictEqual(ofEvents.size, 1, text)
        assert.isTrue(text.endsWith("data: [DONE]\n\n"))
        ids.push(...ofEvents)
      }
      assert.strictEqual(ids[0], "chatcmpl-upstream")
      assert.strictEqual(new Set(ids).size, 6, ids.join())
      for (const id of ids) assert.match(id, /^chatcmpl-[\w-]+$/)
    })
  )

  it.live("is replaced wherever in the answer it stands, and nothing else is", () =>
    Effect.gen(function* () {
      const { id, ...rest } = completion('"id":"same"') as { readonly id: string }
      const { chat } = yield* facing({ body: { ...rest, tool: { id: "same" }, id: "same", note: id } })
      const [first, second] = [yield* chat(), yield* chat()]
      assert.strictEqual(first.json.id, "same")
      assert.notStrictEqual(second.json.id, "same")
      const { gateway: _, id: __, ...told } = second.json
      const { gateway: ___, id: ____, ...before } = first.json
      assert.deepStrictEqual(told, before)
    })
  )
})
