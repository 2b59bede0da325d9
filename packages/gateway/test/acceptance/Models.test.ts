/** `GET /v1/models`: what a key may ask for, in the words of OpenAI, OpenRouter and Codex at once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { demoYaml, masterKey, startGateway } from "../support/RunningGateway.ts"

const yaml = `
${demoYaml.replace("demo/status-500, demo/cut-3]", "demo/status-500, demo/cut-3, demo/picture, demo/embed, { provider: up, model: nameless, price: { input: 0.15, output: 0.6 }, context_window: 128000 }, { provider: up, model: unpriced }]").replace("{ demo: { vendor: demo } }", "{ demo: { vendor: demo }, up: { protocol: openai-chat, base_url: 'http://127.0.0.1:9/v1', api_key: none } }")}
`

interface Model {
  readonly id: string
  readonly [field: string]: unknown
}

const listed = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml })
  const { secret } = yield* gateway.createKey()
  const { json, status, text } = yield* call(gateway.url, { method: "GET", path: "/v1/models", key: secret })
  assert.strictEqual(status, 200, text)
  const cards = new Map<string, Model>(json.data.map((card: Model) => [card.id, card]))
  return { cards, json }
})

describe("GET /v1/models", () => {
  it.live("says of each what it can be asked for, its window, its prices and its health", () =>
    Effect.gen(function* () {
      const { cards } = yield* listed
      const mini = cards.get("demo/mini")!
      assert.deepInclude(mini, {
        name: "demo/mini",
        context_length: 1_000_000,
        architecture: { input_modalities: ["text", "image", "audio"], output_modalities: ["text"] },
        pricing: { prompt: "0.00000015", completion: "0.0000006" }
      })
      const gateway = mini["gateway"] as Model
      assert.deepInclude(gateway, { bucket: "simple", context_window: 1_000_000, health: "ok" })
      assert.includeMembers(gateway["operations"] as Array<string>, ["chat", "responses", "messages"])
      assert.deepInclude(gateway["price"], { input: 0.15, output: 0.6 })
      assert.deepStrictEqual((cards.get("demo/embed")!["gateway"] as Model)["operations"], ["embeddings"])
    }).pipe(Effect.scoped)
  )

  it.live("has prices that are not by the token, and none where none is known", () =>
    Effect.gen(function* () {
      const { cards } = yield* listed
      assert.deepInclude((cards.get("demo/picture")!["gateway"] as Model)["price"], { image: 0.01 })
      const unpriced = cards.get("up/unpriced")!
      assert.isNull(unpriced["pricing"])
      assert.isNull((unpriced["gateway"] as Model)["price"])
      assert.isNull(unpriced["context_length"])
      assert.isNull(cards.get("auto")!["pricing"])
    }).pipe(Effect.scoped)
  )

  it.live("says when a model shuts down, and which efforts it takes, where the catalogue knows", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        yaml: "providers: { openai: { api_key: sk-1 } }\ndeployments: [openai/gpt-5-mini, openai/gpt-6.2-sol]\n"
      })
      const { secret } = yield* gateway.createKey()
      const { json } = yield* call(gateway.url, { method: "GET", path: "/v1/models", key: secret })
      const of = (name: string) => json.data.find(({ id }: Model) => id === name)
      assert.strictEqual(of("openai/gpt-5-mini").expiration_date, "2026-12-11")
      assert.notProperty(of("openai/gpt-6.2-sol"), "expiration_date")
      assert.deepStrictEqual(of("openai/gpt-6.2-sol").gateway.reasoning, {
        efforts: ["low", "medium", "high", "xhigh", "max"],
        default: "medium"
      })
      assert.notProperty(of("auto").gateway, "reasoning")
    }).pipe(Effect.scoped)
  )

  it.live("takes the catalogue's name of a model for deployments that have names of their own", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({
        yaml: `providers: { vertex: { project: p, location: global, api_key: k, base_url: "http://127.0.0.1:9" }, azure: { base_url: "http://127.0.0.1:9/v1", api_key: k } }
deployments: [vertex/claude-opus-5-5@20260922, { provider: azure, model: ours, base_model: gpt-5-mini }]
failover: { attempts: 1 }
`
      })
      const { secret } = yield* gateway.createKey()
      const asked = (model: string) =>
        call(gateway.url, {
          path: "/v1/chat/completions",
          key: secret,
          body: { model, messages: [{ role: "user", content: "hi" }] }
        })
      const explained = (model: string) =>
        call(gateway.url, {
          path: "/admin/route/explain",
          key: masterKey,
          body: { request: { model, messages: [{ role: "user", content: "hi" }] } }
        })
      const chosen = (model: string) =>
        Effect.map(
          explained(model),
          ({ json }) => json.decision?.deployment ?? JSON.stringify(json.refusal ?? json.candidates)
        )
      assert.strictEqual(yield* chosen("claude-opus-5-5"), "vertex/claude-opus-5-5@20260922")
      assert.strictEqual(yield* chosen("gpt-5-mini"), "azure/ours")
      assert.strictEqual((yield* asked("claude-opus-4-8-nowhere")).status, 404)
    }).pipe(Effect.scoped)
  )

  it.live("has Codex's catalogue beside it, with every field that Codex wants", () =>
    Effect.gen(function* () {
      const { json } = yield* listed
      const models: ReadonlyArray<Model & { readonly slug: string }> = json.models
      const slugs = models.map(({ slug }) => slug)
      assert.strictEqual(slugs[0], "auto")
      assert.include(slugs, "up/nameless")
      assert.notInclude(slugs, "demo/embed")
      const nameless = models.find(({ slug }) => slug === "up/nameless")!
      assert.strictEqual(nameless["context_window"], 128_000)
      // One of these that is missing, and Codex takes no model of the list.
      const wanted =
        "slug display_name description supported_reasoning_levels shell_type visibility supported_in_api priority upgrade base_instructions supports_reasoning_summaries support_verbosity default_verbosity apply_patch_tool_type truncation_policy supports_parallel_tool_calls experimental_supported_tools"
      for (const model of models) {
        for (const field of wanted.split(" ")) assert.property(model, field)
        // Codex sends these in place of its own, and an agent without any is lost.
        assert.isNotEmpty(model["base_instructions"])
      }
    }).pipe(Effect.scoped)
  )

  it.live("is in Anthropic's shape for its clients, without either", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml })
      const { secret } = yield* gateway.createKey()
      const { json } = yield* call(gateway.url, {
        method: "GET",
        path: "/v1/models",
        headers: { "x-api-key": secret, "anthropic-version": "2023-06-01" }
      })
      assert.notProperty(json, "models")
      assert.strictEqual(json.data[0].type, "model")
    }).pipe(Effect.scoped)
  )
})
