/** What vendors' own clients make of masked and denied responses. */
import Anthropic from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import OpenAI from "openai"
import { Script } from "../../src/testing/Script.ts"
import type { Step } from "../../src/testing/ScriptStep.ts"
import { TestGateway } from "../../src/testing/TestGateway.ts"

const EMAIL = "bob@example.com"
const KEY = `ghp_${"aB3".repeat(12)}`

const world = (step: Step) =>
  TestGateway.layer({
    deployments: ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"],
    guardrails: {
      checks: { secrets: { kind: "secrets", action: "deny" }, pii: { kind: "pii", action: "mask" } },
      policies: { strict: { response: ["secrets", "pii"] } },
      always: ["strict"]
    },
    scripts: { openai: [step], anthropic: [step] }
  })

const clients = Effect.gen(function* () {
  const gateway = yield* TestGateway
  const apiKey = yield* gateway.createKey()
  const options = { apiKey, fetch: gateway.fetch, maxRetries: 0 }
  return {
    openai: new OpenAI({ ...options, baseURL: "http://gateway/v1" }),
    anthropic: new Anthropic({ ...options, baseURL: "http://gateway" })
  }
})

const messages = [{ role: "user" as const, content: "Hi" }]
const chat = { model: "openai/gpt-5-mini", messages }
const message = { model: "anthropic/claude-haiku-4-5", max_tokens: 100, messages }
const responses = { model: "anthropic/claude-haiku-4-5", input: "Hi" }

const calling = Script.answer(`mail ${EMAIL} now`, {
  toolCalls: [
    { name: "send", arguments: { to: EMAIL } },
    { name: "log", arguments: { n: 1 } }
  ]
})
const MASKED = /^mail <EMAIL_[a-z2-7]{8}> now$/
const ARGUMENTS = /^\{"to":"<EMAIL_[a-z2-7]{8}>"\}$/

describe("clients of vendors", () => {
  it.effect("read a masked stream of OpenAI's chat with its calls", () =>
    Effect.gen(function* () {
      const { openai } = yield* clients
      const runner = openai.chat.completions.stream(chat)
      const { choices } = yield* Effect.promise(() => runner.finalChatCompletion())
      const said = choices[0]!.message
      assert.match(said.content!, MASKED)
      const calls = said.tool_calls!.map((one) => (one.type === "function" ? one.function : undefined))
      assert.deepStrictEqual(
        calls.map((one) => one?.name),
        ["send", "log"]
      )
      assert.match(calls[0]!.arguments, ARGUMENTS)
      assert.strictEqual(calls[1]!.arguments, '{"n":1}')
    }).pipe(Effect.provide(world(calling)))
  )

  it.effect("read a masked stream of Anthropic's messages with its calls", () =>
    Effect.gen(function* () {
      const { anthropic } = yield* clients
      const { content } = yield* Effect.promise(() => anthropic.messages.stream(message).finalMessage())
      const [text, call, other] = content
      assert.match(text?.type === "text" ? text.text : "", MASKED)
      assert.match(call?.type === "tool_use" ? JSON.stringify(call.input) : "", ARGUMENTS)
      assert.deepStrictEqual(other?.type === "tool_use" ? [other.name, other.input] : [], ["log", { n: 1 }])
    }).pipe(Effect.provide(world(calling)))
  )

  it.effect("read a masked stream of OpenAI's responses with its calls", () =>
    Effect.gen(function* () {
      const { openai } = yield* clients
      const { output, output_text: text } = yield* Effect.promise(() =>
        openai.responses.stream(responses).finalResponse()
      )
      assert.match(text, MASKED)
      const [call] = output.flatMap((item) => (item.type === "function_call" ? [item] : []))
      assert.match(call!.arguments, ARGUMENTS)
    }).pipe(Effect.provide(world(calling)))
  )

  it.effect("read a stream that is denied as one that a filter ended", () =>
    Effect.gen(function* () {
      const { anthropic, openai } = yield* clients
      const { choices } = yield* Effect.promise(() => openai.chat.completions.stream(chat).finalChatCompletion())
      assert.strictEqual(choices[0]?.finish_reason, "content_filter")
      assert.strictEqual(choices[0]?.message.content, "the key is ")
      const said = yield* Effect.promise(() => anthropic.messages.stream(message).finalMessage())
      assert.strictEqual(said.stop_reason, "refusal")
      assert.notInclude(JSON.stringify(said), KEY.slice(4, 12))
      const response = yield* Effect.promise(() => openai.responses.stream(responses).finalResponse())
      assert.strictEqual(response.status, "incomplete")
      assert.deepStrictEqual(response.incomplete_details, { reason: "content_filter" })
    }).pipe(Effect.provide(world(Script.stream(["the key ", "is ", KEY.slice(0, 9), KEY.slice(9), " after"]))))
  )
})
