/** Ollama through the real port, in its own protocol and in the compatible one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Reply, upstream } from "../../support/Upstream.ts"

const line = (message: object, more: object = {}) =>
  `${JSON.stringify({ model: "llama3", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", ...message }, done: false, ...more })}\n`
const end = { done: true, done_reason: "stop", eval_count: 5 }

const served = Effect.fnUntraced(function* (reply: Reply, path = "") {
  const up = yield* upstream(() => reply)
  const address = up.baseUrl.replace(/\/v1$/, path)
  const gateway = yield* startGateway({
    yaml: `
providers: { ollama: { base_url: "${address}" } }
deployments:
  - { provider: ollama, model: llama3, context_window: 16384, price: { input: 1, output: 1 } }
  - { provider: ollama, model: nomic-embed-text, price: { input: 1, output: 0 } }
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey()
  const post = (body: object, at = "/v1/chat/completions") =>
    call(gateway.url, { method: "POST", path: at, key: secret, body: { model: "llama3", ...body } })
  return { gateway, post, up }
})

const messages = [{ role: "user", content: "Hi" }]
const events = (text: string) =>
  text
    .split("\n\n")
    .filter((one) => one.startsWith("data: {"))
    .map((one) => JSON.parse(one.slice(6)))

describe("ollama", () => {
  it.live("gets its context window, and its streamed lines are chunks with calls that have ids", () =>
    Effect.gen(function* () {
      const calls = [1, 2].map((a) => ({ function: { name: "f", arguments: { a } } }))
      const body = [
        line({ content: "", thinking: "Hm" }),
        line({ content: "Hi" }).slice(0, 30),
        line({ content: "Hi" }).slice(30) + line({ content: "", tool_calls: calls }),
        line({ content: "" }, { ...end, prompt_eval_count: 17 })
      ]
      const { gateway, post, up } = yield* served({ headers: { "content-type": "application/x-ndjson" }, body })
      const { text } = yield* post({ messages, stream: true, stream_options: { include_usage: true } })
      assert.deepInclude(up.asked[0]!, { path: "/api/chat" })
      assert.deepInclude(up.asked[0]!.body, { stream: true, options: { num_ctx: 16_384 } })
      const chunks = events(text)
      const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: unknown }) => delta))
      assert.deepStrictEqual(deltas[0], { role: "assistant", content: "" })
      assert.deepStrictEqual(deltas[1], { reasoning_content: "Hm" })
      assert.deepStrictEqual(deltas[2], { content: "Hi" })
      const begun = deltas
        .flatMap(({ tool_calls: made = [] }) => made)
        .filter(({ id }: { id?: string }) => id !== undefined)
      assert.deepStrictEqual(
        begun.map(({ index }: { index: number }) => index),
        [0, 1]
      )
      assert.notStrictEqual(begun[0].id, begun[1].id)
      // Ollama says "stop" though it calls.
      assert.strictEqual(chunks.flatMap(({ choices }) => choices).at(-1).finish_reason, "tool_calls")
      assert.deepInclude(chunks.at(-1).usage, { prompt_tokens: 17, completion_tokens: 5 })
      assert.isTrue(text.trimEnd().endsWith("data: [DONE]"))
      assert.deepInclude((yield* gateway.ledger)[0], { status: "settled", input: 17, output: 5, estimated: 0 })
    })
  )

  it.live("without a count of the prompt, which came from the cache, all is counted here, and said to be", () =>
    Effect.gen(function* () {
      const { gateway, post } = yield* served({ body: line({ content: "Hello there" }, end) })
      const { json, status } = yield* post({ messages })
      assert.strictEqual(status, 200)
      assert.strictEqual(json.choices[0].message.content, "Hello there")
      const [row] = yield* gateway.ledger
      assert.strictEqual(row!.estimated, 1)
      assert.isAbove(row!.input, 0)
    })
  )

  it.live("an error among the lines, and a stream that ends without its last line, are errors", () =>
    Effect.gen(function* () {
      const failing = yield* served({ body: [line({ content: "Hi" }), '{"error":"an error was encountered"}\n'] })
      assert.include((yield* failing.post({ messages, stream: true })).text, '"error"')
      const cut = yield* served({ body: [line({ content: "Hi" })] })
      const { text } = yield* cut.post({ messages, stream: true })
      assert.include(text, '"error"')
      assert.notInclude(text, "[DONE]")
      const unknown = yield* served({ status: 404, body: { error: "model 'llama3' not found" } })
      assert.strictEqual((yield* unknown.post({ messages })).json.error.code, "model_not_found")
      const loaded = yield* served({ body: line({ content: "" }, { done: true, done_reason: "load" }) })
      assert.strictEqual((yield* loaded.post({ messages })).status, 502)
    })
  )

  it.live("embeds, in one request for all inputs", () =>
    Effect.gen(function* () {
      const { post, up } = yield* served({ body: { model: "m", embeddings: [[0.5], [1]], prompt_eval_count: 4 } })
      const { headers, json } = yield* post({ model: "nomic-embed-text", input: ["a", "b"] }, "/v1/embeddings")
      assert.deepInclude(up.asked[0]!, { path: "/api/embed" })
      assert.deepStrictEqual(
        json.data.map(({ embedding }: { embedding: unknown }) => embedding),
        [[0.5], [1]]
      )
      assert.strictEqual(json.usage.prompt_tokens, 4)
      assert.strictEqual(headers["x-gateway-cost-usd"], "0.000004")
    })
  )

  it.live("an address that ends in /v1 is spoken to as before", () =>
    Effect.gen(function* () {
      const answer = {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "llama3",
        choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      }
      const { post, up } = yield* served({ body: answer }, "/v1")
      assert.strictEqual((yield* post({ messages })).json.choices[0].message.content, "Hi")
      assert.deepInclude(up.asked[0]!, { path: "/v1/chat/completions" })
    })
  )
})
