/** Whatever a request holds beside text, a budget knows the most that it can cost, or the request is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Fetch } from "../../../src/providers/transport/PublicFetch.ts"
import { png } from "../../support/Media.ts"
import { answer, counted, image, priced, say, video, world } from "./BudgetedGateway.ts"

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
      const fetch: Fetch = (url) => {
        fetched.push(url)
        const bytes = Buffer.from(png(640, 480).split(",")[1]!, "base64")
        return Effect.succeed({ mediaType: "image/png", bytes })
      }
      const { held, key } = yield* world({ deployments: [`{ provider: openai, model: gpt-5.6, ${priced} }`], fetch })
      const body = { model: "gpt-5.6", max_tokens: 10, messages: say([image("https://example.com/a.png")]) }
      assert.strictEqual((yield* (yield* key(undefined))(body)).status, 200)
      assert.lengthOf(fetched, 0)
      assert.strictEqual((yield* (yield* key(0.01))(body)).status, 200)
      assert.deepStrictEqual(fetched, ["https://example.com/a.png"])
      assert.closeTo((yield* held) * 1e6 - 20, 360 + 250, 100)
    })
  )

  it.live("an image that grows after it was measured is sent as it was measured, whoever asks its address", () =>
    Effect.gen(function* () {
      let fetches = 0
      const fetch: Fetch = () => {
        const size = fetches++ === 0 ? 64 : 8000
        return Effect.succeed({ mediaType: "image/png", bytes: Buffer.from(png(size, size).split(",")[1]!, "base64") })
      }
      const { asked, key } = yield* world({
        deployments: ["gpt-5.6", "gpt-4o"].map((model) => `{ provider: openai, model: ${model}, ${priced} }`),
        models: "models: { first: [openai/gpt-5.6, openai/gpt-4o] }",
        script: (one) => (one.body.model === "gpt-5.6" ? { status: 503, body: {} } : answer(one)),
        fetch
      })
      const url = "https://example.com/grows.png"
      const content = [image(url), image(` ${url}`), image(png(32, 32))]
      const { status } = yield* (yield* key(0.01))({ model: "first", max_tokens: 10, messages: say(content) })
      assert.strictEqual(status, 200)
      // Two parts and two deployments saw the first fetch. A second one at the same time is thrown away.
      assert.deepStrictEqual([...new Set(asked.map(({ body }) => body.model))], ["gpt-5.6", "gpt-4o"])
      for (const { body } of asked)
        assert.deepStrictEqual(body.messages[0].content, [image(png(64, 64)), image(png(64, 64)), image(png(32, 32))])
      const { status: free } = yield* (yield* key(undefined))({ model: "gpt-4o", messages: say([image(url)]) })
      assert.strictEqual(free, 200)
      assert.strictEqual(asked.at(-1)?.body.messages[0].content[0].image_url.url, url)
    })
  )

  it.live("an image that was measured because little was left is sent as measured, too", () =>
    Effect.gen(function* () {
      let fetches = 0
      const fetch: Fetch = () => {
        const size = fetches++ === 0 ? 64 : 8000
        return Effect.succeed({
          mediaType: "application/octet-stream",
          bytes: Buffer.from(png(size, size).split(",")[1]!, "base64")
        })
      }
      const { asked, key } = yield* world({ deployments: [`{ provider: openai, model: gpt-4o, ${priced} }`], fetch })
      const content = [image("https://example.com/grows.png")]
      const { status } = yield* (yield* key(0.001))({ model: "gpt-4o", max_tokens: 10, messages: say(content) })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(asked[0]?.body.messages[0].content, [image(png(64, 64))])
    })
  )
})
