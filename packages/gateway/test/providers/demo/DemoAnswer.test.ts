import { assert, describe, it } from "@effect/vitest"
import { demoAnswer, demoModels } from "../../../src/providers/demo/DemoAnswer.ts"
import { ask, eventsOf, jsonOf, textOf, tool, toolMessage, user } from "./Ask.ts"

const contentOf = (fields: object): string => jsonOf(ask(fields)).choices[0].message.content

describe("demoAnswer: text", () => {
  it("greets, names the model, speaks about the prompt and says how to reach a real one", () => {
    for (const { name } of demoModels) {
      const text = contentOf({ model: name, messages: [user("What is the capital of France?")] })
      assert.include(text, `“${name}”`)
      assert.include(text, "What is the capital of France?")
      assert.include(text, "6 words")
      assert.include(text, "model-gateway init")
    }
  })

  it("is the same for the same request, and another for another", () => {
    const body = { messages: [user("one")], n: 2 }
    assert.deepStrictEqual(ask(body), ask(body))
    const other = { messages: [user("two")], n: 2 }
    assert.notStrictEqual(jsonOf(ask(body)).id, jsonOf(ask(other)).id)
    assert.notStrictEqual(textOf(ask(body)), textOf(ask(other)))
  })

  it("n: so many different answers, all counted", () => {
    const { choices, usage } = jsonOf(ask({ n: 3 }))
    assert.deepStrictEqual(
      choices.map((choice: { index: number }) => choice.index),
      [0, 1, 2]
    )
    const texts = new Set(choices.map((choice: { message: { content: string } }) => choice.message.content))
    assert.strictEqual(texts.size, 3)
    assert.isAbove(usage.completion_tokens, 2 * jsonOf(ask()).usage.completion_tokens)
  })

  it("notices attachments, earlier turns and a tool's answer", () => {
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
    const withPicture = { messages: [user([{ type: "text", text: "What is this?" }, picture])] }
    assert.include(contentOf(withPicture), "with 1 attachment")
    assert.isAbove(jsonOf(ask(withPicture)).usage.prompt_tokens, 85)
    const turns = [user("one"), { role: "assistant", content: "ok" }, user("two")]
    assert.include(contentOf({ messages: turns }), "message 2 of our conversation")
    const answered = [user("weather?"), { role: "assistant", content: null, tool_calls: [] }, toolMessage("21 degrees")]
    assert.include(contentOf({ messages: answered }), "Your tool answered “21 degrees”")
  })

  it("counts about a token for four characters of input", () => {
    const { usage } = jsonOf(ask({ messages: [user("x".repeat(4_000))] }))
    assert.isAtLeast(usage.prompt_tokens, 1_000)
    assert.isBelow(usage.prompt_tokens, 1_100)
    assert.strictEqual(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)
  })

  it("stop: ends before the first of the sequences", () => {
    const whole = contentOf({})
    const stopped = contentOf({ stop: ["demo", "no such thing"] })
    assert.strictEqual(stopped, whole.slice(0, whole.indexOf("demo")))
    assert.strictEqual(jsonOf(ask({ stop: "demo" })).choices[0].finish_reason, "stop")
  })

  it("max_tokens: so many tokens, then length; max_completion_tokens wins", () => {
    const { choices, usage } = jsonOf(ask({ max_tokens: 7 }))
    assert.strictEqual(choices[0].finish_reason, "length")
    assert.strictEqual(usage.completion_tokens, 7)
    assert.isTrue(contentOf({}).startsWith(choices[0].message.content))
    assert.strictEqual(jsonOf(ask({ max_tokens: 7, max_completion_tokens: 3 })).usage.completion_tokens, 3)
    assert.strictEqual(jsonOf(ask({ max_tokens: 4_000 })).choices[0].finish_reason, "stop")
  })

  it("reasoner: reasons in its own field, counted; more with more effort, not at all with none", () => {
    const { choices, usage } = jsonOf(ask({ model: "reasoner" }))
    assert.include(choices[0].message.reasoning_content, "“hi”")
    const { reasoning_tokens } = usage.completion_tokens_details
    assert.isAbove(reasoning_tokens, 10)
    assert.isAbove(usage.completion_tokens, reasoning_tokens)
    const effort = (reasoning_effort: string): number =>
      jsonOf(ask({ model: "reasoner", reasoning_effort })).usage.completion_tokens_details.reasoning_tokens
    assert.isAbove(effort("high"), effort("low"))
    assert.strictEqual(effort("none"), 0)
    assert.notProperty(jsonOf(ask()).choices[0].message, "reasoning_content")
  })

  it("response_format: JSON of the schema's shape, with what the prompt offers", () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, degrees: { type: "integer" }, sky: { enum: ["clear", "cloudy"] } },
      required: ["city", "degrees", "sky"],
      additionalProperties: false
    }
    const format = { type: "json_schema", json_schema: { name: "weather", strict: true, schema } }
    const messages = [user("It is cloudy with 21 degrees in San Francisco.")]
    const text = contentOf({ messages, response_format: format })
    assert.deepStrictEqual(JSON.parse(text), { city: "San Francisco", degrees: 21, sky: "cloudy" })
    assert.isObject(JSON.parse(contentOf({ response_format: { type: "json_object" } })))
  })

  it("as a JSON object has the fields that the prompt quotes", () => {
    const asked = [user("It's a joke: JSON with 'setup' and 'punchline' keys, the users' own.")]
    const text = contentOf({ messages: asked, response_format: { type: "json_object" } })
    assert.deepStrictEqual(JSON.parse(text), { setup: "example", punchline: "example" })
  })
})

describe("demoAnswer: streams", () => {
  const fields: ReadonlyArray<object> = [
    {},
    { n: 3 },
    { model: "reasoner" },
    { max_tokens: 5 },
    { stop: "Hello" },
    {
      tools: [tool("a"), tool("b", { type: "object", properties: { x: { type: "string" } } })],
      messages: [user("a b")]
    },
    { tools: [tool("a")], n: 2, max_tokens: 2 },
    { response_format: { type: "json_object" } }
  ]

  it("keeps the laws of the recorded wire, and says what the plain answer says", () => {
    for (const asked of fields) {
      for (const include_usage of [true, false]) {
        const events = eventsOf(textOf(ask({ ...asked, stream: true, stream_options: { include_usage } })))
        const plain = jsonOf(ask(asked))
        const chunks = include_usage ? events.slice(0, -1) : events

        assert.strictEqual(new Set(events.map((event) => `${event.id} ${event.created} ${event.model}`)).size, 1)
        assert.isTrue(events.every((event) => event.object === "chat.completion.chunk"))
        assert.isTrue(chunks.every((chunk) => chunk.choices.length === 1))
        if (include_usage) {
          assert.deepStrictEqual(events.at(-1).choices, [])
          assert.isTrue(chunks.every((chunk) => chunk.usage === null))
          assert.strictEqual(events.at(-1).usage.prompt_tokens, plain.usage.prompt_tokens)
        } else assert.isTrue(events.every((event) => !("usage" in event)))

        for (const { index, message, finish_reason } of plain.choices) {
          const own = chunks.map((chunk) => chunk.choices[0]).filter((choice) => choice.index === index)
          const deltas = own.map((choice) => choice.delta)
          assert.strictEqual(deltas[0].role, "assistant")
          assert.strictEqual(deltas[0].content, message.content === null ? null : "")
          assert.isTrue(deltas.slice(1).every((delta) => !("role" in delta)))

          const finishes = own.filter((choice) => choice.finish_reason !== null)
          assert.deepStrictEqual(finishes, [{ index, delta: {}, logprobs: null, finish_reason }])
          assert.strictEqual(own.at(-1), finishes[0])

          const said = deltas.map((delta) => delta.content ?? "").join("")
          assert.strictEqual(said, message.content ?? "")
          const thought = deltas.map((delta) => delta.reasoning_content ?? "").join("")
          assert.strictEqual(thought, message.reasoning_content ?? "")
          assert.deepStrictEqual(callsIn(deltas), message.tool_calls ?? [])
        }
      }
    }
  })

  it("carries as many tokens in its pieces as it counts", () => {
    for (const asked of fields) {
      const answer = ask({ ...asked, stream: true, stream_options: { include_usage: true } })
      const carried = answer.pieces.reduce((sum, piece) => sum + piece.tokens, 0)
      assert.strictEqual(eventsOf(textOf(answer)).at(-1).usage.completion_tokens, carried)
    }
  })
})

describe("demoAnswer: errors", () => {
  const errorOf = (answer: ReturnType<typeof ask>) => ({ status: answer.status, ...jsonOf(answer).error })

  it("an unknown model, an unknown path", () => {
    const unknown = errorOf(ask({ model: "gpt-4o" }))
    assert.deepInclude(unknown, { status: 404, type: "invalid_request_error", code: "model_not_found" })
    for (const path of ["/nothing", "/__proto__", ""]) {
      assert.strictEqual(demoAnswer({ path, body: "{}", created: 0, before: () => 0 }).status, 404)
    }
  })

  it("a conversation that is too long, and one that leaves no room for what was asked", () => {
    const long = errorOf(ask({ model: "mini", messages: [user("x".repeat(4_100_000))] }))
    assert.deepInclude(long, { status: 400, code: "context_length_exceeded", param: "messages" })
    assert.include(long.message, "1000000 tokens")
    assert.strictEqual(ask({ model: "mini", max_tokens: 1_000_000 }).status, 400)
    assert.strictEqual(ask({ model: "mini", max_tokens: 127_000 }).status, 200)
  })

  it("requests that are none name the field", () => {
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{ messages: [] }, "messages.0"],
      [{ messages: [{ role: "user", content: 3 }] }, "messages.0.content"],
      [{ n: 0 }, "n"],
      [{ max_tokens: -1 }, "max_tokens"],
      [{ stream: "yes" }, "stream"]
    ]
    for (const [fields, param] of cases) {
      const error = errorOf(ask(fields))
      assert.deepInclude(error, { status: 400, type: "invalid_request_error", param })
    }
    const noJson = demoAnswer({ path: "/chat/completions", body: "{", created: 0, before: () => 0 })
    assert.strictEqual(noJson.status, 400)
  })

  it("null is absent", () => {
    const fields = ["stream", "stream_options", "n", "max_tokens", "stop", "tools", "tool_choice", "response_format"]
    assert.strictEqual(ask(Object.fromEntries(fields.map((field) => [field, null]))).status, 200)
  })
})

describe("demoAnswer: faults by model name", () => {
  it("status-<code>: that status, in the vendor's shape", () => {
    for (const status of [400, 401, 402, 403, 404, 413, 429, 500, 503, 529]) {
      const answer = ask({ model: `status-${status}` })
      assert.strictEqual(answer.status, status)
      assert.hasAllKeys(jsonOf(answer).error, ["message", "type", "param", "code"])
    }
    assert.strictEqual(ask({ model: "status-429" }).headers["retry-after"], "1")
    assert.isUndefined(ask({ model: "status-500" }).headers["retry-after"])
    assert.strictEqual(ask({ model: "status-200" }).status, 200)
    assert.strictEqual(ask({ model: "status-999" }).status, 404)
  })

  it("flaky-N: fails while the prompt was sent fewer than N times before", () => {
    const statuses = [0, 1, 2, 3].map(
      (times) =>
        demoAnswer({
          path: "/chat/completions",
          body: JSON.stringify({ model: "flaky-2", messages: [user("hi")] }),
          created: 0,
          before: () => times
        }).status
    )
    assert.deepStrictEqual(statuses, [500, 500, 200, 200])
  })

  it("cut-N: so many events, never all of them; a plain answer is cut in half", () => {
    const whole = textOf(ask({ model: "cut-0", stream: false }))
    assert.throws(() => JSON.parse(whole))
    for (const events of [0, 1, 3]) {
      const answer = ask({ model: `cut-${events}`, stream: true })
      assert.isTrue(answer.cut)
      assert.lengthOf(answer.pieces, events)
    }
    assert.notInclude(textOf(ask({ model: "cut-99999", stream: true })), "[DONE]")
  })

  it("slow-<ms>, hang and garbage", () => {
    assert.strictEqual(ask({ model: "slow-1500" }).delay, 1_500)
    assert.strictEqual(ask({ model: "hang" }).delay, Infinity)
    const answer = ask({ model: "garbage" })
    assert.strictEqual(answer.status, 200)
    assert.throws(() => new TextDecoder("utf-8", { fatal: true }).decode(answer.pieces[0]!.bytes))
  })
})

interface CallDelta {
  readonly index: number
  readonly id?: string
  readonly type?: string
  readonly function: { readonly name?: string; readonly arguments: string }
}

/** The tool calls of a choice's deltas, put together; asserts how they are opened. */
const callsIn = (deltas: ReadonlyArray<{ readonly tool_calls?: ReadonlyArray<CallDelta> }>) => {
  const calls: Array<{ id: string; type: string; function: { name: string; arguments: string } }> = []
  for (const delta of deltas) {
    if (delta.tool_calls === undefined) continue
    assert.lengthOf(delta.tool_calls, 1)
    const [call] = delta.tool_calls as readonly [CallDelta]
    if (call.index === calls.length) {
      assert.hasAllKeys(call, ["index", "id", "type", "function"])
      assert.strictEqual(call.function.arguments, "")
      calls.push({ id: call.id!, type: call.type!, function: { name: call.function.name!, arguments: "" } })
    } else {
      assert.hasAllKeys(call, ["index", "function"])
      assert.strictEqual(call.index, calls.length - 1)
      calls.at(-1)!.function.arguments += call.function.arguments
    }
  }
  return calls
}
