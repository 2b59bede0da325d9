/** What tools at the vendor read and are paid is held, or they are refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { counted, priced, world } from "./BudgetedGateway.ts"

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
        ["m", { preset: "deep-research" }, "preset"],
        ["m", { enable_code_interpreter: true }, "enable_code_interpreter"],
        ["m", { data_sources: [{ type: "azure_search", parameters: {} }] }, "data_sources"],
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

  it.live("a search that has no price is refused, whichever field asks for it", () =>
    Effect.gen(function* () {
      const bounds = "bounds: { reasoning_tokens: 0, tool_calls: 2, tool_tokens: 1000 }"
      const { asked, key } = yield* world({
        deployments: [`{ provider: up, model: m, price: { input: 1, output: 2 }, ${bounds}, context_window: 100000 }`]
      })
      const chat = yield* key(1)
      for (const fields of [{ plugins: [{ id: "web" }] }, { enable_search: true }, { preset: "pro-search" }]) {
        const { json, status } = yield* chat({ model: "m", max_tokens: 10, ...fields })
        assert.strictEqual(status, 400, JSON.stringify(fields))
        assert.include(json.error.message, "web_search")
      }
      assert.strictEqual((yield* chat({ model: "m", max_tokens: 10, enable_search: false })).status, 200)
      assert.lengthOf(asked, 1)
    })
  )
})
