/** Stored responses, through the port, with the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import type { Asked } from "../../support/Upstream.ts"
import { rejected, resolved } from "../Promised.ts"
import { connected, counting, noPrevious, problemOf, told } from "./Speaking.ts"

describe("a stored response", () => {
  it.live("is read back as it was answered, with its cost", () =>
    Effect.gen(function* () {
      const { client } = yield* connected()
      const { _request_id: _, ...answered } = yield* resolved(() =>
        client.responses.create({ model: "m", input: "Hi" })
      )
      const { _request_id: __, ...stored } = yield* resolved(() => client.responses.retrieve(answered.id))
      assert.deepStrictEqual(stored, answered)
      assert.isAbove(Number(Reflect.get(stored.usage!, "cost")), 0)
    })
  )

  it.live("is read back as a stream, from the beginning or after an event", () =>
    Effect.gen(function* () {
      const { client } = yield* connected()
      const { id } = yield* resolved(() => client.responses.create({ model: "m", input: "Hi" }))
      const events = (after?: number) =>
        resolved(async () => {
          const query = { stream: true as const, ...(after === undefined ? {} : { starting_after: after }) }
          const types: Array<string> = []
          for await (const event of await client.responses.retrieve(id, query)) {
            types.push(`${event.sequence_number} ${event.type}`)
            if (event.type === "response.completed") assert.strictEqual(event.response.id, id)
          }
          return types
        })
      const all = yield* events()
      assert.deepStrictEqual(all.slice(0, 2), ["0 response.created", "1 response.in_progress"])
      assert.include(all.join(), "response.output_text.delta")
      assert.strictEqual(all.at(-1), `${all.length - 1} response.completed`)
      assert.deepStrictEqual(yield* events(3), all.slice(4))
      // The first stream had more events than this one: what was missed then is in the last.
      assert.deepStrictEqual(yield* events(500), ["501 response.completed"])
    })
  )

  it.live("tells what the model was given, in pages of the client", () =>
    Effect.gen(function* () {
      const { client } = yield* connected()
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "first" }))
      const two = yield* resolved(() =>
        client.responses.create({ model: "m", input: "second", previous_response_id: one.id })
      )
      const texts = (query: object) =>
        resolved(async () => {
          const found: Array<string> = []
          for await (const item of client.responses.inputItems.list(two.id, query)) {
            assert.match(String(item.id), /^(?:msg|rs)_gw[0-9a-f]{32}$/)
            found.push(told({ body: { input: [item] } } as Asked)[0]!)
          }
          return found
        })
      const all = ["user: first", "reasoning", "assistant: answer 0", "user: second"]
      assert.deepStrictEqual(yield* texts({ order: "asc" }), all)
      assert.deepStrictEqual(yield* texts({ limit: 1 }), all.toReversed())
      assert.deepStrictEqual(yield* texts({ limit: 3, order: "asc", include: ["reasoning.encrypted_content"] }), all)
      for (const [query, param] of [
        [{ limit: 101 }, "limit"],
        [{ order: "up" }, "order"],
        [{ after: "msg_never" }, "after"],
        [{ include: ["everything"] }, "include"]
      ] as const) {
        const wrong = yield* rejected(() => client.responses.inputItems.list(two.id, query as object))
        assert.deepStrictEqual(problemOf(wrong), [400, "invalid_field", param])
      }
    })
  )

  it.live("is deleted once, and is nothing to other keys", () =>
    Effect.gen(function* () {
      const { client, ...gateway } = yield* connected()
      const { id } = yield* resolved(() => client.responses.create({ model: "m", input: "Hi" }))
      const stranger = yield* gateway.createKey()
      const as = (key: string, method: string, path = "") =>
        Effect.map(call(gateway.url, { method, path: `/v1/responses/${id}${path}`, key }), ({ json, status }) => [
          status,
          json.error?.message
        ])
      const gone = [404, `There is no response \`${id}\`.`]
      const looks = [["GET"], ["GET", "?stream=true"], ["GET", "/input_items"], ["DELETE"]] as const
      for (const [method, path] of looks) assert.deepStrictEqual(yield* as(stranger.secret, method, path), gone)
      const deleted = yield* call(gateway.url, { method: "DELETE", path: `/v1/responses/${id}`, key: gateway.secret })
      assert.deepStrictEqual(deleted.json, { id, object: "response", deleted: true })
      for (const [method, path] of looks) assert.deepStrictEqual(yield* as(gateway.secret, method, path), gone)
      const cancelled = yield* as(gateway.secret, "POST", "/cancel")
      assert.strictEqual(cancelled[0], 404)
    })
  )

  it.live("is erased with the revocation of its key", () =>
    Effect.gen(function* () {
      const { admin, client, id, stored } = yield* connected()
      yield* resolved(() => client.responses.create({ model: "m", input: "Hi" }))
      assert.isNotEmpty(yield* stored)
      assert.strictEqual((yield* admin("DELETE", `/admin/keys/${id}`)).status, 200)
      assert.isEmpty(yield* stored)
    })
  )
})

describe("store", () => {
  it.live("false keeps nothing", () =>
    Effect.gen(function* () {
      const { client } = yield* connected()
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "Hi", store: false }))
      assert.strictEqual(Reflect.get(one, "store"), false)
      assert.strictEqual(problemOf(yield* rejected(() => client.responses.retrieve(one.id)))[0], 404)
      const next = { model: "m", input: "Hi", previous_response_id: one.id }
      assert.deepStrictEqual(problemOf(yield* rejected(() => client.responses.create(next))), noPrevious)
    })
  )

  it.live("off in the configuration keeps nothing, and says so", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* connected(counting, "responses: { store: off }")
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "Hi", store: true }))
      assert.strictEqual(Reflect.get(one, "store"), false)
      assert.strictEqual(problemOf(yield* rejected(() => client.responses.retrieve(one.id)))[0], 404)
      const next = { model: "m", input: "Hi", previous_response_id: one.id }
      const refused = yield* rejected(() => client.responses.create(next))
      assert.deepStrictEqual(problemOf(refused), [400, "invalid_field", "previous_response_id"])
      assert.include(String(refused), "responses.store")
      assert.lengthOf(asked, 1)
    })
  )
})

describe("input tokens", () => {
  it.live("are counted with the conversation before, for nothing, and without a call", () =>
    Effect.gen(function* () {
      const { asked, client, ledger } = yield* connected()
      const count = (fields: object) =>
        client.responses.inputTokens.count({ model: "m", ...fields }) as Promise<{
          object: string
          input_tokens: number
        }>
      const one = yield* resolved(() => count({ input: "How long is this river?", stream: true }))
      assert.deepInclude(one, { object: "response.input_tokens", input_tokens: 11 })
      const { id } = yield* resolved(() => client.responses.create({ model: "m", input: "Name a river." }))
      const two = yield* resolved(() => count({ input: "How long is this river?", previous_response_id: id }))
      assert.isAbove(two.input_tokens, 20)
      assert.include(JSON.stringify(two), '"estimated":true')
      assert.lengthOf(asked, 1)
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost }) => cost > 0),
        [false, true, false]
      )
      const wrong = yield* rejected(() => count({}))
      assert.deepStrictEqual(problemOf(wrong), [400, "invalid_field", "input"])
    })
  )
})
