/**
 * The same turns become the same bytes, however a conversation goes on: prompt caches and signatures of thoughts rely on that. Random
 * histories, from each endpoint, at a model of each protocol.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream } from "../../support/Upstream.ts"
import { seeded } from "../../providers/protocols/openai/Support.ts"

const MODELS = [
  "openai/gpt-4.1",
  "anthropic/claude-sonnet-4-5",
  "google-ai-studio/gemini-3-pro-preview",
  "bedrock/us.amazon.nova-pro-v1:0",
  "bedrock/us.anthropic.claude-opus-4-6-v1",
  "mistral/mistral-large-latest",
  "cohere/command-a-03-2025",
  "ollama/qwen3",
  "moonshot/kimi-k2.5",
  "deepseek/deepseek-v4-pro",
  "vllm/m"
]

/** What one exchange holds: the assistant's turn, and what follows it. */
interface Exchange {
  readonly thought: boolean
  readonly calls: number
  readonly instruction: boolean
  readonly name: string
}

const random = seeded(7)
const history = (length: number): ReadonlyArray<Exchange> =>
  Array.from({ length }, (_, index) => ({
    thought: random() < 0.5,
    calls: Math.floor(random() * 3),
    instruction: random() < 0.3,
    name: `n${index}`
  }))

const ids = ({ calls, name }: Exchange) => Array.from({ length: calls }, (_, at) => `call_${name}_${at}`)
const schema = { type: "object", properties: {} }

const ofChat = (exchanges: ReadonlyArray<Exchange>) => ({
  tools: [{ type: "function", function: { name: "ls", parameters: schema } }],
  messages: [
    { role: "system", content: "Be kind" },
    { role: "user", content: "Go" },
    ...exchanges.flatMap((one) => [
      {
        role: "assistant",
        content: one.name,
        ...(one.thought ? { reasoning_content: `I think ${one.name}` } : {}),
        ...(one.calls === 0
          ? {}
          : { tool_calls: ids(one).map((id) => ({ id, type: "function", function: { name: "ls", arguments: "{}" } })) })
      },
      ...ids(one).map((id) => ({ role: "tool", tool_call_id: id, content: id })),
      ...(one.calls === 0 ? [{ role: "user", content: `on ${one.name}` }] : []),
      ...(one.instruction ? [{ role: "system", content: `Mind ${one.name}` }] : [])
    ])
  ]
})

const ofMessages = (exchanges: ReadonlyArray<Exchange>) => ({
  max_tokens: 100,
  system: "Be kind",
  tools: [{ name: "ls", input_schema: schema }],
  messages: [
    { role: "user", content: "Go" },
    ...exchanges.flatMap((one) => [
      {
        role: "assistant",
        content: [
          ...(one.thought ? [{ type: "thinking", thinking: `I think ${one.name}`, signature: "c2lnbmVk" }] : []),
          { type: "text", text: one.name },
          ...ids(one).map((id) => ({ type: "tool_use", id, name: "ls", input: {} }))
        ]
      },
      {
        role: "user",
        content: [
          ...ids(one).map((id) => ({ type: "tool_result", tool_use_id: id, content: id })),
          ...(one.calls === 0 || one.instruction ? [{ type: "text", text: `on ${one.name}` }] : [])
        ]
      }
    ])
  ]
})

const ofResponses = (exchanges: ReadonlyArray<Exchange>) => ({
  instructions: "Be kind",
  tools: [{ type: "function", name: "ls", parameters: schema, strict: false }],
  input: [
    { role: "user", content: "Go" },
    ...exchanges.flatMap((one) => [
      ...(one.thought ? [{ type: "reasoning", summary: [{ type: "summary_text", text: `I think ${one.name}` }] }] : []),
      { role: "assistant", content: one.name },
      ...ids(one).map((id) => ({ type: "function_call", call_id: id, name: "ls", arguments: "{}" })),
      ...ids(one).map((id) => ({ type: "function_call_output", call_id: id, output: id })),
      ...(one.calls === 0 ? [{ role: "user", content: `on ${one.name}` }] : []),
      ...(one.instruction ? [{ role: "developer", content: `Mind ${one.name}` }] : [])
    ])
  ]
})

const ENDPOINTS = [
  ["/v1/chat/completions", ofChat],
  ["/v1/messages", ofMessages],
  ["/v1/responses", ofResponses]
] as const

const LISTS = ["messages", "contents", "input"]

describe("a conversation that grows", () => {
  for (const [path, written] of ENDPOINTS) {
    it.live(`from ${path} begins with the same bytes at every protocol`, () =>
      Effect.gen(function* () {
        const { asked, baseUrl } = yield* upstream(() => ({ status: 400, body: { error: { message: "enough" } } }))
        const vendors = new Set(MODELS.map((model) => model.slice(0, model.indexOf("/"))))
        const gateway = yield* startGateway({
          yaml: `
providers:
${[...vendors].map((name) => `  ${name}: { ${name === "vllm" ? "protocol: openai-chat, " : name === "bedrock" ? "region: us-east-1, " : ""}base_url: "${baseUrl}", api_key: k }`).join("\n")}
deployments:
${MODELS.map((id) => `  - { provider: ${id.slice(0, id.indexOf("/"))}, model: "${id.slice(id.indexOf("/") + 1)}", price: { input: 1, output: 2 } }`).join("\n")}
`
        })
        const { secret } = yield* gateway.createKey()
        const sent = Effect.fnUntraced(function* (model: string, exchanges: ReadonlyArray<Exchange>) {
          yield* call(gateway.url, { path, key: secret, body: { model, ...written(exchanges) } })
          const body: Record<string, unknown> = asked.at(-1)!.body
          const list = LISTS.find((name) => Array.isArray(body[name]))!
          const { [list]: turns, ...rest } = body
          return { turns: turns as ReadonlyArray<unknown>, rest }
        })
        for (let round = 0; round < 6; round++) {
          const whole = history(4)
          for (const model of MODELS) {
            let before = yield* sent(model, [])
            for (let length = 1; length <= whole.length; length++) {
              const next = yield* sent(model, whole.slice(0, length))
              const what = `${model}, ${length} exchanges of round ${round}`
              assert.strictEqual(JSON.stringify(next.rest), JSON.stringify(before.rest), what)
              const beginning = next.turns.slice(0, before.turns.length)
              assert.strictEqual(JSON.stringify(beginning), JSON.stringify(before.turns), what)
              before = next
            }
          }
        }
      }).pipe(Effect.scoped)
    )
  }
})
