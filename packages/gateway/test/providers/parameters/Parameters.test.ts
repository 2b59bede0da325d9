/**
 * No parameter is lost silently. Whatever a caller asks for changes what the provider is sent, or is named in
 * `X-Gateway-Dropped-Params` (and refused where the caller is strict), or is refused. What is excepted asks nothing of a provider.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import { Script } from "../../../src/testing/Script.ts"
import { TestGateway } from "../../../src/testing/TestGateway.ts"
import { faces } from "./Faces.ts"

/** A deployment for each way a request can take, and the faces that it has. */
const ways: ReadonlyArray<{
  readonly name: string
  readonly deployment: string | JsonObject
  readonly faces: ReadonlyArray<keyof typeof faces>
}> = [
  { name: "OpenAI", deployment: "openai/gpt-4o", faces: ["chat", "messages", "completions"] },
  { name: "OpenAI, reasoning", deployment: "openai/gpt-5", faces: ["chat", "messages"] },
  {
    name: "OpenAI, chat only",
    deployment: { provider: "openai", model: "gpt-4o-mini", operations: ["chat"] },
    faces: ["responses"]
  },
  {
    name: "OpenAI, responses",
    deployment: { provider: "openai", model: "gpt-4.1", operations: ["responses"] },
    faces: ["responses", "chat"]
  },
  {
    name: "OpenAI, responses of a model that reasons",
    deployment: "openai/gpt-5-pro",
    faces: ["chat", "responses", "messages", "completions"]
  },
  {
    name: "a compatible server",
    deployment: "compatible/some-model",
    faces: ["chat", "responses", "messages", "completions", "embeddings", "images", "speech", "moderations"]
  },
  {
    name: "Anthropic",
    deployment: "anthropic/claude-sonnet-4-5",
    faces: ["chat", "responses", "messages", "completions"]
  },
  { name: "Anthropic, newest", deployment: "anthropic/claude-opus-5-5", faces: ["chat", "responses", "messages"] },
  {
    name: "Bedrock, Claude",
    deployment: "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    faces: ["chat", "responses", "messages", "completions"]
  },
  { name: "Bedrock, Nova", deployment: "bedrock/us.amazon.nova-2-lite-v1:0", faces: ["chat", "responses", "messages"] },
  { name: "Bedrock, vectors", deployment: "bedrock/cohere.embed-v4:0", faces: ["embeddings"] },
  { name: "Gemini 2.5", deployment: "google-ai-studio/gemini-2.5-flash", faces: ["chat", "responses", "messages"] },
  { name: "Gemini 3", deployment: "google-ai-studio/gemini-3-pro-preview", faces: ["chat", "messages"] },
  { name: "Groq", deployment: "groq/openai/gpt-oss-120b", faces: ["chat", "responses", "messages"] },
  { name: "DeepSeek", deployment: "deepseek/deepseek-chat", faces: ["chat"] },
  { name: "OpenRouter", deployment: "openrouter/openai/gpt-4o", faces: ["chat", "messages"] },
  { name: "Cohere", deployment: "cohere/command-a-reasoning-08-2025", faces: ["chat", "responses", "messages"] },
  { name: "Ollama", deployment: "ollama/qwen3", faces: ["chat", "responses", "messages"] },
  { name: "Mistral", deployment: "mistral/mistral-large-latest", faces: ["chat", "responses", "messages"] }
]

interface Excepted {
  readonly way: RegExp
  readonly face: RegExp
  readonly parameter: RegExp
  readonly why: string
}

const exceptions: ReadonlyArray<Excepted> = [
  {
    way: /^(?!Anthropic)/,
    face: /^messages$/,
    parameter: /^cache_control$/,
    why: "a hint that changes no answer: vendors without marks cache by themselves, or not at all"
  },
  {
    way: /compatible|chat only|Anthropic|Mistral|Bedrock|Gemini|Groq|Cohere|Ollama/,
    face: /^responses$/,
    parameter: /^max_tool_calls$/,
    why: "it limits tools that the vendor runs, which are left out and named"
  },
  {
    way: /compatible|chat only|Anthropic|Mistral|Bedrock|Gemini|Groq|Cohere|Ollama/,
    face: /^responses$/,
    parameter: /^metadata$/,
    why: "it stands in the response, which is the gateway's own"
  },
  {
    way: /compatible|Anthropic|Mistral|Bedrock|Gemini|Groq|Cohere|Ollama/,
    face: /^responses$/,
    parameter: /^prompt_cache_key$/,
    why: "a hint that changes no answer, by which the gateway itself keeps a session at a deployment"
  },
  {
    way: /compatible|chat only|Anthropic|Mistral|Bedrock|Gemini|Groq|Cohere|Ollama|OpenAI, responses$/,
    face: /^responses$/,
    parameter: /^reasoning\.summary$/,
    why: "the thoughts that a model shows are given as a summary anyway, if it thinks"
  },
  {
    way: /compatible|Mistral|Bedrock|Gemini|Groq|Cohere|Ollama/,
    face: /^responses$/,
    parameter: /^safety_identifier$/,
    why: "it tells OpenAI whom it may block; others have no such thing"
  },
  {
    way: /Bedrock/,
    face: /^messages$/,
    parameter: /^service_tier$/,
    why: "the standard tier is what Bedrock serves unasked"
  },
  {
    way: /Gemini/,
    face: /^messages$/,
    parameter: /^service_tier$/,
    why: "`standard_only` asks for no dearer tier, and none is asked for"
  },
  {
    way: /compatible|vectors/,
    face: /^embeddings$/,
    parameter: /^encoding_format$/,
    why: "the gateway writes either encoding itself"
  }
]

/** An answer of Responses. */
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1_760_000_000,
  status: "completed",
  model: "m",
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Fine", annotations: [] }]
    }
  ],
  usage: {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2
  }
}
/** An answer of Converse, and of vectors. */
const converse = {
  output: { message: { role: "assistant", content: [{ text: "Fine" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  embeddings: [[0.5]],
  // The same in Anthropic's API.
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Fine" }],
  stop_reason: "end_turn"
}
const conversing = Script.raw({ body: JSON.stringify(converse) })
const responding = Script.raw({ body: JSON.stringify(response) })

const layer = TestGateway.layer({
  deployments: ways.map(({ deployment }) =>
    deployment === "compatible/some-model"
      ? {
          provider: "compatible",
          model: "some-model",
          operations: ["chat", "embeddings", "images", "speech", "moderations"]
        }
      : deployment
  ),
  providers: {
    openai: { api_key: "k" },
    anthropic: { api_key: "k" },
    mistral: { api_key: "k" },
    bedrock: { api_key: "k", region: "us-east-1" },
    "google-ai-studio": { api_key: "k" },
    groq: { api_key: "k" },
    cohere: { api_key: "k" },
    ollama: { base_url: Script.baseUrl("ollama").replace("/v1", "") },
    deepseek: { api_key: "k" },
    openrouter: { api_key: "k" },
    compatible: { protocol: "openai-chat", base_url: Script.baseUrl("compatible"), api_key: "none" }
  },
  failover: { attempts: 1 },
  scripts: {
    "https://generativelanguage.googleapis.com/v1beta": [
      Script.raw({
        body: JSON.stringify({
          candidates: [{ content: { role: "model", parts: [{ text: "Fine" }] }, finishReason: "STOP", index: 0 }],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
          modelVersion: "m"
        })
      })
    ],
    "https://api.cohere.com/v2": [
      Script.raw({
        body: JSON.stringify({
          id: "1",
          finish_reason: "COMPLETE",
          message: { role: "assistant", content: [{ type: "text", text: "Fine" }] },
          usage: { billed_units: { input_tokens: 1, output_tokens: 1 }, tokens: { input_tokens: 1, output_tokens: 1 } }
        })
      })
    ],
    "http://ollama.test": [
      Script.raw({
        body: JSON.stringify({
          model: "qwen3",
          created_at: "2026-01-01T00:00:00Z",
          message: { role: "assistant", content: "Fine" },
          done: true,
          done_reason: "stop",
          prompt_eval_count: 1,
          eval_count: 1
        })
      })
    ],
    "openai/gpt-4.1": [responding],
    "openai/gpt-5-pro": [responding],
    "https://bedrock-runtime.us-east-1.amazonaws.com": [conversing],
    "*": [Script.answer("Fine")]
  }
})

const nameOf = (deployment: string | JsonObject): string =>
  typeof deployment === "string" ? deployment : `${String(deployment["provider"])}/${String(deployment["model"])}`

describe("parameters", () => {
  it.effect("are never lost silently", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const script = yield* Script
      const secret = yield* gateway.createKey()
      const used = new Set<Excepted>()
      const lost: Array<string> = []
      const ask = Effect.fnUntraced(function* (path: string, body: JsonObject, strict: boolean) {
        const before = (yield* script.requests).length
        const answer = yield* gateway.send({
          method: "POST",
          path,
          headers: {
            authorization: `Bearer ${secret}`,
            "content-type": "application/json",
            ...(strict ? { "x-gateway-strict": "1" } : {})
          },
          body: JSON.stringify(body)
        })
        const sent = (yield* script.requests).slice(before)
        return { answer, sent: sent.map((one) => one.body) }
      })
      for (const way of ways) {
        for (const face of way.faces) {
          const { parameters, path, plain } = faces[face]
          const model = nameOf(way.deployment)
          const base = yield* ask(path, { model, ...plain }, false)
          if (base.sent.length === 0) lost.push(`${way.name}, ${face}: ${JSON.stringify(base.answer.body)}`)
          for (const [name, value] of Object.entries(parameters)) {
            const body: JsonObject = typeof value === "function" ? value({ ...plain }) : { ...plain, [name]: value }
            const { answer, sent } = yield* ask(path, { model, ...body }, false)
            if (answer.status === 400) continue
            const dropped = answer.headers["x-gateway-dropped-params"]
            if (dropped !== undefined) {
              const strict = yield* ask(path, { model, ...body }, true)
              if (strict.answer.status !== 400) lost.push(`${way.name}, ${face}, ${name}: dropped, but not refused`)
              continue
            }
            if (!isDeepStrictEqual(sent, base.sent)) continue
            const why = exceptions.filter(
              (one) => one.way.test(way.name) && one.face.test(face) && one.parameter.test(name)
            )
            for (const one of why) used.add(one)
            if (why.length === 0) lost.push(`${way.name}, ${face}, ${name}: lost (${answer.status})`)
          }
        }
      }
      assert.deepStrictEqual(lost, [])
      assert.deepStrictEqual(
        exceptions.filter((one) => !used.has(one)).map(({ why }) => why),
        []
      )
    }).pipe(Effect.provide(layer))
  )
})
