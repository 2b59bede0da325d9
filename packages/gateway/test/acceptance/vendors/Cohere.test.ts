/** Cohere through the real port: streamed calls, what is billed, and its errors. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Reply, upstream } from "../../support/Upstream.ts"

const served = Effect.fnUntraced(function* (reply: Reply) {
  const up = yield* upstream(() => reply)
  const gateway = yield* startGateway({
    yaml: `
providers: { cohere: { base_url: "${up.baseUrl.replace(/\/v1$/, "/v2")}", api_key: k } }
deployments: [cohere/command-a-03-2025, cohere/embed-v4.0]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey()
  const post = (body: object, path = "/v1/chat/completions") =>
    call(gateway.url, { method: "POST", path, key: secret, body: { model: "command-a-03-2025", ...body } })
  return { gateway, post, up }
})

const event = (type: string, message: object = {}, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, delta: { message }, ...more })}\n\n`
const usage = {
  billed_units: { input_tokens: 41, output_tokens: 25 },
  tokens: { input_tokens: 1441, output_tokens: 54 }
}
const last = (finish_reason: string) =>
  `event: message-end\ndata: ${JSON.stringify({ type: "message-end", delta: { finish_reason, usage } })}\n\ndata: [DONE]\n\n`
const begun = (index: number, id: string) =>
  event("tool-call-start", { tool_calls: { id, type: "function", function: { name: "f", arguments: "" } } }, { index })
const argued = (index: number, text: string) =>
  event("tool-call-delta", { tool_calls: { function: { arguments: text } } }, { index })

interface Piece {
  readonly index: number
  readonly function: { readonly arguments: string }
}

const messages = [{ role: "user", content: "Hi" }]

describe("cohere", () => {
  it.live("streams its plan as thoughts and parallel calls as calls, and bills what Cohere bills", () =>
    Effect.gen(function* () {
      const body = [
        event("message-start", { role: "assistant" }, { id: "c1" }),
        event("tool-plan-delta", { tool_plan: "I will look." }),
        // Cohere counts on from its contents.
        begun(1, "f_1") + argued(1, '{"a"') + argued(1, ":1}") + event("tool-call-end", {}, { index: 1 }),
        begun(2, "f_2") + event("tool-call-end", {}, { index: 2 }),
        last("TOOL_CALL")
      ]
      const { gateway, post, up } = yield* served({ headers: { "content-type": "text/event-stream" }, body })
      const { text } = yield* post({ messages, stream: true, stream_options: { include_usage: true } })
      assert.deepInclude(up.asked[0]!, { path: "/v2/chat" })
      assert.strictEqual(up.asked[0]!.headers["authorization"], "Bearer k")
      const chunks = text
        .split("\n\n")
        .filter((one) => one.startsWith("data: {"))
        .map((one) => JSON.parse(one.slice(6)))
      const pieces: ReadonlyArray<Piece> = chunks.flatMap(({ choices }) =>
        choices.flatMap(({ delta }: { delta: { tool_calls?: ReadonlyArray<Piece> } }) => delta.tool_calls ?? [])
      )
      const args = (number: number) =>
        pieces
          .filter(({ index }) => index === number)
          .map((piece) => piece.function.arguments)
          .join("")
      assert.strictEqual(args(0), '{"a":1}')
      assert.strictEqual(args(1), "{}")
      assert.include(text, '"reasoning_content":"I will look."')
      assert.strictEqual(chunks.flatMap(({ choices }) => choices).at(-1).finish_reason, "tool_calls")
      assert.deepInclude(chunks.at(-1).usage, { prompt_tokens: 41, completion_tokens: 25, tokens: usage.tokens })
      // 41 × 2.50 + 25 × 10 USD a million.
      assert.deepInclude((yield* gateway.ledger)[0], { status: "settled", input: 41, output: 25, cost: 352_500 })
    })
  )

  it.live("an answer that failed or was cut is an error, never a clean end", () =>
    Effect.gen(function* () {
      const start = event("content-delta", { content: { text: "Hi" } })
      for (const body of [[start, last("ERROR")], [start, last("TIMEOUT")], [start]]) {
        const { post } = yield* served({ headers: { "content-type": "text/event-stream" }, body })
        const { text } = yield* post({ messages, stream: true })
        assert.include(text, '"error"')
        assert.notInclude(text, "[DONE]")
      }
      const whole = yield* served({ body: { id: "c", message: { content: [] }, finish_reason: "TIMEOUT", usage } })
      assert.strictEqual((yield* whole.post({ messages })).status, 502)
    })
  )

  it.live("its errors are told in the gateway's words, and its key is never blamed on the caller", () =>
    Effect.gen(function* () {
      const gone = "model 'command-r' was removed on September 15, 2025."
      const missing = yield* served({ status: 404, body: { id: "x", message: gone } })
      const answer = yield* missing.post({ messages })
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(answer.json.error.code, "model_not_found")
      const refused = yield* served({ status: 401, body: { id: "x", message: "invalid api token" } })
      assert.strictEqual((yield* refused.post({ messages })).json.error.code, "upstream_auth")
      const limited = yield* served({
        status: 429,
        headers: { "retry-after": "7" },
        body: { message: "too many requests" }
      })
      assert.strictEqual((yield* limited.post({ messages })).headers["retry-after"], "7")
    })
  )

  it.live("embeds, at the price of what is billed", () =>
    Effect.gen(function* () {
      const body = { id: "e", embeddings: { float: [[0.5]] }, meta: { billed_units: { input_tokens: 100 } } }
      const { post, up } = yield* served({ body })
      const { headers, json } = yield* post({ model: "embed-v4.0", input: "a" }, "/v1/embeddings")
      assert.deepInclude(up.asked[0]!.body, { texts: ["a"], input_type: "search_document" })
      assert.deepStrictEqual(json.data[0], { object: "embedding", index: 0, embedding: [0.5] })
      assert.strictEqual(headers["x-gateway-cost-usd"], "0.000012")
    })
  )
})
