/** What others fell into with servers that speak like OpenAI (PROVIDERS §4.2, by its numbers), through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { NewKey } from "../../../src/core/keys/NewKey.ts"
import { call, eventsOf } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, event, type Reply, upstream } from "../../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]
const usage = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 }
const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" }

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  event({ ...head, choices: [{ index: 0, delta, finish_reason }], ...more })

const answering = Effect.fnUntraced(function* (
  reply: (stream: boolean, number: number) => Reply,
  {
    deployment = "{ provider: it, model: m }",
    key = {},
    is = "protocol: openai-chat"
  }: {
    readonly deployment?: string
    readonly key?: NewKey
    readonly is?: string
  } = {}
) {
  const up = yield* upstream(({ body }, number) => reply(body.stream === true, number))
  const gateway = yield* startGateway({
    yaml: `
providers: { it: { ${is}, base_url: "${up.baseUrl}", api_key: k } }
deployments: [${deployment}]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey(key)
  const ask = (fields: object = {}) =>
    call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { model: "it/m", messages, ...fields } })
  return { ask, asked: up.asked, gateway }
})

const streamed = (...events: ReadonlyArray<string>) => answering(() => ({ body: [...events, "data: [DONE]\n\n"] }))

interface Choice {
  readonly index: number
  readonly delta: { readonly [field: string]: unknown }
  readonly finish_reason: string | null
}

const chunksIn = (text: string) => eventsOf(text).filter((one) => one !== "[DONE]")
const choicesIn = (text: string): ReadonlyArray<Choice> => chunksIn(text).flatMap(({ choices }) => choices ?? [])
const deltasIn = (text: string) => choicesIn(text).map(({ delta }) => delta)
const finishIn = (text: string) => choicesIn(text).flatMap(({ finish_reason: reason }) => reason ?? [])

describe("what others fell into", () => {
  it.live("trap 7: an empty list of tool calls beside text is text", () =>
    Effect.gen(function* () {
      const message = { role: "assistant", content: "Hello", tool_calls: [] }
      const whole = yield* answering(() => ({
        body: completion("", { choices: [{ index: 0, message, finish_reason: "tool_calls" }] })
      }))
      const { json } = yield* whole.ask()
      assert.strictEqual(json.choices[0].finish_reason, "stop")
      assert.strictEqual(json.choices[0].message.content, "Hello")
      assert.notProperty(json.choices[0].message, "tool_calls")
      const { ask } = yield* streamed(chunk(message), chunk({ tool_calls: [] }, "tool_calls"))
      const { text } = yield* ask({ stream: true })
      assert.deepStrictEqual(finishIn(text), ["stop"])
      assert.notInclude(text, "tool_calls")
    }).pipe(Effect.scoped)
  )

  it.live("trap 8: pieces of tool calls without id, name or a place of their own, and no role, are whole calls", () =>
    Effect.gen(function* () {
      const piece = (index: number | undefined, more: object) => chunk({ tool_calls: [{ index, ...more }] })
      const { ask } = yield* streamed(
        piece(-1, { id: "a", function: { name: "f", arguments: '{"x"' } }),
        piece(-1, { function: { arguments: ":1}" } }),
        piece(-1, { id: "b", function: { name: "g", arguments: "{}" } }),
        piece(undefined, { id: null, function: { name: "h" } }),
        chunk({}, "tool_calls")
      )
      const { text } = yield* ask({ stream: true })
      const calls: Array<{ id: string; name: string; text: string }> = []
      interface Piece {
        readonly index: number
        readonly id: string
        readonly function: { readonly name: string; readonly arguments?: string }
      }
      const pieces = deltasIn(text).flatMap(({ tool_calls: some = [] }) => some as ReadonlyArray<Piece>)
      for (const { index, id, function: called } of pieces) {
        const one = (calls[index] ??= { id, name: called.name, text: "" })
        assert.isTrue(id === undefined || id === one.id)
        one.text += called.arguments ?? ""
      }
      assert.deepStrictEqual(
        calls.map(({ name, text: given }) => [name, given]),
        [
          ["f", '{"x":1}'],
          ["g", "{}"],
          ["h", "{}"]
        ]
      )
      assert.strictEqual(new Set(calls.map(({ id }) => id)).size, 3)
      assert.isTrue(calls.every(({ id }) => typeof id === "string" && id !== ""))
      assert.deepStrictEqual(
        deltasIn(text)
          .map(({ role }) => role)
          .filter((role) => role !== undefined),
        ["assistant"]
      )
      assert.deepStrictEqual(finishIn(text), ["tool_calls"])
    }).pipe(Effect.scoped)
  )

  it.live(
    "trap 9: usage is told once and last to who asked, to nobody else, and booked, wherever its server puts it",
    () =>
      Effect.gen(function* () {
        for (const end of [
          [chunk({}, "stop", { usage })],
          [chunk({}, "stop"), event({ ...head, choices: [{ index: 0, delta: {}, finish_reason: null }], usage })],
          [chunk({}, "stop"), event({ usage })],
          [chunk({}, "stop", { x_groq: { usage } })],
          [chunk({}, "stop"), event({ id: "", model: "", choices: [], usage })]
        ]) {
          const { ask, asked, gateway } = yield* streamed(chunk({ content: "Hello" }), ...end)
          for (const include_usage of [true, false]) {
            const { text } = yield* ask({ stream: true, ...(include_usage && { stream_options: { include_usage } }) })
            assert.isTrue(asked.at(-1)?.body.stream_options.include_usage)
            const told = chunksIn(text).filter((one) => one.usage !== undefined && one.usage !== null)
            assert.lengthOf(told, include_usage ? 1 : 0)
            if (include_usage) {
              assert.deepStrictEqual(chunksIn(text).at(-1), told[0])
              assert.deepStrictEqual(told[0]?.choices, [])
              assert.deepInclude(told[0]?.usage, usage)
            }
            assert.deepStrictEqual(finishIn(text), ["stop"])
            assert.lengthOf(new Set(chunksIn(text).map(({ id, model }) => `${id} ${model}`)), 1)
          }
          for (const row of yield* gateway.ledger) {
            assert.deepInclude(row, { status: "settled", input: 12, output: 4, estimated: 0 })
          }
        }
      }).pipe(Effect.scoped)
  )

  it.live("trap 14: Azure's chunk without choices or name, and a choice without delta, are chunks of the answer", () =>
    Effect.gen(function* () {
      const filter = [{ prompt_index: 0, content_filter_results: {} }]
      const { ask } = yield* streamed(
        event({ choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: filter }),
        chunk({ content: "Hello" }),
        event({ ...head, choices: [{ index: 0, finish_reason: null, content_filter_offsets: {} }] }),
        chunk({}, "stop")
      )
      const { text } = yield* ask({ stream: true })
      const [first] = chunksIn(text)
      assert.deepInclude(first, { ...head, model: first?.model, choices: [], prompt_filter_results: filter })
      assert.isTrue(deltasIn(text).every((delta) => typeof delta === "object"))
      assert.strictEqual(
        deltasIn(text)
          .map(({ content = "" }) => content)
          .join(""),
        "Hello"
      )
      assert.deepStrictEqual(finishIn(text), ["stop"])
    }).pipe(Effect.scoped)
  )

  it.live("trap 21: a reasoning model is sent max_completion_tokens and no temperature, others what they take", () =>
    Effect.gen(function* () {
      const reply = () => ({ body: completion("Hello") })
      const asking = Effect.fnUntraced(function* (vendor: string, model: string) {
        const { ask, asked } = yield* answering(reply, {
          is: `vendor: ${vendor}`,
          deployment: `{ provider: it, model: ${model} }`
        })
        for (const name of ["max_tokens", "max_completion_tokens"]) {
          const { status, text } = yield* ask({ model: `it/${model}`, [name]: 50, temperature: 0.2 })
          assert.strictEqual(status, 200, text)
        }
        const [one, other] = asked.map(({ body: { max_completion_tokens, max_tokens, temperature } }) => ({
          max_completion_tokens,
          max_tokens,
          temperature
        }))
        assert.deepStrictEqual(one, other)
        return one
      })
      const none = undefined
      assert.deepStrictEqual(yield* asking("openai", "gpt-5-mini"), {
        max_completion_tokens: 50,
        max_tokens: none,
        temperature: none
      })
      assert.deepStrictEqual(yield* asking("deepseek", "deepseek-chat"), {
        max_completion_tokens: none,
        max_tokens: 50,
        temperature: 0.2
      })
    }).pipe(Effect.scoped)
  )

  it.live("trap 26: thoughts come as their server spells them, are not lost, and none are asked of who has none", () =>
    Effect.gen(function* () {
      for (const field of ["reasoning", "reasoning_content"]) {
        const { ask, asked } = yield* answering((stream) => ({
          body: stream
            ? [
                chunk({ [field]: "Hm, " }),
                chunk({ [field]: "well." }),
                chunk({ content: "Hello" }),
                chunk({}, "stop"),
                "data: [DONE]\n\n"
              ]
            : completion("", {
                choices: [
                  {
                    index: 0,
                    message: { role: "assistant", content: "Hello", [field]: "Hm, well." },
                    finish_reason: "stop"
                  }
                ]
              })
        }))
        const { json } = yield* ask()
        assert.deepInclude(json.choices[0].message, { content: "Hello", [field]: "Hm, well." })
        const { text } = yield* ask({ stream: true })
        assert.strictEqual(
          deltasIn(text)
            .map((delta) => delta[field] ?? "")
            .join(""),
          "Hm, well."
        )
        for (const { body } of asked) {
          assert.notProperty(body, "reasoning_effort")
          assert.notProperty(body, "reasoning")
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "trap 28: a model whose name only begins like a known one has no price: it is not free, and no budget is spent on it",
    () =>
      Effect.gen(function* () {
        const options = { is: "vendor: openai", deployment: "{ provider: it, model: gpt-4o-mini-of-somebody }" }
        const open = yield* answering(() => ({ body: completion("Hello", { usage }) }), options)
        const { headers, status } = yield* open.ask({ model: "it/gpt-4o-mini-of-somebody" })
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["x-gateway-cost-known"], "false")
        const key: NewKey = { budgets: [{ limit: 1_000_000_000, window: "day", timeZone: "UTC" }] }
        const limited = yield* answering(() => ({ body: completion("Hello") }), { ...options, key })
        const refused = yield* limited.ask({ model: "it/gpt-4o-mini-of-somebody" })
        assert.isAtLeast(refused.status, 400)
        assert.isEmpty(limited.asked)
      }).pipe(Effect.scoped)
  )
})
