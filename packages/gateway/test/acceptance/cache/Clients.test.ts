/** What vendors' own clients make of a response of the cache: the same as of the first, but for its ids. */
import Anthropic from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import OpenAI from "openai"
import { Script } from "../../../src/testing/Script.ts"
import { TestGateway } from "../../../src/testing/TestGateway.ts"

const world = TestGateway.layer({
  deployments: ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5", "openai/text-embedding-3-small"],
  cache: { mode: "on", tool_calls: true },
  scripts: {
    openai: [Script.answer("one two three", { toolCalls: [{ name: "look", arguments: { id: "customer-42" } }] })],
    anthropic: [Script.answer("one two three", { toolCalls: [{ name: "look", arguments: { id: "customer-42" } }] })]
  }
})

const messages = [{ role: "user" as const, content: "Hi" }]
const parameters = { type: "object" as const, properties: {} }
const tools = [{ type: "function" as const, function: { name: "look", parameters } }]
const chat = { model: "openai/gpt-5-mini", messages, tools }
const message = {
  model: "anthropic/claude-haiku-4-5",
  max_tokens: 100,
  messages,
  tools: [{ name: "look", input_schema: parameters }]
}
const response = { model: "anthropic/claude-haiku-4-5", input: "Hi" }

/** What a client read, without ids and what the gateway says of this request. */
const shape = (read: unknown): unknown =>
  JSON.parse(
    JSON.stringify(read, (name, value) =>
      ["id", "item_id", "call_id", "gateway", "cost", "created_at", "completed_at"].includes(name) &&
      value !== "customer-42"
        ? undefined
        : value
    )
  )

const ids = (read: unknown): ReadonlySet<string> =>
  new Set([...JSON.stringify(read).matchAll(/"(?:id|call_id|item_id)":"([^"]+)"/g)].map(([, id]) => id!))

const all = async (stream: AsyncIterable<unknown>) => {
  const events: Array<unknown> = []
  for await (const event of stream) events.push(JSON.parse(JSON.stringify(event)))
  return events
}

describe("a response of the cache", () => {
  for (const [name, ask] of [
    ["OpenAI's chat", ({ openai }) => openai.chat.completions.create(chat)],
    [
      "OpenAI's streamed chat",
      async ({ openai }) => all(await openai.chat.completions.create({ ...chat, stream: true }))
    ],
    ["OpenAI's response", ({ openai }) => openai.responses.create(response)],
    [
      "OpenAI's streamed response",
      async ({ openai }) => all(await openai.responses.create({ ...response, stream: true }))
    ],
    ["Anthropic's message", ({ anthropic }) => anthropic.messages.create(message)],
    [
      "Anthropic's streamed message",
      async ({ anthropic }) => {
        const stream = anthropic.messages.stream(message)
        return [await all(stream), await stream.finalMessage()]
      }
    ]
  ] as ReadonlyArray<
    readonly [string, (clients: { readonly openai: OpenAI; readonly anthropic: Anthropic }) => Promise<unknown>]
  >) {
    it.effect(`is the same to ${name}, but for its ids`, () =>
      Effect.gen(function* () {
        const gateway = yield* TestGateway
        const apiKey = yield* gateway.createKey()
        const seen: Array<string | null> = []
        const fetch: typeof globalThis.fetch = async (...given) => {
          const answer = await gateway.fetch(...given)
          seen.push(answer.headers.get("x-gateway-cache"))
          return answer
        }
        const options = { apiKey, fetch, maxRetries: 0 }
        const clients = {
          openai: new OpenAI({ ...options, baseURL: "http://gateway/v1" }),
          anthropic: new Anthropic({ ...options, baseURL: "http://gateway" })
        }
        const first = yield* Effect.promise(() => ask(clients))
        yield* Effect.yieldNow
        const second = yield* Effect.promise(() => ask(clients))
        assert.deepStrictEqual(seen, ["miss", "hit"])
        assert.deepStrictEqual(shape(second), shape(first))
        const [old, fresh] = [ids(first), ids(second)]
        assert.strictEqual(fresh.size, old.size)
        assert.deepStrictEqual(
          [...fresh].filter((id) => old.has(id)),
          JSON.stringify(first).includes('"id":"customer-42"') ? ["customer-42"] : []
        )
      }).pipe(Effect.provide(world))
    )
  }
})
