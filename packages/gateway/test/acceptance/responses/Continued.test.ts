/** Conversations that go on by the id of a stored response, through the port, with the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { claude } from "./Claude.ts"
import { connected, counting, noPrevious, speaking, told, yaml } from "./Speaking.ts"
import { response } from "./Wire.ts"

describe("previous_response_id", () => {
  it.live("sends the whole conversation, thoughts included, and no id of the gateway", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* connected()
      const one = yield* resolved(() =>
        client.responses.create({ model: "m", input: "first", instructions: "Be brief." })
      )
      const two = yield* resolved(() =>
        client.responses.create({ model: "m", input: "second", previous_response_id: one.id })
      )
      yield* resolved(() => client.responses.create({ model: "m", input: "third", previous_response_id: two.id }))
      assert.deepStrictEqual(told(asked[2]!), [
        "user: first",
        "reasoning",
        "assistant: answer 0",
        "user: second",
        "reasoning",
        "assistant: answer 1",
        "user: third"
      ])
      assert.deepStrictEqual(
        asked.map(({ body }) => [body.previous_response_id, body.store, body.instructions]),
        [
          [undefined, false, "Be brief."],
          [undefined, false, undefined],
          [undefined, false, undefined]
        ]
      )
      assert.notInclude(JSON.stringify(asked.map(({ body }) => body)), "_gw")
      assert.strictEqual(asked[2]!.body.input[1].encrypted_content, "gAAAA-secret")
      assert.deepStrictEqual([one.previous_response_id, two.previous_response_id], [null, one.id])
    })
  )

  it.live("continues a streamed response with a streamed one", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* connected()
      const ids: Array<string> = []
      for (const input of ["first", "second"]) {
        const stream = yield* resolved(() =>
          client.responses.create({ model: "m", input, stream: true, previous_response_id: ids.at(-1) ?? null })
        )
        yield* resolved(async () => {
          for await (const event of stream) {
            if (event.type !== "response.completed") continue
            assert.strictEqual(event.response.previous_response_id, ids.at(-1) ?? null)
            ids.push(event.response.id)
          }
        })
      }
      assert.deepStrictEqual(told(asked[1]!), ["user: first", "reasoning", "assistant: answer 0", "user: second"])
      const stored = yield* resolved(() => client.responses.retrieve(ids[1]!))
      assert.strictEqual(stored.output_text, "answer 1")
    })
  )

  it.live("continues after a restart", () =>
    Effect.gen(function* () {
      const { asked, started } = yield* speaking()
      const scope = yield* Scope.make()
      const before = yield* Scope.provide(started, scope)
      const { secret } = yield* before.createKey()
      const one = yield* resolved(() => before.client(secret).responses.create({ model: "m", input: "first" }))
      yield* Scope.close(scope, Exit.void)
      const client = (yield* started).client(secret)
      yield* resolved(() => client.responses.create({ model: "m", input: "second", previous_response_id: one.id }))
      assert.deepStrictEqual(told(asked[1]!), ["user: first", "reasoning", "assistant: answer 0", "user: second"])
      assert.strictEqual((yield* resolved(() => client.responses.retrieve(one.id))).id, one.id)
    })
  )

  it.live("goes on at another provider, without thoughts that it can't read", () =>
    Effect.gen(function* () {
      const first = yield* upstream((asked, number) =>
        number === 0 ? counting(asked, number) : { status: 500, body: "down" }
      )
      const second = yield* upstream(counting)
      const gateway = yield* startGateway({ yaml: yaml([first.baseUrl, second.baseUrl]) })
      const { secret } = yield* gateway.createKey()
      const client = gateway.client(secret)
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "first" }))
      const { data, response: head } = yield* resolved(() =>
        client.responses.create({ model: "m", input: "second", previous_response_id: one.id }).withResponse()
      )
      assert.strictEqual(head.headers.get("x-gateway-decision"), "up1/gpt-5-mini")
      assert.deepStrictEqual(told(second.asked[0]!), ["user: first", "assistant: answer 0", "user: second"])
      assert.strictEqual(data.previous_response_id, one.id)
    })
  )

  it.live("goes on at a model that has chat alone, and back, with the results of tools alone", () =>
    Effect.gen(function* () {
      const call = { id: "fc_up", type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" }
      const first = yield* upstream((_, number) =>
        number === 1 ? { status: 500, body: "down" } : { body: response("", { output: [call] }) }
      )
      const second = yield* upstream(claude)
      const gateway = yield* startGateway({
        yaml: `
providers:
  up: { vendor: openai, base_url: "${first.baseUrl}", api_key: none }
  claude: { vendor: anthropic, base_url: "${second.baseUrl.replace("/v1", "")}", api_key: none }
deployments: [up/gpt-5-mini, claude/claude-haiku-4-5]
models: { m: [up/gpt-5-mini, claude/claude-haiku-4-5] }
failover: { base_delay: 1ms, session_affinity: false }
`
      })
      const { secret } = yield* gateway.createKey()
      const client = gateway.client(secret)
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "What is the weather?" }))
      const result = { type: "function_call_output" as const, call_id: "call_1", output: "sunny" }
      const two = yield* resolved(() =>
        client.responses.create({ model: "m", input: [result], previous_response_id: one.id })
      )
      assert.strictEqual(two.output_text, "Here is an answer.")
      const [asked, called, answered] = second.asked[0]!.body.messages
      assert.deepStrictEqual([asked.role, called.role, answered.role], ["user", "assistant", "user"])
      assert.include(JSON.stringify(asked), "What is the weather?")
      assert.deepInclude(called.content[0], { type: "tool_use", name: "weather" })
      assert.deepInclude(answered.content[0], { type: "tool_result", content: "sunny" })
      yield* resolved(() => client.responses.create({ model: "m", input: "Thanks", previous_response_id: two.id }))
      assert.deepStrictEqual(told(first.asked[2]!), [
        "user: What is the weather?",
        "function_call",
        "function_call_output",
        "assistant: Here is an answer.",
        "user: Thanks"
      ])
    })
  )

  it.live("goes on at the demo models, where the prompt decides each time", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { secret } = yield* gateway.createKey()
      const client = gateway.client(secret)
      const one = yield* resolved(() => client.responses.create({ input: "Say hello" }))
      const two = yield* resolved(() => client.responses.create({ input: "And again", previous_response_id: one.id }))
      assert.strictEqual(two.previous_response_id, one.id)
      const items = yield* resolved(() => client.responses.inputItems.list(two.id, { order: "asc" }))
      assert.deepStrictEqual(
        items.data.map((item) => Reflect.get(item, "role")),
        ["user", "assistant", "user"]
      )
    })
  )

  it.live("is not found where it is unknown, deleted or of another key: nobody can tell which", () =>
    Effect.gen(function* () {
      const { asked, client, createKey, ...gateway } = yield* connected()
      const other = yield* createKey()
      const one = yield* resolved(() => client.responses.create({ model: "m", input: "first" }))
      const two = yield* resolved(() =>
        client.responses.create({ model: "m", input: "second", previous_response_id: one.id })
      )
      const request = (key: string, id: string) =>
        call(gateway.url, {
          path: "/v1/responses",
          key,
          body: { model: "m", input: "third", previous_response_id: id }
        })
      const unknown = `resp_gw${"0".repeat(32)}`
      const answers = [yield* request(gateway.secret, unknown), yield* request(other.secret, one.id)]
      yield* resolved(() => client.responses.delete(one.id))
      answers.push(yield* request(gateway.secret, one.id), yield* request(gateway.secret, two.id))
      for (const answer of answers) {
        const { code, message, param } = answer.json.error
        assert.deepStrictEqual([answer.status, code, param], noPrevious)
        const asSaid = message.replace(/resp_gw[0-9a-f]{32}/, "…")
        assert.strictEqual(
          asSaid,
          "There is no response `…` to continue, or an earlier one was deleted. Send the conversation as `input` instead."
        )
      }
      assert.lengthOf(asked, 2)
    })
  )

  it.live("must be a text", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* connected()
      const body = { model: "m", input: "Hi", previous_response_id: 7 }
      const { json, status } = yield* call(url, { path: "/v1/responses", key: secret, body })
      assert.deepStrictEqual(
        [status, json.error.code, json.error.param],
        [400, "invalid_field", "previous_response_id"]
      )
    })
  )

  it.live("holds the worst case of the whole conversation in the budget", () =>
    Effect.gen(function* () {
      const { asked, started } = yield* speaking()
      const gateway = yield* started
      const { secret } = yield* gateway.createKey({ budgets: [{ window: "total", limit: 1e9, timeZone: "UTC" }] })
      const client = gateway.client(secret)
      const long = Array.from({ length: 1_000 }, (_, index) => `word${index}`).join(" ")
      const one = yield* resolved(() => client.responses.create({ model: "m", input: long, max_output_tokens: 100 }))
      const next = { model: "m", input: "next", max_output_tokens: 100 }
      yield* resolved(() => client.responses.create(next))
      yield* resolved(() => client.responses.create({ ...next, previous_response_id: one.id }))
      const [first, alone, continued] = (yield* gateway.ledger).map(({ reserved }) => reserved)
      assert.isAbove(first!, 5 * alone!)
      assert.isAbove(continued!, first!)
      assert.lengthOf(asked, 3)
    })
  )
})
