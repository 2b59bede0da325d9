/** Amazon Bedrock through the gateway's port: signed requests, binary streams, Anthropic's own API, vectors, and its errors. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { both } from "./Facing.ts"
import { chunkMessage, eventMessage, exceptionMessage } from "../support/EventStreamMessages.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { check } from "../support/SigV4.ts"
import { type Asked, type Reply, upstream } from "../support/Upstream.ts"

const ID = "AKIDEXAMPLE"
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const NOVA = "us.amazon.nova-lite-v1:0"

const usage = { inputTokens: 20, outputTokens: 5, totalTokens: 125, cacheReadInputTokens: 100 }

const said = (text: string) => ({
  output: { message: { role: "assistant", content: [{ text }] } },
  stopReason: "end_turn",
  usage,
  metrics: { latencyMs: 1 }
})

const start = eventMessage("messageStart", { role: "assistant" })
const word = (text: string) => eventMessage("contentBlockDelta", { contentBlockIndex: 0, delta: { text } })
const ending = [
  eventMessage("contentBlockStop", { contentBlockIndex: 0 }),
  eventMessage("messageStop", { stopReason: "end_turn" }),
  eventMessage("metadata", { usage, metrics: { latencyMs: 1 } })
]

const binary = { "content-type": "application/vnd.amazon.eventstream" }
const streamed = (...messages: ReadonlyArray<Buffer>): Reply => ({ headers: binary, body: Buffer.concat(messages) })

const hello = ({ path }: Asked): Reply =>
  path.endsWith("-stream") ? streamed(start, word("Hel"), word("lo"), ...ending) : { body: said("Hello") }

const failed = (status: number, type: string, message: string, headers = {}): Reply => ({
  status,
  headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`, ...headers },
  body: { message }
})

/** A gateway with Bedrock behind one address. */
const started = Effect.fnUntraced(function* (script: (asked: Asked, number: number) => Reply, more = "", fields = "") {
  const { asked, baseUrl } = yield* upstream(script)
  const url = new URL(baseUrl).origin
  const gateway = yield* startGateway({
    yaml: `
providers:
  bedrock: { base_url: "${url}", region: us-east-1, access_key_id: ${ID}, secret_access_key: "${SECRET}" ${fields} }
  keyed: { vendor: bedrock, base_url: "${url}", region: us-east-1, api_key: bearer-key }
deployments:
  - { provider: bedrock, model: "${CLAUDE}", price: { input: 1, cached_input: 0.1, output: 2 } }
  - { provider: bedrock, model: "${NOVA}", context_window: 1000, price: { input: 1, output: 2 } }
  - { provider: bedrock, model: "cohere.embed-v4:0", price: { input: 1, output: 0 } }
  - { provider: bedrock, model: "amazon.titan-embed-text-v2:0", price: { input: 1, output: 0 } }
  - { provider: keyed, model: "${CLAUDE}", price: { input: 1, output: 2 } }
models: { either: ["bedrock/${NOVA}", "bedrock/${CLAUDE}"] }
failover: { base_delay: 1ms }
${more}`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (body: object, path = "/v1/chat/completions", headers = {}) =>
    call(gateway.url, { path, key: secret, headers, body })
  return { gateway, asked, ask }
})

const messages = [{ role: "user", content: "Hi" }]

const events = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text.split("\n\n").flatMap((one) => {
    const data = /^data: (\{.*)$/m.exec(one)?.[1]
    return data === undefined ? [] : [JSON.parse(data)]
  })

const content = (text: string): string =>
  events(text)
    .map((event) => (event as { choices?: Array<{ delta?: { content?: string } }> }).choices?.[0]?.delta?.content ?? "")
    .join("")

describe("a chat with Bedrock", () => {
  it.live.each(both)("is signed, spoken as Converse, and booked: %j", ({ stream }) =>
    Effect.gen(function* () {
      const { ask, asked, gateway } = yield* started(hello)
      const answer = yield* ask({ model: `bedrock/${CLAUDE}`, messages, stream })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(stream ? content(answer.text) : answer.json.choices[0].message.content, "Hello")
      const [one] = asked
      const action = stream ? "converse-stream" : "converse"
      assert.strictEqual(one?.path, `/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/${action}`)
      assert.deepStrictEqual(one?.body, { messages: [{ role: "user", content: [{ text: "Hi" }] }] })
      const checked = check(
        { method: "POST", path: one!.path, headers: one!.headers, body: JSON.stringify(one!.body) },
        SECRET
      )
      assert.deepInclude(checked, { accessKeyId: ID, region: "us-east-1", service: "bedrock", isValid: true })
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, {
        status: "settled",
        input: 20,
        cached_input: 100,
        output: 5,
        estimated: 0,
        cost: 40_000
      })
    }).pipe(Effect.scoped)
  )

  it.live.each(both)("takes an API key as a bearer token: %j", ({ stream }) =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(hello)
      const answer = yield* ask({ model: `keyed/${CLAUDE}`, messages, stream })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(asked[0]?.headers["authorization"], "Bearer bearer-key")
      assert.notProperty(asked[0]?.headers, "x-amz-date")
    }).pipe(Effect.scoped)
  )

  it.live("goes through the guardrail of the configuration, and through no other", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(hello, "", ', guardrail: gr-1, guardrail_version: "3"')
      yield* ask({ model: `bedrock/${NOVA}`, messages })
      yield* ask({ model: `bedrock/${NOVA}`, messages, stream: true })
      const guardrail = { guardrailIdentifier: "gr-1", guardrailVersion: "3" }
      assert.deepStrictEqual(asked[0]?.body.guardrailConfig, guardrail)
      assert.deepStrictEqual(asked[1]?.body.guardrailConfig, { ...guardrail, streamProcessingMode: "sync" })
      const own = yield* ask({ model: `bedrock/${NOVA}`, messages, guardrailConfig: { guardrailIdentifier: "mine" } })
      assert.strictEqual(own.status, 400)
      assert.match(own.json.error.message, /guardrails are part of this gateway's configuration/)
      assert.lengthOf(asked, 2)
    }).pipe(Effect.scoped)
  )

  it.live("gives several answers by as many calls", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(hello)
      const answer = yield* ask({ model: `bedrock/${NOVA}`, messages, n: 2 })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.lengthOf(answer.json.choices, 2)
      assert.lengthOf(asked, 2)
    }).pipe(Effect.scoped)
  )
})

describe("Anthropic's API at Bedrock", () => {
  const message = {
    id: "msg_bdrk_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 2 }
  }
  const native = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: "message_stop", "amazon-bedrock-invocationMetrics": { inputTokenCount: 9 } }
  ]
  const script = ({ path }: Asked): Reply => {
    if (path.endsWith("/count-tokens")) return { body: { inputTokens: 42 } }
    return path.endsWith("-stream") ? streamed(...native.map(chunkMessage)) : { body: message }
  }
  const request = {
    model: `bedrock/${CLAUDE}`,
    max_tokens: 100,
    messages,
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
    thinking: { type: "enabled", budget_tokens: 1024 },
    service_tier: "auto"
  }

  it.live("is served natively through InvokeModel", () =>
    Effect.gen(function* () {
      const { ask, asked, gateway } = yield* started(script)
      const beta = { "anthropic-beta": "context-management-2025-06-27, context-1m-2025-08-07" }
      const answer = yield* ask(request, "/v1/messages", beta)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepInclude(answer.json, { id: "msg_bdrk_1", content: [{ type: "text", text: "Hello" }] })
      const { model: _, service_tier: __, ...body } = request
      assert.deepStrictEqual(asked[0]?.body, {
        ...body,
        anthropic_version: "bedrock-2023-05-31",
        // A window of a million tokens is more than this deployment has.
        anthropic_beta: ["context-management-2025-06-27"]
      })
      assert.match(asked[0]?.path ?? "", /%3A0\/invoke$/)
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, { status: "settled", operation: "messages", input: 9, output: 2, estimated: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("leaves out, and names, the beta features of Anthropic's own API that Bedrock does not know", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(script)
      const beta = {
        "anthropic-beta":
          "claude-code-20250219,interleaved-thinking-2025-05-14,advanced-tool-use-2025-11-20,novel-2026-01-01"
      }
      const answer = yield* ask(request, "/v1/messages", beta)
      assert.strictEqual(answer.status, 200, answer.text)
      const { anthropic_beta: sent } = asked[0]!.body as { readonly anthropic_beta: ReadonlyArray<string> }
      assert.deepStrictEqual(sent, ["interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"])
      assert.strictEqual(answer.headers["x-gateway-dropped-params"], "anthropic-beta")
      const strict = yield* ask(request, "/v1/messages", { ...beta, "x-gateway-strict": "1" })
      assert.strictEqual(strict.status, 400, strict.text)
    }).pipe(Effect.scoped)
  )

  it.live("is streamed as Anthropic's own events, without Bedrock's", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(script)
      const answer = yield* ask({ ...request, stream: true }, "/v1/messages")
      assert.strictEqual(answer.status, 200, answer.text)
      assert.match(asked[0]?.path ?? "", /\/invoke-with-response-stream$/)
      assert.notProperty(asked[0]?.body, "stream")
      assert.deepStrictEqual(
        events(answer.text).map(({ type }) => type),
        native.map(({ type }) => type)
      )
      assert.notInclude(answer.text, "invocationMetrics")
    }).pipe(Effect.scoped)
  )

  it.live("counts tokens for the model, without the region of its profile", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(script)
      const { max_tokens: _, ...rest } = request
      const answer = yield* ask(rest, "/v1/messages/count_tokens")
      assert.strictEqual(answer.json.input_tokens, 42)
      assert.strictEqual(asked[0]?.path, "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens")
      const inner = JSON.parse(Buffer.from(asked[0]?.body.input.invokeModel.body, "base64").toString())
      assert.deepInclude(inner, { anthropic_version: "bedrock-2023-05-31", messages, max_tokens: 1 })
      assert.notProperty(inner, "model")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    [
      { tools: [{ type: "web_search_20250305", name: "web_search" }] },
      /web_search_20250305 are run by Anthropic's own API/
    ],
    [{ speed: "fast" }, /`speed` is a part of Anthropic's own API/],
    [{ mcp_servers: [{ type: "url", url: "https://x.example", name: "x" }] }, /mcp_servers/]
  ] as const)("has no tools that Anthropic runs, and nothing that costs otherwise: %j", ([fields, told]) =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(script)
      const answer = yield* ask({ ...request, ...fields }, "/v1/messages")
      assert.strictEqual(answer.status, 400, answer.text)
      assert.match(answer.json.error.message, told)
      assert.isEmpty(asked)
    }).pipe(Effect.scoped)
  )

  it.live("is bridged to Converse for models of others", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(hello)
      const answer = yield* ask({ model: `bedrock/${NOVA}`, max_tokens: 50, messages }, "/v1/messages")
      assert.strictEqual(answer.json.content[0].text, "Hello")
      assert.match(asked[0]?.path ?? "", /\/converse$/)
      assert.deepStrictEqual(asked[0]?.body.inferenceConfig, { maxTokens: 50 })
    }).pipe(Effect.scoped)
  )
})

describe("vectors of Bedrock", () => {
  it.live("are made of many texts by Cohere, packed where that is asked, and counted by the header", () =>
    Effect.gen(function* () {
      const { ask, asked, gateway } = yield* started(() => ({
        headers: { "x-amzn-bedrock-input-token-count": "7" },
        body: {
          embeddings: {
            float: [
              [0.5, -1],
              [0.25, 2]
            ]
          },
          response_type: "embeddings_by_type"
        }
      }))
      const body = { model: "bedrock/cohere.embed-v4:0", input: ["a", "b"], dimensions: 2, encoding_format: "base64" }
      const answer = yield* ask(body, "/v1/embeddings")
      assert.strictEqual(answer.status, 200, answer.text)
      const [first, second] = answer.json.data
      assert.deepStrictEqual(
        [...new Float32Array(Uint8Array.from(Buffer.from(first.embedding, "base64")).buffer)],
        [0.5, -1]
      )
      assert.strictEqual(second.index, 1)
      assert.deepInclude(answer.json.usage, { prompt_tokens: 7, total_tokens: 7 })
      assert.deepStrictEqual(asked[0]?.body, {
        texts: ["a", "b"],
        input_type: "search_document",
        truncate: "NONE",
        output_dimension: 2
      })
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, { status: "settled", input: 7, cost: 7_000, estimated: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("are one for each request at Titan, which says so", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(() => ({ body: { embedding: [0.5, -1], inputTextTokenCount: 3 } }))
      const model = "bedrock/amazon.titan-embed-text-v2:0"
      const answer = yield* ask({ model, input: "a", dimensions: 256 }, "/v1/embeddings")
      assert.deepStrictEqual(answer.json.data[0].embedding, [0.5, -1])
      assert.strictEqual(answer.json.usage.prompt_tokens, 3)
      assert.deepStrictEqual(asked[0]?.body, { inputText: "a", dimensions: 256 })
      const many = yield* ask({ model, input: ["a", "b"] }, "/v1/embeddings")
      assert.strictEqual(many.status, 400)
      assert.match(many.json.error.message, /one text for each request/)
      const tokens = yield* ask({ model, input: [1, 2] }, "/v1/embeddings")
      assert.match(tokens.json.error.message, /vectors of texts, not of tokens/)
    }).pipe(Effect.scoped)
  )

  it.live("fail where they are fewer than the texts", () =>
    Effect.gen(function* () {
      const { ask } = yield* started(() => ({ body: { embeddings: { float: [[0.5]] } } }))
      const answer = yield* ask({ model: "bedrock/cohere.embed-v4:0", input: ["a", "b"] }, "/v1/embeddings")
      assert.isAtLeast(answer.status, 500)
    }).pipe(Effect.scoped)
  )
})

describe("errors of Bedrock", () => {
  it.live.each([
    ["throttlingException", "Too many requests"],
    ["modelStreamErrorException", "The model failed"],
    ["serviceUnavailableException", "Not now"],
    ["internalServerException", "Oops"]
  ] as const)("as a frame before any content go to the next deployment: %s", ([type, text]) =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started(({ path }) =>
        path.includes("nova")
          ? streamed(start, exceptionMessage(type, text))
          : streamed(start, word("Hello"), ...ending)
      )
      const answer = yield* ask({ model: "either", messages, stream: true })
      assert.strictEqual(content(answer.text), "Hello", answer.text)
      assert.lengthOf(asked, 2)
    }).pipe(Effect.scoped)
  )

  it.live("as a frame after content are told, without an end mark, and what came is booked", () =>
    Effect.gen(function* () {
      const { ask, gateway } = yield* started(() =>
        streamed(start, word("Hel"), exceptionMessage("modelStreamErrorException", "The model failed"))
      )
      const answer = yield* ask({ model: `bedrock/${NOVA}`, messages, stream: true })
      assert.strictEqual(content(answer.text), "Hel")
      assert.notInclude(answer.text, "[DONE]")
      assert.property(events(answer.text).at(-1), "error")
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, { estimated: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("are told where a frame is damaged, and nothing of it is shown", () =>
    Effect.gen(function* () {
      const damaged = Buffer.from(word("WRONG"))
      damaged[damaged.length - 10]! ^= 1
      const { ask } = yield* started(() => streamed(start, word("Hel"), damaged, ...ending))
      const answer = yield* ask({ model: `bedrock/${NOVA}`, messages, stream: true })
      assert.strictEqual(content(answer.text), "Hel")
      assert.property(events(answer.text).at(-1), "error")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["ThrottlingException", 429, "Too many tokens, please wait before trying again."],
    ["ModelErrorException", 424, "The request failed due to an error while processing the model."],
    ["ModelTimeoutException", 408, "The model took too long."],
    ["ModelNotReadyException", 429, "The model is not ready."],
    ["ServiceUnavailableException", 503, "The service is unavailable."],
    ["ServiceQuotaExceededException", 400, "Your request exceeds the service quota for your account."],
    ["ResourceNotFoundException", 404, "Could not resolve the foundation model."],
    ["AccessDeniedException", 403, "You don't have access to the model with the specified model ID."],
    ["ValidationException", 400, "The provided model identifier is invalid."],
    ["ValidationException", 400, "Invocation of model ID x with on-demand throughput isn’t supported."],
    ["ValidationException", 400, "Input is too long for requested model."]
  ] as const)("go to the next deployment: %s %i %s", ([type, status, message]) =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started((one) =>
        one.path.includes("nova") ? failed(status, type, message) : hello(one)
      )
      const answer = yield* ask({ model: "either", messages })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.match(asked.at(-1)?.path ?? "", /claude/)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["ValidationException", 400, "messages.0: bad", 400],
    ["UnrecognizedClientException", 403, "The security token included in the request is invalid.", 502],
    ["ThrottlingException", 429, "Too many requests", 429]
  ] as const)("are told as the API's own: %s", ([type, status, message, told]) =>
    Effect.gen(function* () {
      const { ask } = yield* started(() => failed(status, type, message, { "retry-after": "20" }))
      const answer = yield* ask({ model: `bedrock/${NOVA}`, messages })
      assert.strictEqual(answer.status, told, answer.text)
      // What is wrong with our credentials is none of the caller's business.
      if (type === "UnrecognizedClientException") assert.notInclude(answer.text, "security token")
    }).pipe(Effect.scoped)
  )
})
