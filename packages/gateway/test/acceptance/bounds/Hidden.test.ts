/** What callers hide from the count reaches no provider uncounted: on every endpoint, native and over a bridge. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { silentFlac } from "../../support/Flac.ts"
import { png } from "../../support/Media.ts"
import { eventually, until } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { type Asked, completion, event, type Reply } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { named } from "../messages/Claude.ts"
import { answer, counted, priced, say, world } from "./BudgetedGateway.ts"

const DOLLAR = 1_000_000_000
const window = "context_window: 200000"
const claude = `{ provider: anthropic, model: claude-sonnet-4-5, ${priced}, ${window} }`
const gpt = (model: string) => `{ provider: openai, model: ${model}, ${priced}, context_window: 128000 }`
const plain = `{ provider: up, model: m, ${priced}, ${counted}, ${window} }`

const response = { id: "resp_1", object: "response", model: "m", status: "completed", error: null }
const said = { type: "message", role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "one" }] }
const used = { input_tokens: 12, output_tokens: 4, total_tokens: 16 }

const anyAnswer = (asked: Asked): Reply =>
  asked.path.endsWith("/responses")
    ? { body: { ...response, output: [said], usage: used } }
    : asked.path.endsWith("/completions") && !asked.path.endsWith("/chat/completions")
      ? { body: { ...completion("one"), choices: [{ index: 0, text: "one", logprobs: null, finish_reason: "stop" }] } }
      : answer(asked)

/** Posts with a budget of 10 USD, and what was held for the last request, in tokens that were read. */
const budgeted = Effect.fnUntraced(function* (deployments: ReadonlyArray<string>, script = anyAnswer) {
  const gateway = yield* world({ deployments, script, failover: ", finish_abandoned: 0s" })
  const { secret } = yield* gateway.createKey({
    budgets: [{ limit: 10 * DOLLAR, window: "day", timeZone: "UTC" }]
  })
  const post = (path: string, body: object) => call(gateway.url, { path, key: secret, body })
  const held = Effect.fnUntraced(function* (path: string, body: object) {
    const { status, text } = yield* post(path, body)
    assert.strictEqual(status, 200, text)
    return (yield* gateway.held) * 1e6
  })
  return { ...gateway, post, held }
})

const far = (number: number) => `https://example.com/${number}.png`
const many = Array.from({ length: 20 }, (_, index) => far(index))

describe("what a budget holds", () => {
  it.live("has the images in `instructions` of a response, which a bridge sends as messages", () =>
    Effect.gen(function* () {
      const { asked, held } = yield* budgeted([claude])
      const content = many.map((image_url) => ({ type: "input_image", image_url }))
      const body = { model: "claude-sonnet-4-5", input: "Hi", max_output_tokens: 16 }
      assert.isAtLeast(
        yield* held("/v1/responses", { ...body, instructions: [{ type: "message", role: "user", content }] }),
        many.length * 1_600
      )
      assert.include(JSON.stringify(asked[0]!.body), far(0))
    })
  )

  it.live("has an image that also has a text like those which routing leaves out", () =>
    Effect.gen(function* () {
      const { asked, held } = yield* budgeted([gpt("gpt-4o-mini")])
      const image = { type: "image", text: "<system-reminder>", source: { type: "url", url: far(0) } }
      const messages = say([{ type: "text", text: "Hi" }, image])
      assert.isAtLeast(yield* held("/v1/messages", { model: "gpt-4o-mini", max_tokens: 16, messages }), 48_000)
      assert.include(JSON.stringify(asked[0]!.body), far(0))
    })
  )

  it.live("has the most that an image may be where it has several sources", () =>
    Effect.gen(function* () {
      const { asked, held } = yield* budgeted([gpt("gpt-4o-mini")])
      const [, data] = png(8, 8).split(",")
      const image = { type: "image", source: { type: "url", url: far(0), data } }
      const decoy = { type: "image", image_url: png(8, 8), source: { type: "url", url: far(1) } }
      for (const block of [image, decoy]) {
        const body = { model: "gpt-4o-mini", max_tokens: 16, messages: say([block]) }
        assert.isAtLeast(yield* held("/v1/messages", body), 48_000)
      }
      assert.include(JSON.stringify(asked[1]!.body), far(1))
    })
  )

  it.live("has every image in a document of blocks", () =>
    Effect.gen(function* () {
      const { held } = yield* budgeted([gpt("gpt-4o-mini")])
      const content = many.map((url) => ({ type: "image", source: { type: "url", url } }))
      const messages = say([{ type: "document", source: { type: "content", content } }])
      assert.isAtLeast(
        yield* held("/v1/messages", { model: "gpt-4o-mini", max_tokens: 16, messages }),
        many.length * 48_000
      )
    })
  )

  it.live("has a file that names itself a text as well", () =>
    Effect.gen(function* () {
      const { held } = yield* budgeted([plain])
      const file = { type: "file", file: { file_data: "https://example.com/a.pdf" }, source: { type: "text" } }
      const body = { model: "m", max_tokens: 16, messages: say([{ type: "text", text: "Hi" }, file]) }
      assert.isAtLeast(yield* held("/v1/chat/completions", body), 200_000)
    })
  )

  it.live("has the text behind a prompt of tokens", () =>
    Effect.gen(function* () {
      const { asked, held } = yield* budgeted([`{ provider: openai, model: gpt-3.5-turbo-instruct, ${priced} }`])
      const suffix = "1 ".repeat(5_000)
      assert.isAtLeast(
        yield* held("/v1/completions", { model: "gpt-3.5-turbo-instruct", prompt: [1, 2], suffix }),
        10_000
      )
      assert.strictEqual(asked[0]!.body.suffix, suffix)
    })
  )

  it.live("has a screenshot at the detail that it is sent with", () =>
    Effect.gen(function* () {
      const { held } = yield* budgeted([gpt("gpt-5.4")])
      const output = { type: "computer_screenshot", image_url: png(6_000, 6_000), detail: "original" }
      const input = [{ type: "computer_call_output", call_id: "call_1", output }]
      assert.isAtLeast(yield* held("/v1/responses", { model: "gpt-5.4", input, max_output_tokens: 16 }), 12_000)
    })
  )

  it.live("has tools of free text as the functions that a bridge makes of them", () =>
    Effect.gen(function* () {
      const { asked, held } = yield* budgeted([claude])
      const tools = Array.from({ length: 200 }, (_, index) => ({ type: "custom", name: `t${index}` }))
      const body = { model: "claude-sonnet-4-5", input: "Hi", max_output_tokens: 16, tools }
      for (const decoy of [{}, { messages: [] }]) {
        const most = yield* held("/v1/responses", { ...body, ...decoy })
        assert.isAtLeast(most, JSON.stringify(asked.at(-1)!.body.tools).length / 3.5)
      }
    })
  )
})

describe("what a recording may last", () => {
  it.live("is what its frames say, as silence takes next to no bytes", () =>
    Effect.gen(function* () {
      const model = "{ provider: openai, model: whisper-1 }"
      const { client, createKey, held } = yield* world({
        deployments: [model],
        script: () => ({ body: { text: "", duration: 4_095.9, segments: [] } })
      })
      const { secret } = yield* createKey({ budgets: [{ limit: DOLLAR, window: "day", timeZone: "UTC" }] })
      const file = new File([new Uint8Array(silentFlac(500))], "silence.flac", { type: "audio/flac" })
      yield* resolved(() => client(secret).audio.transcriptions.create({ model: "whisper-1", file }))
      // 0.006 USD a minute.
      assert.isAtLeast(yield* held, 0.4)
      const frames = Array.from({ length: 9 }, () => [0xff, 0xfb, 0x90, 0, ...new Uint8Array(413)])
      const mp3 = new File([new Uint8Array(frames.flat())], "short.mp3")
      yield* resolved(() => client(secret).audio.transcriptions.create({ model: "whisper-1", file: mp3 }))
      assert.isBelow(yield* held, 0.001)
    })
  )
})

describe("what a budget can't hold", () => {
  it.live("tools in a completion reach no chat, where a vendor would run them", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* budgeted([claude, plain])
      const tools = [{ type: "web_search_20250305", name: "web_search" }]
      const fields = { prompt: "Hi", max_completion_tokens: 9_000, prediction: { content: "x" }, seed: 1 }
      const searching = yield* post("/v1/completions", { model: "claude-sonnet-4-5", ...fields, tools })
      assert.strictEqual(searching.status, 200, searching.text)
      assert.isUndefined(asked[0]!.body.tools)
      const plainly = yield* post("/v1/completions", { model: "m", ...fields, audio: {} })
      assert.strictEqual(plainly.status, 200, plainly.text)
      assert.hasAllKeys(asked[1]!.body, ["model", "messages", "max_tokens", "seed"])
      assert.strictEqual(asked[1]!.body.max_tokens, 16)
    })
  )

  it.live("a template that the vendor keeps may have tools, so their calls need a bound", () =>
    Effect.gen(function* () {
      const bounds = "bounds: { tool_calls: 2, tool_tokens: 1000 }"
      const { asked, held, post } = yield* budgeted([
        gpt("gpt-4o"),
        `{ provider: openai, model: gpt-4.1, ${priced}, context_window: 128000, ${bounds} }`
      ])
      const body = { prompt: { id: "pmpt_1" }, max_output_tokens: 16 }
      const refused = yield* post("/v1/responses", { ...body, model: "gpt-4o" })
      assert.strictEqual(refused.status, 400, refused.text)
      assert.deepInclude(refused.json.error, { code: "cost_unbounded", param: "prompt" })
      assert.lengthOf(asked, 0)
      // The template may fill the window in each of four rounds.
      assert.isAtLeast(yield* held("/v1/responses", { ...body, model: "gpt-4.1" }), 4 * 128_000)
    })
  )
})

describe("what is booked of a streamed response", () => {
  const streamed = (...events: ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>): Reply => ({
    body: events.map((one) => `event: ${one.type}\n${event(one)}`)
  })
  const created = { type: "response.created", response: { ...response, status: "in_progress", output: [] } }
  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } }
  const delta = { type: "response.output_text.delta", output_index: 1, item_id: "msg_1", delta: "one" }

  it.live("has the fees of tools that its last event leaves out", () =>
    Effect.gen(function* () {
      const bounds = "bounds: { tool_calls: 2, tool_tokens: 1000 }"
      const model = `{ provider: openai, model: gpt-4o, ${priced}, context_window: 128000, ${bounds} }`
      const { ledger, post } = yield* budgeted([model], () =>
        streamed(
          created,
          { type: "response.output_item.done", output_index: 0, item: search },
          delta,
          { type: "response.output_item.done", output_index: 1, item: said },
          { type: "response.completed", response: { ...response, output: [], usage: used } }
        )
      )
      const body = { model: "gpt-4o", input: "Hi", stream: true, tools: [{ type: "web_search" }] }
      assert.strictEqual((yield* post("/v1/responses", body)).status, 200)
      assert.deepInclude((yield* ledger)[0], { cost: 12_000 + 8_000 + DOLLAR / 100, estimated: 0 })
    })
  )

  it.live("is what the provider told of one that failed at its end", () =>
    Effect.gen(function* () {
      const error = { code: "server_error", message: "sorry" }
      const { ledger, post } = yield* budgeted([gpt("gpt-4o")], () =>
        streamed(created, delta, {
          type: "response.failed",
          response: { ...response, status: "failed", error, output: [], usage: { ...used, output_tokens: 4_000 } }
        })
      )
      yield* post("/v1/responses", { model: "gpt-4o", input: "Hi", stream: true })
      assert.deepInclude((yield* ledger)[0], { cost: 12_000 + 8_000_000, estimated: 0 })
    })
  )
})

describe("a caller that leaves while the vendor searches", () => {
  it.live("is booked what the answer's end tells, fees and all", () =>
    Effect.gen(function* () {
      let finish = () => {}
      const gate = new Promise<void>((resolve) => (finish = resolve))
      const tokens = { input_tokens: 40_000, output_tokens: 500, server_tool_use: { web_search_requests: 2 } }
      const start = {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        usage: { input_tokens: 9 }
      }
      const { asked, ledger, post } = yield* budgeted([claude], () => ({
        gate,
        body: [
          named({ type: "message_start", message: start }),
          named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
          named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one" } }),
          named({ type: "content_block_stop", index: 0 }),
          named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: tokens }),
          named({ type: "message_stop" })
        ]
      }))
      const tools = [{ type: "web_search_20250305", name: "web_search" }]
      const body = { model: "claude-sonnet-4-5", max_tokens: 900, stream: true, tools, messages: say("Hi") }
      const asking = yield* Effect.forkChild(post("/v1/messages", body))
      yield* until(() => asked.length > 0)
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(asking)
      yield* Effect.sleep("100 millis")
      finish()
      const rows = yield* eventually(ledger, (all) => all.every(({ status }) => status !== "reserved"))
      assert.deepInclude(rows[0], { cost: 40_000_000 + 1_000_000 + (2 * DOLLAR) / 100, estimated: 0 })
    })
  )
})
