/**
 * What the Open Responses suite asks over HTTP, of a model that has Responses itself, of one that has chat, and of Anthropic's. Each
 * answer and each event is valid by the vendor's own description.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Response, ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses"
import { problemWith } from "../../support/OpenAiSchema.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { hasData, sayWhenMissing } from "../../support/Transcripts.ts"
import { upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { claude } from "./Claude.ts"

sayWhenMissing("validity of responses and their events")

type Asking = Omit<ResponseCreateParamsNonStreaming, "model" | "stream">

const overChat = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const { secret } = yield* gateway.createKey()
  return { client: gateway.client(secret), model: "demo/standard" }
})

/** The one above, taken for a provider that has Responses. */
const native = Effect.gen(function* () {
  const inner = yield* startGateway({
    yaml: `
providers: { demo: { vendor: demo } }
deployments: [demo/standard]
models: { gpt-4o-mini: [demo/standard] }
`
  })
  const key = yield* inner.createKey()
  const gateway = yield* startGateway({
    yaml: `
providers: { openai: { base_url: "${inner.url}/v1", api_key: "${key.secret}" } }
deployments: [openai/gpt-4o-mini]
`
  })
  const { secret } = yield* gateway.createKey()
  return { client: gateway.client(secret), model: "openai/gpt-4o-mini" }
})

const overAnthropic = Effect.gen(function* () {
  const { baseUrl } = yield* upstream(claude)
  const gateway = yield* startGateway({
    yaml: `
providers: { anthropic: { api_key: k, base_url: "${baseUrl}" } }
deployments: [anthropic/claude-haiku-4-5]
`
  })
  const { secret } = yield* gateway.createKey()
  return { client: gateway.client(secret), model: "anthropic/claude-haiku-4-5" }
})

const checked = (response: Response): Response => {
  if (hasData) assert.isUndefined(problemWith("Response", response))
  assert.match(response.id, /^resp_/)
  assert.strictEqual(response.usage?.total_tokens, response.usage!.input_tokens + response.usage!.output_tokens)
  assert.isNumber(Reflect.get(response.usage!, "cost"))
  assert.isObject(Reflect.get(response, "gateway"))
  return response
}

/** Asks plainly, and as a stream with the vendor's helper; what both say must be alike. */
const asking = Effect.fnUntraced(function* (target: typeof overChat | typeof native, asked: Asking) {
  const { client, model } = yield* target
  const plain = yield* resolved(() => client.responses.create({ model, ...asked }))
  const seen: Array<{ readonly type: string; readonly sequence_number: number }> = []
  const stream = client.responses.stream({ model, ...asked } as never)
  stream.on("event", (event) => seen.push(event))
  const streamed = yield* resolved(() => stream.finalResponse())
  for (const event of seen) {
    if (hasData) assert.isUndefined(problemWith("ResponseStreamEvent", event), JSON.stringify(event))
  }
  assert.deepStrictEqual(
    seen.map((event) => event.sequence_number),
    seen.map((_, index) => index)
  )
  assert.strictEqual(seen[0]?.type, "response.created")
  assert.deepStrictEqual(shape(streamed as never), shape(plain))
  return { plain: checked(plain), streamed: checked(streamed as never), events: seen.map(({ type }) => type) }
})

/** Without what differs from answer to answer. */
const shape = ({ output }: Response) =>
  JSON.parse(
    JSON.stringify(output, (name, value: unknown) =>
      ["id", "call_id", "encrypted_content", "parsed", "parsed_arguments"].includes(name) ? undefined : value
    )
  )

const said = (text: string) => ({ role: "user" as const, content: text })

const weather = {
  type: "function" as const,
  name: "get_weather",
  description: "The weather in a city",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false
  }
}

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

describe.each([
  { name: "native", target: native },
  { name: "over chat", target: overChat },
  { name: "over Anthropic", target: overAnthropic }
])("Open Responses, $name", ({ target }) => {
  it.live("a basic answer, plain and streamed", () =>
    Effect.gen(function* () {
      const { events, plain } = yield* asking(target, { input: [said("Say hello in exactly 3 words.")] })
      assert.strictEqual(plain.status, "completed")
      assert.isNotEmpty(plain.output_text)
      assert.includeMembers(events, [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed"
      ])
    })
  )

  it.live("a system prompt, as a message and as instructions", () =>
    Effect.gen(function* () {
      const system = { role: "system" as const, content: "You are a pirate. Always respond in pirate speak." }
      const { plain } = yield* asking(target, { input: [system, said("Say hello.")] })
      assert.isNotEmpty(plain.output_text)
      const instructed = yield* asking(target, { instructions: system.content, input: "Say hello." })
      assert.strictEqual(instructed.plain.instructions, system.content)
    })
  )

  it.live("the phase of an assistant's message", () =>
    Effect.gen(function* () {
      const before = { role: "assistant" as const, phase: "commentary" as const, content: "Let me think." }
      const { plain } = yield* asking(target, { input: [said("Say hello."), before, said("Go on.")] })
      assert.strictEqual(plain.status, "completed")
    })
  )

  it.live("a tool call, and the turn after it", () =>
    Effect.gen(function* () {
      const question = said("What's the weather like in Paris?")
      const { events, plain } = yield* asking(target, { input: [question], tools: [weather] })
      const call = plain.output.find((item) => item.type === "function_call")
      assert(call?.type === "function_call")
      assert.strictEqual(call.name, "get_weather")
      assert.property(JSON.parse(call.arguments), "city")
      assert.includeMembers(events, ["response.function_call_arguments.delta", "response.function_call_arguments.done"])
      const result = { type: "function_call_output" as const, call_id: call.call_id, output: "19 degrees" }
      const next = yield* asking(target, { input: [question, ...(plain.output as never[]), result], tools: [weather] })
      assert.isNotEmpty(next.plain.output_text)
    })
  )

  it.live("a picture", () =>
    Effect.gen(function* () {
      const content = [
        { type: "input_text" as const, text: "What do you see in this image? Answer in one sentence." },
        { type: "input_image" as const, image_url: PIXEL, detail: "auto" as const }
      ]
      const { plain } = yield* asking(target, { input: [{ role: "user", content }] })
      assert.isNotEmpty(plain.output_text)
    })
  )

  it.live("several turns", () =>
    Effect.gen(function* () {
      const input = [
        said("My name is Alice."),
        { role: "assistant" as const, content: "Hello Alice! Nice to meet you. How can I help you today?" },
        said("What is my name?")
      ]
      const { plain } = yield* asking(target, { input })
      const again = yield* asking(target, { input: [...input, ...(plain.output as never[]), said("And now?")] })
      assert.isNotEmpty(again.plain.output_text)
    })
  )

  it.live("an answer in a JSON schema", () =>
    Effect.gen(function* () {
      const schema = {
        type: "object",
        properties: { mood: { type: "string", enum: ["good", "bad"] } },
        required: ["mood"],
        additionalProperties: false
      }
      const text = { format: { type: "json_schema" as const, name: "verdict", strict: true, schema } }
      const { plain } = yield* asking(target, { input: "How is it?", text })
      assert.include(["good", "bad"], JSON.parse(plain.output_text).mood)
      assert.deepInclude(plain.text?.format, { type: "json_schema", name: "verdict" })
    })
  )
})
