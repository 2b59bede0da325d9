/** `n` at models that make one answer a call: as many calls, one reservation, one answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, open } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Asked, completion, completionEvents, type Reply, upstream, vendorError } from "../support/Upstream.ts"

const said = (number: number): string => `answer ${number}`

const plain = ({ body }: Asked, number: number): Reply => ({
  body: body.stream === true ? completionEvents(...said(number).split(" ")) : completion(said(number))
})

interface World {
  readonly script?: (asked: Asked, number: number) => Reply
  /** Further fields of the deployment. */
  readonly more?: string
  /** Nano-USD. */
  readonly budget?: number
}

const over = Effect.fnUntraced(function* ({ budget = 100_000_000_000, more = "", script = plain }: World = {}) {
  const up = yield* upstream(script)
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none }
deployments:
  - provider: up
    model: one
    price: { input: 10, output: 20, tiers: [{ above: 100, input: 1000, output: 2000 }] }
    max_output_tokens: 100
    bounds: { reasoning_tokens: 0 }
    one_choice: true
${more}
failover: { attempts: 1, finish_abandoned: 1ms }
`
  })
  const { secret } = yield* gateway.createKey({ budgets: [{ window: "total", limit: budget, timeZone: "UTC" }] })
  const body = (fields: object) => ({ model: "up/one", messages: [{ role: "user", content: "Hello" }], ...fields })
  const post = (fields: object, headers: Readonly<Record<string, string>> = {}, path = "/v1/chat/completions") =>
    call(gateway.url, { path, key: secret, body: body(fields), headers })
  return { body, gateway, ledger: gateway.ledger, post, secret, up }
})

const dataOf = (text: string) =>
  text
    .split("\n\n")
    .filter((one) => one.startsWith("data: {"))
    .map((one) => JSON.parse(one.slice("data: ".length)))

describe("several answers by calls for one each", () => {
  it.live("come as one answer: choices numbered, usage summed, one bill", () =>
    Effect.gen(function* () {
      const { ledger, post, up } = yield* over()
      const { json, status, text } = yield* post({ n: 3 })
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(
        json.choices.map((choice: { index: number }) => choice.index),
        [0, 1, 2]
      )
      const words = json.choices.map(({ message }: { message: { content: string } }) => message.content)
      assert.deepStrictEqual(words.toSorted(), ["answer 0", "answer 1", "answer 2"])
      assert.strictEqual(json.usage.prompt_tokens, 36)
      assert.strictEqual(json.usage.completion_tokens, 12)
      assert.strictEqual(json.usage.total_tokens, 48)
      assert.lengthOf(up.asked, 3)
      for (const { body } of up.asked) assert.isUndefined(body.n)
      const rows = yield* ledger
      assert.deepStrictEqual(
        rows.map(({ cost, estimated, input, output, status: ended }) => ({ cost, estimated, input, output, ended })),
        [{ cost: 36 * 10_000 + 12 * 20_000, estimated: 0, input: 36, output: 12, ended: "settled" }]
      )
    })
  )

  it.live("hold the input of every call: the reservation of n is n reservations", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over()
      assert.strictEqual((yield* post({ n: 1 })).status, 200)
      assert.strictEqual((yield* post({ n: 4 })).status, 200)
      const [one, four] = yield* ledger
      // The bodies differ in `"n":1` and `"n":4`, which are as long.
      assert.strictEqual(four!.reserved, 4 * one!.reserved)
    })
  )

  it.live("do not fit into a budget that has room for one", () =>
    Effect.gen(function* () {
      const { ledger, post: first } = yield* over()
      yield* first({ n: 1 })
      const [{ reserved } = { reserved: 0 }] = yield* ledger
      const { post, up } = yield* over({ budget: Math.floor(reserved * 2.5) })
      assert.strictEqual((yield* post({ n: 3, max_tokens: 100 })).status, 429)
      assert.lengthOf(up.asked, 0)
      assert.strictEqual((yield* post({ n: 2, max_tokens: 100 })).status, 200)
    })
  )

  it.live("stream side by side under one id, with one usage and one end", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over()
      const { text } = yield* post({ n: 3, stream: true, stream_options: { include_usage: true } })
      const chunks = dataOf(text)
      assert.lengthOf([...new Set(chunks.map(({ id }) => id))], 1)
      assert.strictEqual(text.match(/data: \[DONE\]/g)?.length, 1)
      for (const index of [0, 1, 2]) {
        const own = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index)
        assert.strictEqual(own[0].delta.role, "assistant")
        assert.match(own.map(({ delta }) => delta.content ?? "").join(""), /^answer\d$/)
        assert.lengthOf(
          own.filter(({ finish_reason: reason }) => reason === "stop"),
          1
        )
      }
      const told = chunks.filter(({ choices }) => choices.length === 0)
      assert.lengthOf(told, 1)
      assert.strictEqual(told[0].usage.prompt_tokens, 36)
      assert.strictEqual(told[0].usage.completion_tokens, 12)
      for (const chunk of chunks) if (chunk.choices.length > 0) assert.isNull(chunk.usage)
      assert.strictEqual((yield* ledger)[0]?.cost, 36 * 10_000 + 12 * 20_000)
    })
  )

  it.live("are refused under strictness, and above 16, before anything is sent", () =>
    Effect.gen(function* () {
      const { post, up } = yield* over({ more: "    max_in_flight: 4" })
      for (const [fields, headers, words] of [
        [{ n: 2 }, { "x-gateway-strict": "1" }, /one choice per call, and the request is strict/],
        [{ n: 5 }, {}, /`n` must be at most 4 here/],
        [{ n: 5, stream: true }, {}, /`n` must be at most 4 here/]
      ] as const) {
        const { json, status } = yield* post(fields, headers)
        assert.strictEqual(status, 400)
        assert.strictEqual(json.error.param, "n")
        assert.match(json.error.message, words)
      }
      assert.lengthOf(up.asked, 0)
      assert.strictEqual((yield* post({ n: 4 }, {})).status, 200)
    })
  )

  it.live("fail together, and what the answered calls used is booked", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over({
        script: (asked, number) => (number === 1 ? { status: 400, body: vendorError("no") } : plain(asked, number))
      })
      assert.strictEqual((yield* post({ n: 3 })).status, 400)
      const [row] = yield* ledger
      assert.strictEqual(row!.cost, 24 * 10_000 + 8 * 20_000)
    })
  )

  it.live("a stream that breaks breaks the answer off, and closes the others", () =>
    Effect.gen(function* () {
      const { ledger, post, up } = yield* over({
        script: (_, number) =>
          number === 0
            ? { body: completionEvents("one", "two").slice(0, 2), ending: "reset" }
            : { body: completionEvents("one", "two").slice(0, 2), ending: "silence" }
      })
      const { text } = yield* post({ n: 2, stream: true })
      assert.include(text, '"error"')
      assert.notInclude(text, "[DONE]")
      yield* Effect.promise(() => Promise.all(up.asked.map(({ closed }) => closed)))
      const [row] = yield* ledger
      assert.strictEqual(row!.estimated, 1)
      // The input of both calls.
      assert.isAtLeast(row!.input, 2 * 8)
      assert.isAtMost(row!.cost, row!.reserved)
    })
  )

  it.live("a caller that leaves closes all of them", () =>
    Effect.gen(function* () {
      const { body, gateway, secret, up } = yield* over({
        script: () => ({ body: completionEvents("one", "two").slice(0, 2), ending: "silence" })
      })
      const opened = yield* open(gateway.url, {
        path: "/v1/chat/completions",
        key: secret,
        body: body({ n: 3, stream: true })
      })
      opened.hangUp()
      yield* Effect.promise(() => Promise.all(up.asked.map(({ closed }) => closed)))
      assert.lengthOf(up.asked, 3)
    })
  )

  it.live("count the input of each where no usage was told", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over({
        script: (_, number) => ({ body: { ...completion(said(number)), usage: undefined } })
      })
      const one = yield* post({ n: 1 })
      const three = yield* post({ n: 3 })
      assert.strictEqual(three.json.usage.prompt_tokens, 3 * one.json.usage.prompt_tokens)
      const rows = yield* ledger
      assert.deepStrictEqual(
        rows.map(({ estimated }) => estimated),
        [1, 1]
      )
      assert.strictEqual(rows[1]!.input, 3 * rows[0]!.input)
    })
  )

  it.live("are priced by the tier of one call's input, not of all", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over({
        script: (asked, number) => ({
          body: {
            ...(plain(asked, number).body as object),
            usage: { prompt_tokens: 60, completion_tokens: 1, total_tokens: 61 }
          }
        })
      })
      assert.strictEqual((yield* post({ n: 2 })).status, 200)
      assert.strictEqual((yield* ledger)[0]?.cost, 120 * 10_000 + 2 * 20_000)
    })
  )

  it.live("serve completions over chat as well", () =>
    Effect.gen(function* () {
      const { post, up } = yield* over()
      const { json, status, text } = yield* post({ n: 2, prompt: "Hello", messages: undefined }, {}, "/v1/completions")
      assert.strictEqual(status, 200, text)
      assert.lengthOf(json.choices, 2)
      assert.deepStrictEqual(
        json.choices.map((choice: { index: number }) => choice.index),
        [0, 1]
      )
      assert.lengthOf(up.asked, 2)
    })
  )
})
