/** Whatever a request holds, a budget knows the most that it can cost, or the request is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Fetch, NotFetched, PublicFetch } from "../../src/providers/transport/PublicFetch.ts"
import { png } from "../support/Media.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Asked, completion, completionEvents, type Reply, upstream, vendorError } from "../support/Upstream.ts"

const DOLLAR = 1_000_000_000

const day = (limit: number) => ({ limit, window: "day" as const, timeZone: "UTC" })

interface World {
  /** Lines of `deployments`; `up` speaks OpenAI's protocol, `openai` and `anthropic` are the vendors. */
  readonly deployments: ReadonlyArray<string>
  readonly models?: string
  readonly script?: (asked: Asked, number: number) => Reply
  readonly fetch?: Fetch
}

const noFetch: Fetch = () => Effect.fail(new NotFetched({ message: "is at no public address" }))

const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" }

const answer = ({ body, path }: Asked): Reply => ({
  body: path.endsWith("/messages")
    ? { ...message, content: [{ type: "text", text: "one" }], usage: { input_tokens: 12, output_tokens: 4 } }
    : body.stream === true
      ? completionEvents("one")
      : completion("one")
})

const world = Effect.fnUntraced(function* ({ deployments, fetch = noFetch, models = "", script = answer }: World) {
  const { asked, baseUrl } = yield* upstream(script)
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
  openai: { base_url: "${baseUrl}", api_key: sk-operators-own }
  anthropic: { base_url: "${baseUrl}", api_key: sk-ant-operators-own }
deployments:
${deployments.map((line) => `  - ${line}`).join("\n")}
${models}
failover: { base_delay: 1ms }
`
  }).pipe(Effect.provideService(PublicFetch, fetch))
  /** With a budget of so many USD; undefined: without one. */
  const key = (usd: number | undefined) =>
    Effect.map(
      gateway.createKey({ budgets: usd === undefined ? [] : [day(usd * DOLLAR)] }),
      ({ secret }) =>
        (body: object) =>
          call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { messages: say("Hi"), ...body } })
    )
  /** What the last attempt held, in USD. */
  const held = Effect.map(gateway.ledger, (rows) => rows.at(-1)!.reserved / DOLLAR)
  return { ...gateway, asked, held, key }
})

const say = (content: unknown) => [{ role: "user", content }]
const image = (url: string, detail?: string) => ({
  type: "image_url",
  image_url: { url, ...(detail === undefined ? {} : { detail }) }
})
const video = { type: "video_url", video_url: { url: "https://example.com/film.mp4" } }

/** 1 USD per million tokens read, 2 written, 0.01 for a search. */
const priced = "price: { input: 1, output: 2, audio_input: 1, web_search: 10, code_execution: 0 }"
const counted = "bounds: { reasoning_tokens: 0 }"

describe("contents under a budget", () => {
  it.live("a part that nothing bounds is refused, with its path and the setting; without a budget it passes", () =>
    Effect.gen(function* () {
      const { admin, asked, key } = yield* world({ deployments: [`{ provider: up, model: m, ${priced}, ${counted} }`] })
      const budgeted = yield* key(0.01)
      const parts = [
        [video, "video_tokens"],
        [{ type: "hologram", hologram: "id" }, "part_tokens"],
        [image("https://example.com/a.png"), "image_tokens"],
        [{ type: "file", file: { file_id: "file-1" } }, "file_tokens"],
        [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }, "audio_tokens_per_second"]
      ] as const
      for (const role of ["user", "tool"]) {
        for (const [part, setting] of parts) {
          const messages = [
            { role: "user", content: "Hi" },
            { role, tool_call_id: "c", content: [{ type: "text", text: "x" }, part] }
          ]
          const { json, status } = yield* budgeted({ model: "up/m", max_tokens: 10, messages })
          assert.strictEqual(status, 400, setting)
          assert.deepInclude(json.error, {
            type: "invalid_request_error",
            code: "cost_unbounded",
            param: "messages[1].content[1]"
          })
          assert.include(json.error.message, `bounds.${setting}`)
        }
      }
      assert.lengthOf(asked, 0)
      const { json } = yield* admin("GET", "/admin/requests")
      assert.deepInclude(json.data[0], { status: "refused", attempts: [] })
      const free = yield* key(undefined)
      for (const [part] of parts)
        assert.strictEqual((yield* free({ model: "up/m", messages: say([part]) })).status, 200)
    })
  )

  it.live("the operator's word bounds it, and else the context window", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({
        deployments: [
          `{ id: up/said, provider: up, model: m, ${priced}, bounds: { reasoning_tokens: 0, video_tokens: 5000 } }`,
          `{ id: up/window, provider: up, model: m, ${priced}, ${counted}, context_window: 40000 }`
        ]
      })
      const chat = yield* key(1)
      assert.strictEqual((yield* chat({ model: "up/said", max_tokens: 10, messages: say([video]) })).status, 200)
      assert.closeTo(yield* held, 0.0053, 0.0002)
      assert.strictEqual((yield* chat({ model: "up/window", max_tokens: 10, messages: say([video]) })).status, 200)
      assert.closeTo(yield* held, 0.04002, 0.00001)
      const poor = yield* key(0.01)
      assert.strictEqual((yield* poor({ model: "up/window", max_tokens: 10, messages: say([video]) })).status, 429)
    })
  )

  it.live("a deployment that can't bound it gives way to one that can", () =>
    Effect.gen(function* () {
      const { asked, key } = yield* world({
        deployments: [
          `{ id: up/a, provider: up, model: a, ${priced}, ${counted} }`,
          `{ id: up/b, provider: up, model: b, ${priced}, bounds: { reasoning_tokens: 0, video_tokens: 100 } }`
        ],
        models: "models: { either: [up/a, up/b] }"
      })
      const chat = yield* key(0.01)
      const { headers, status } = yield* chat({ model: "either", max_tokens: 10, messages: say([video]) })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["x-gateway-deployment"], "up/b")
      assert.deepStrictEqual(
        asked.map(({ body }) => body.model),
        ["b"]
      )
    })
  )

  it.live("images are held by the vendor's rule for their size", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({
        deployments: ["openai/gpt-4o-mini", "openai/gpt-4o", "openai/gpt-4.1-mini", "anthropic/claude-sonnet-4-5"].map(
          (id) => `{ provider: ${id.split("/")[0]}, model: ${id.split("/")[1]}, ${priced} }`
        )
      })
      const chat = yield* key(10)
      const cost = Effect.fnUntraced(function* (model: string, url: string, detail?: string) {
        assert.strictEqual((yield* chat({ model, max_tokens: 10, messages: say([image(url, detail)]) })).status, 200)
        return Math.round((yield* held) * 1e6) - 20
      })
      // What else there is: some 250 tokens of text and frame.
      const large = png(1024, 1024)
      const about = (tokens: number, expected: number) => assert.closeTo(tokens, expected + 250, 100)
      about(yield* cost("gpt-4o-mini", large), 25_501)
      about(yield* cost("gpt-4o-mini", large, "low"), 2_833)
      about(yield* cost("gpt-4o", large), 765)
      about(yield* cost("gpt-4o", png(4096, 2048)), 85 + 6 * 170)
      about(yield* cost("gpt-4.1-mini", large), Math.ceil(1024 * 1.62))
      about(yield* cost("gpt-4.1-mini", png(9000, 9000)), Math.ceil(1536 * 1.62))
      about(yield* cost("claude-sonnet-4-5", png(560, 560)), 419)
      about(yield* cost("claude-sonnet-4-5", png(8000, 8000)), 1_600)
      // On the web: the most there is, without a look.
      about(yield* cost("gpt-4o", "https://example.com/a.png"), 85 + 8 * 170)
    })
  )

  it.live("an image on the web is looked at where only its size says what it costs, and only under a budget", () =>
    Effect.gen(function* () {
      const fetched: Array<string> = []
      const fetch: Fetch = (url, { headOnly }) => {
        fetched.push(`${url} ${headOnly}`)
        const bytes = Buffer.from(png(640, 480).split(",")[1]!, "base64")
        return Effect.succeed({ mediaType: "image/png", bytes })
      }
      const { held, key } = yield* world({ deployments: [`{ provider: openai, model: gpt-5.6, ${priced} }`], fetch })
      const body = { model: "gpt-5.6", max_tokens: 10, messages: say([image("https://example.com/a.png")]) }
      assert.strictEqual((yield* (yield* key(undefined))(body)).status, 200)
      assert.lengthOf(fetched, 0)
      assert.strictEqual((yield* (yield* key(0.01))(body)).status, 200)
      assert.deepStrictEqual(fetched, ["https://example.com/a.png true"])
      assert.closeTo((yield* held) * 1e6 - 20, 360 + 250, 100)
    })
  )
})

describe("tools that run at the vendor under a budget", () => {
  const claude = `{ provider: anthropic, model: claude-sonnet-4-5, ${priced}, context_window: 200000 }`
  const search = { type: "web_search_20250305", name: "web_search" }

  it.live("are told how often they may be used, and what they may read is held", () =>
    Effect.gen(function* () {
      const { asked, held, key } = yield* world({ deployments: [claude] })
      const chat = yield* key(0.75)
      const { status, text } = yield* chat({ model: "claude-sonnet-4-5", max_tokens: 100, tools: [search] })
      assert.strictEqual(status, 200, text)
      const uses = asked[0]!.body.tools[0].max_uses
      // Each round can fill the window: three fit.
      assert.strictEqual(uses, 2)
      assert.isAtLeast(yield* held, 0.6)
      const poor = yield* key(0.05)
      assert.strictEqual((yield* poor({ model: "claude-sonnet-4-5", max_tokens: 100, tools: [search] })).status, 429)
      assert.lengthOf(asked, 1)
      // Without a budget nothing is told.
      yield* (yield* key(undefined))({ model: "claude-sonnet-4-5", max_tokens: 100, tools: [search] })
      assert.isUndefined(asked[1]!.body.tools[0].max_uses)
    })
  )

  it.live("by what the operator says that a call reads, many more fit", () =>
    Effect.gen(function* () {
      const { asked, held, key } = yield* world({
        deployments: [
          `{ provider: anthropic, model: claude-sonnet-4-5, ${priced}, context_window: 200000, bounds: { tool_calls: 3, tool_tokens: 20000 } }`
        ]
      })
      const chat = yield* key(1)
      const tools = [search, { ...search, type: "web_fetch_20250910", name: "web_fetch", max_uses: 9 }]
      assert.strictEqual((yield* chat({ model: "claude-sonnet-4-5", max_tokens: 100, tools })).status, 200)
      assert.deepStrictEqual(
        asked[0]!.body.tools.map((tool: { max_uses: number }) => tool.max_uses),
        [3, 3]
      )
      assert.isAbove(yield* held, 0.5)
    })
  )

  it.live("what is fetched costs no fee, and no more than its caller lets it read", () =>
    Effect.gen(function* () {
      const { asked, held, key } = yield* world({ deployments: [claude] })
      const fetch = { type: "web_fetch_20250910", name: "web_fetch", max_uses: 1, max_content_tokens: 2_000 }
      const chat = yield* key(0.06)
      assert.strictEqual((yield* chat({ model: "claude-sonnet-4-5", max_tokens: 100, tools: [fetch] })).status, 200)
      assert.deepInclude(asked[0]!.body.tools[0], { max_uses: 1, max_content_tokens: 2_000 })
      // Three rounds of what is sent, and what is read in the rounds after it.
      assert.closeTo(yield* held, (3 * 7_700 + 3 * 2_500) / 1e6, 0.003)
      const unlimited = { ...fetch, max_content_tokens: undefined }
      assert.strictEqual((yield* chat({ model: "claude-sonnet-4-5", max_tokens: 100, tools: [unlimited] })).status, 429)
    })
  )

  it.live("a model that searches in every call is told how without another fee", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({
        deployments: [
          "{ provider: openai, model: gpt-4o-search-preview, price: { input: 1, output: 2, request_fee: 25 }, context_window: 128000 }",
          `{ provider: up, model: m, price: { input: 1, output: 2, request_fee: 25 }, ${counted} }`
        ]
      })
      const chat = yield* key(0.1)
      const options = { max_tokens: 100, web_search_options: { search_context_size: "high" } }
      assert.strictEqual((yield* chat({ model: "gpt-4o-search-preview", ...options })).status, 200)
      assert.closeTo(yield* held, 0.025 + 0.0005, 0.0003)
      assert.notStrictEqual((yield* chat({ model: "m", ...options })).status, 200)
    })
  )

  it.live("without such a limit they are refused, in whatever way they are asked for", () =>
    Effect.gen(function* () {
      const { asked, key } = yield* world({
        deployments: [
          claude,
          `{ provider: up, model: m, ${priced}, ${counted}, context_window: 100000 }`,
          `{ provider: up, model: groq/compound, ${priced}, ${counted}, context_window: 100000 }`
        ]
      })
      const chat = yield* key(1)
      const asks = [
        ["claude-sonnet-4-5", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }, "tools[0]"],
        ["m", { web_search_options: {} }, "web_search_options"],
        ["m", { plugins: [{ id: "web" }] }, "plugins"],
        ["m", { search_parameters: { mode: "on" } }, "search_parameters"],
        ["m", { tools: [{ type: "function", function: { name: "f" } }, { type: "browser_search" }] }, "tools[1]"],
        ["m", { tools: [{ function: { name: "f" } }, { googleSearch: {} }] }, "tools[1]"],
        ["m", { tools: [{ type: null, google_search: {} }] }, "tools[0]"],
        ["groq/compound", {}, "model"]
      ] as const
      for (const [model, fields, param] of asks) {
        const { json, status } = yield* chat({ model, max_tokens: 10, ...fields })
        assert.strictEqual(status, 400, param)
        assert.deepInclude(json.error, { code: "cost_unbounded", param })
        assert.include(json.error.message, "bounds.tool_calls")
      }
      assert.lengthOf(asked, 0)
    })
  )
})

describe("text near the end of a budget", () => {
  const prose = "The quick brown fox jumps over the lazy dog, and nobody minds. "
  /** Every one of these is two or three tokens. */
  const dense = Array.from({ length: 100_000 }, (_, index) => String.fromCodePoint(0x3400 + (index % 6_000))).join("")

  it.live("is held by a count only where all of it is counted, by the model's own tokenizer", () =>
    Effect.gen(function* () {
      const { asked, held, key } = yield* world({
        deployments: [
          `{ provider: openai, model: gpt-4o, ${priced}, context_window: 1000000 }`,
          `{ provider: up, model: m, ${priced}, ${counted} }`
        ]
      })
      const chat = yield* key(0.16)
      const ask = (model: string, content: string) => chat({ model, max_tokens: 10, messages: say(content) })
      // The beginning does not stand for the rest: that is 300,000 bytes and more than 200,000 tokens.
      const changing = prose.repeat(600) + dense
      for (const model of ["gpt-4o", "m"]) assert.strictEqual((yield* ask(model, changing)).status, 429, model)
      assert.lengthOf(asked, 0)
      // 70,000 tokens in 315,000 bytes.
      assert.strictEqual((yield* ask("m", prose.repeat(5_000))).status, 429)
      assert.strictEqual((yield* ask("gpt-4o", prose.repeat(5_000))).status, 200)
      assert.isAtLeast((yield* held) * 1e6, 70_000)
      assert.isAtMost((yield* held) * 1e6, 80_000)
    })
  )

  it.live("of Claude is held by a count where it is English, and by its bytes elsewhere", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({
        deployments: ["claude-sonnet-4-5", "claude-opus-4-7"].map(
          (model) => `{ provider: anthropic, model: ${model}, ${priced}, context_window: 1000000 }`
        )
      })
      const chat = yield* key(0.16)
      const ask = (model: string, content: string) => chat({ model, max_tokens: 10, messages: say(content) })
      // 70,000 tokens of OpenAI's in 315,000 bytes: at most so many times as many, which is well above the 1.47 recorded.
      assert.strictEqual((yield* ask("claude-sonnet-4-5", prose.repeat(5_000))).status, 200)
      assert.closeTo((yield* held) * 1e6, 1.6 * 71_000, 3_000)
      assert.strictEqual((yield* ask("claude-opus-4-7", prose.repeat(5_000))).status, 200)
      assert.closeTo((yield* held) * 1e6, 2 * 71_000, 3_000)
      for (const hostile of [dense.slice(0, 60_000), "1".repeat(170_000), " ".repeat(500_000), "е".repeat(85_000)]) {
        assert.strictEqual((yield* ask("claude-sonnet-4-5", hostile)).status, 429)
      }
    })
  )

  it.live("is counted in all that a tool call's arguments hold, also where they are no text", () =>
    Effect.gen(function* () {
      const { asked, key } = yield* world({
        deployments: [`{ provider: anthropic, model: claude-sonnet-4-5, ${priced}, context_window: 1000000 }`]
      })
      const chat = yield* key(0.05)
      const ask = (argument: unknown) => {
        const calls = [{ id: "c", type: "function", function: { name: "f", arguments: argument } }]
        const messages = [
          { role: "user", content: "Hi" },
          { role: "assistant", content: null, tool_calls: calls },
          { role: "tool", tool_call_id: "c", content: "done" }
        ]
        return chat({ model: "claude-sonnet-4-5", max_tokens: 10, messages })
      }
      const many = (one: unknown) => Array.from({ length: 60_000 }, () => one)
      const names = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`q${index}x7z`, null]))
      for (const hidden of [
        { a: many(true) },
        { a: many(null) },
        { a: many({}) },
        { a: many([]) },
        { a: [names, names] }
      ]) {
        assert.strictEqual((yield* ask(hidden)).status, 429)
      }
      assert.lengthOf(asked, 0)
      assert.strictEqual((yield* ask({ a: many(true).slice(0, 5_000) })).status, 200)
    })
  )

  it.live("images on the web are looked at where the most that one can cost does not fit", () =>
    Effect.gen(function* () {
      const fetched: Array<string> = []
      const fetch: Fetch = (url) => {
        fetched.push(url)
        return Effect.succeed({ mediaType: "image/png", bytes: Buffer.from(png(64, 64).split(",")[1]!, "base64") })
      }
      const { key } = yield* world({ deployments: [`{ provider: openai, model: gpt-4o, ${priced} }`], fetch })
      const ask = { model: "gpt-4o", max_tokens: 10, messages: say([image("https://example.com/a.png")]) }
      assert.strictEqual((yield* (yield* key(0.01))(ask)).status, 200)
      assert.lengthOf(fetched, 0)
      assert.strictEqual((yield* (yield* key(0.001))(ask)).status, 200)
      assert.deepStrictEqual(fetched, ["https://example.com/a.png"])
    })
  )

  it.live("is text also where it is the same as a picture", () =>
    Effect.gen(function* () {
      const { key } = yield* world({ deployments: [`{ provider: openai, model: gpt-4o, ${priced} }`] })
      const url = `${png(64, 64)}${"A1b2C3d4".repeat(30_000)}`
      const chat = yield* key(0.02)
      const ask = (...parts: ReadonlyArray<object>) => chat({ model: "gpt-4o", max_tokens: 10, messages: say(parts) })
      assert.strictEqual((yield* ask(image(url))).status, 200)
      assert.strictEqual((yield* ask(image(url), { type: "text", text: url })).status, 429)
    })
  )
})

describe("output under a budget", () => {
  it.live("a server of which nobody knows whether it counts reasoning is held by its window, or refused", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({
        deployments: [
          `{ id: up/unknown, provider: up, model: m, ${priced} }`,
          `{ id: up/window, provider: up, model: m, ${priced}, context_window: 30000 }`,
          `{ id: up/top, provider: up, model: m, ${priced}, bounds: { reasoning_tokens: 2000 } }`,
          `{ id: up/none, provider: up, model: m, ${priced}, supports: [chat, stream] }`
        ]
      })
      const chat = yield* key(1)
      const { json, status } = yield* chat({ model: "up/unknown", max_tokens: 10 })
      assert.strictEqual(status, 400)
      assert.deepInclude(json.error, { code: "cost_unbounded", param: "model" })
      assert.include(json.error.message, "bounds.reasoning_tokens")
      for (const [model, cost] of [
        // What is read takes room from what is written.
        ["up/window", 2 * 30_000],
        ["up/top", 2 * 2_010 + 230],
        ["up/none", 2 * 10 + 230]
      ] as const) {
        assert.strictEqual((yield* chat({ model, max_tokens: 10 })).status, 200)
        assert.closeTo((yield* held) * 1e6, cost, 60, model)
      }
      // What is held for the window surprises: the refusal says why, and what helps.
      const small = yield* key(0.01)
      const refused = yield* small({ model: "up/window", max_tokens: 10 })
      assert.deepStrictEqual([refused.status, refused.json.error.code], [429, "insufficient_quota"])
      assert.include(refused.json.error.message, "its whole context window is held: `bounds: { reasoning_tokens: 0 }`")
    })
  )

  it.live("a refusal that names the limit teaches it, once", () =>
    Effect.gen(function* () {
      const { asked, held, key, ledger } = yield* world({
        deployments: [`{ provider: up, model: m, ${priced}, ${counted} }`],
        script: (asked) =>
          asked.body.max_tokens > 8192
            ? { status: 400, body: vendorError("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]") }
            : answer(asked)
      })
      const chat = yield* key(1)
      const first = yield* chat({ model: "up/m" })
      assert.strictEqual(first.status, 200, first.text)
      assert.strictEqual(first.headers["x-gateway-retries"], "0")
      assert.strictEqual((yield* chat({ model: "up/m" })).status, 200)
      assert.deepStrictEqual(
        asked.map(({ body }) => body.max_tokens),
        [16_384, 8_192, 8_192]
      )
      assert.closeTo((yield* held) * 1e6, 2 * 8_192 + 230, 60)
      // The call that was refused and the one that was not are one attempt.
      assert.lengthOf(yield* ledger, 2)
      assert.strictEqual((yield* chat({ model: "up/m", stream: true })).status, 200)
      assert.strictEqual(asked.at(-1)!.body.max_tokens, 8_192)
      // What the caller asks for is the caller's business.
      assert.strictEqual((yield* chat({ model: "up/m", max_tokens: 9_000 })).status, 400)
    })
  )

  it.live("known families are given a limit that they take", () =>
    Effect.gen(function* () {
      const { asked, key } = yield* world({ deployments: [`{ provider: up, model: deepseek-chat, ${priced} }`] })
      assert.strictEqual((yield* (yield* key(1))({ model: "deepseek-chat" })).status, 200)
      assert.strictEqual(asked[0]!.body.max_tokens, 8_192)
    })
  )

  it.live("what is predicted and does not come is held as output", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({ deployments: [`{ provider: up, model: m, ${priced}, ${counted} }`] })
      const prediction = { type: "content", content: "x".repeat(10_000) }
      yield* (yield* key(1))({ model: "up/m", max_tokens: 10, prediction })
      assert.isAbove((yield* held) * 1e6, 10_000 + 2 * 10_000)
    })
  )
})

describe("a stream without a budget", () => {
  const bounded = (headers: Readonly<Record<string, unknown>>) => headers["x-gateway-cost-known"] === undefined

  it.live("has an upper bound in its header, or says that nobody knows one", () =>
    Effect.gen(function* () {
      const { key } = yield* world({
        deployments: [
          `{ id: up/plain, provider: up, model: m, ${priced}, ${counted} }`,
          `{ id: up/window, provider: up, model: m, ${priced}, context_window: 30000 }`,
          `{ id: up/unknown, provider: up, model: m, ${priced} }`
        ]
      })
      const free = yield* key(undefined)
      const ask = (model: string, fields: object) => free({ model, stream: true, ...fields })
      assert.isTrue(bounded((yield* ask("up/plain", { max_tokens: 10 })).headers))
      assert.isFalse(bounded((yield* ask("up/plain", {})).headers))
      assert.isFalse(bounded((yield* ask("up/plain", { max_tokens: 10, messages: say([video]) })).headers))
      assert.isFalse(bounded((yield* ask("up/unknown", { max_tokens: 10 })).headers))
      const { headers } = yield* ask("up/window", { messages: say([video]) })
      assert.isTrue(bounded(headers))
      assert.isAtLeast(Number(headers["x-gateway-cost-usd"]), 0.03 + 0.06)
    })
  )
})
