/** How much text fits into what is left of a budget. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Fetch } from "../../../src/providers/transport/PublicFetch.ts"
import { png } from "../../support/Media.ts"
import { counted, image, priced, say, world } from "./BudgetedGateway.ts"

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

  it.live("is held by a count where the operator says how many tokens the model's tokenizer makes", () =>
    Effect.gen(function* () {
      const { held, key } = yield* world({
        deployments: [
          `{ provider: up, model: m, ${priced}, bounds: { reasoning_tokens: 0, tokens_per_o200k: 2 }, context_window: 1000000 }`
        ]
      })
      const chat = yield* key(0.16)
      const ask = (content: string) => chat({ model: "m", max_tokens: 10, messages: say(content) })
      assert.strictEqual((yield* ask(prose.repeat(5_000))).status, 200)
      assert.closeTo((yield* held) * 1e6, 2 * 71_000, 3_000)
      for (const hostile of [dense.slice(0, 60_000), "1".repeat(170_000)]) {
        assert.strictEqual((yield* ask(hostile)).status, 429)
      }
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
