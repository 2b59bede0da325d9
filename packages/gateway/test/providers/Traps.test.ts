/**
 * Traps that other gateways fell into, and the tests that keep this one out of them. Those that had no place of their own are below.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../src/core/operations/LiftedAnswer.ts"
import { chatToResponses } from "../../src/providers/bridges/ChatToResponses.ts"
import { OpenAiChat } from "../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { callOf, chunk, frames, replayText } from "./protocols/openai/Support.ts"

interface Trap {
  readonly what: string
  /** The file under `test`, and a part of the test's name in it. */
  readonly tests: ReadonlyArray<readonly [file: string, name: string]>
}

const traps: { readonly [number: number]: Trap } = {
  1: {
    what: "parallel calls of Gemini all numbered 0",
    tests: [["providers/protocols/gemini/Traps.test.ts", "are numbered from 0, each with an id"]]
  },
  2: {
    what: "stop although there are tool calls",
    tests: [["providers/protocols/gemini/Traps.test.ts", "is tool_calls although Google says STOP"]]
  },
  3: {
    what: "signatures of thoughts lost",
    tests: [
      ["providers/protocols/gemini/Traps.test.ts", "come with the tool call, plain and streamed, and go back on it"]
    ]
  },
  4: {
    what: "thoughts missing from the completion's tokens",
    tests: [["providers/protocols/gemini/Traps.test.ts", "are part of the completion's tokens"]]
  },
  5: {
    what: "Anthropic's cached tokens billed twice, or not",
    tests: [
      [
        "providers/protocols/anthropic/answer/AnthropicChatResponse.test.ts",
        "keeps the classes apart and adds them up"
      ],
      ["providers/protocols/anthropic/answer/RecordedAnswers.test.ts", "count what was read from the cache"]
    ]
  },
  6: {
    what: "streamed arguments dropped",
    tests: [["providers/Traps.test.ts", "arguments that come only when a call is done are streamed"]]
  },
  7: {
    what: "an empty list of tool calls taken for calls",
    tests: [["providers/Traps.test.ts", "an empty list of tool calls beside text is none"]]
  },
  8: {
    what: "tool deltas without id, name or number; no first role",
    tests: [
      [
        "providers/protocols/openai/answer/OpenAiChatStream.test.ts",
        "keeps the calls of servers apart that number them all the same"
      ],
      [
        "providers/protocols/openai/answer/OpenAiChatStream.test.ts",
        "gives each choice a role once, in its first delta"
      ]
    ]
  },
  9: {
    what: "usage on a chunk with choices, unasked, or nowhere",
    tests: [
      ["providers/protocols/openai/answer/OpenAiChatStream.test.ts", "splits usage from a chunk with choices"],
      ["providers/WireLaws.test.ts", "tells the usage once, last"]
    ]
  },
  10: {
    what: "callers that leave cost nothing, or less",
    tests: [["acceptance/HangUps.test.ts", "on a plain call that is billed all the same"]]
  },
  11: {
    what: "errors in a stream swallowed",
    tests: [["acceptance/UpstreamFailures.test.ts", "in the middle of a stream: one error event, no [DONE]"]]
  },
  12: {
    what: "comments passed on as data",
    tests: [
      ["providers/Sse.test.ts", "ignores comments and other fields"],
      ["acceptance/EarlyKeepalive.test.ts", "changes nothing for streams that begin in time"]
    ]
  },
  13: {
    what: "characters split between two reads",
    tests: [
      ["providers/transport/HttpTransport.test.ts", "reads an answer that comes in pieces split inside a character"]
    ]
  },
  14: {
    what: "Azure's chunks without choices or name",
    tests: [
      [
        "providers/protocols/openai/answer/OpenAiChatStream.test.ts",
        "gives a first chunk without choices and name, as Azure sends it"
      ],
      ["acceptance/BlockedAnswers.test.ts", "without a message, as Azure sends it"]
    ]
  },
  15: {
    what: "Bedrock without tools where the history has calls",
    tests: [["providers/protocols/bedrock/Requests.test.ts", "trap 15"]]
  },
  16: {
    what: "ids of tool calls that a vendor refuses",
    tests: [
      ["providers/protocols/mistral/Request.test.ts", "trap 16"],
      ["acceptance/vendors/Mistral.test.ts", "trap 16"],
      ["providers/protocols/bedrock/Requests.test.ts", "trap 16"]
    ]
  },
  17: {
    what: "blank blocks of text at Anthropic",
    tests: [["providers/protocols/anthropic/request/AnthropicChatConversation.test.ts", "drops blank text"]]
  },
  18: {
    what: "results of parallel calls in several messages",
    tests: [
      [
        "providers/protocols/anthropic/request/AnthropicChatConversation.test.ts",
        "puts all results of a turn in one user message"
      ]
    ]
  },
  19: {
    what: "keywords of schemas that Gemini refuses",
    tests: [["providers/protocols/gemini/Traps.test.ts", "go as JSON schemas, with every keyword"]]
  },
  20: {
    what: "Retry-After lost",
    tests: [["providers/protocols/openai/OpenAiErrors.test.ts", "retry_after"]]
  },
  21: {
    what: "max_tokens and sampling at models that reason",
    tests: [
      ["providers/protocols/openai/Chat.test.ts", "names the output limit as the model takes it"],
      ["providers/secondOpinion/opinions/OpenAi.ts", "OpenAI, chat completions of a model that reasons"]
    ]
  },
  22: {
    what: "budgets of thinking out of range, or with a forced tool",
    tests: [
      [
        "providers/protocols/anthropic/request/AnthropicChatThinking.test.ts",
        "at least 1,024 tokens and less than all of it"
      ],
      [
        "providers/protocols/anthropic/request/AnthropicChatThinking.test.ts",
        "gives way to a forced tool and to a prefill"
      ]
    ]
  },
  23: {
    what: "Ollama's contents, images, arguments and thoughts",
    tests: [["providers/protocols/ollama/Request.test.ts", "trap 23"]]
  },
  24: {
    what: "base64 vectors",
    tests: [
      ["acceptance/Embeddings.test.ts", "the client's default, base64, decodes to the floats"],
      ["acceptance/Embeddings.test.ts", "base64 is packed here"]
    ]
  },
  25: {
    what: "a form that can be sent once",
    tests: [
      [
        "acceptance/audio/Transcripts.test.ts",
        "goes to the next provider when the first one fails, with the same bytes"
      ]
    ]
  },
  26: {
    what: "reasoning under several names",
    tests: [["providers/Traps.test.ts", "reasoning is passed under the name it came with, and never made up"]]
  },
  27: {
    what: "gs:// addresses dropped",
    tests: [["providers/protocols/gemini/Traps.test.ts", "of Google's storage are kept"]]
  },
  28: {
    what: "a wrong price by prefix, or 0 for an unknown one",
    tests: [["providers/prices/CataloguePrices.test.ts", "are unknown rather than wrong"]]
  },
  29: {
    what: "numbers that drift",
    tests: [["providers/Traps.test.ts", "numbers are what the caller wrote"]]
  },
  30: {
    what: "null ids and types in later deltas of a call",
    tests: [["providers/Traps.test.ts", "later deltas of a call have no id and no type"]]
  }
}

const dataOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<JsonObject> =>
  events.flatMap((event) => ("data" in event ? [JSON.parse(event.data) as JsonObject] : []))

// oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it is looking for
const deltasOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<any> =>
  dataOf(events).flatMap(({ choices }) =>
    (choices as ReadonlyArray<{ readonly delta?: unknown }>).flatMap(({ delta }) =>
      delta === undefined ? [] : [delta]
    )
  )

const compatible = { vendor: "openai-compatible" }

describe("the traps", () => {
  it("are thirty, and each is a test that stands where the list says", () => {
    assert.deepStrictEqual(
      Object.keys(traps).map(Number),
      Array.from({ length: 30 }, (_, index) => index + 1)
    )
    const missing = Object.entries(traps).flatMap(([number, { tests, what }]) =>
      tests.flatMap(([file, name]) => {
        const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8")
        return text.includes(name) ? [] : [`${number} (${what}): "${name}" is not in ${file}`]
      })
    )
    assert.deepStrictEqual(missing, [])
  })

  it("arguments that come only when a call is done are streamed", () => {
    const call = callOf({ model: "m", messages: [], stream: true })
    const chunks = chatToResponses.upStream(call)
    const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "f", arguments: "" }
    const events = [
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 0, arguments: '{"a":1}' },
      { type: "response.output_item.done", output_index: 0, item: { ...item, arguments: '{"a":1}' } }
    ].flatMap((data) => chunks.push({ kind: "content", data: JSON.stringify(data) }))
    const given = deltasOf(events).flatMap(({ tool_calls: calls = [] }) => calls)
    assert.strictEqual(given.map((one) => one.function?.arguments ?? "").join(""), '{"a":1}')
  })

  it("an empty list of tool calls beside text is none", () => {
    const events = replayText(
      frames(
        chunk({ role: "assistant", content: "" }),
        chunk({ content: "Hello", tool_calls: [] }),
        chunk({ tool_calls: [] }, "stop"),
        "[DONE]"
      ),
      compatible
    )
    const finishes = dataOf(events.filter(({ kind }) => kind === "finish"))
    assert.include(JSON.stringify(finishes), '"finish_reason":"stop"')
    assert.strictEqual(
      deltasOf(events)
        .map(({ content }) => content ?? "")
        .join(""),
      "Hello"
    )
    for (const delta of deltasOf(events)) assert.isTrue(delta.tool_calls === undefined || delta.tool_calls.length > 0)
  })

  it("reasoning is passed under the name it came with, and never made up", () => {
    for (const name of ["reasoning", "reasoning_content"]) {
      const events = replayText(
        frames(
          chunk({ role: "assistant", content: "" }),
          chunk({ [name]: "Hm" }),
          chunk({ content: "Hi" }),
          chunk({}, "stop"),
          "[DONE]"
        ),
        compatible
      )
      const said = deltasOf(events)
      assert.strictEqual(said.map((delta) => delta[name] ?? "").join(""), "Hm")
    }
    const silent = replayText(
      frames(chunk({ role: "assistant", content: "" }), chunk({ content: "Hi" }), chunk({}, "stop"), "[DONE]"),
      compatible
    )
    assert.notInclude(JSON.stringify(dataOf(silent)), "reasoning")
  })

  it("numbers are what the caller wrote", () => {
    for (const temperature of [0.7, 1e-7, 0.1 + 0.2, 1]) {
      const call = callOf({ model: "m", messages: [{ role: "user", content: "Hi" }], temperature, top_p: 0.9 })
      const wire = Result.getOrThrow(OpenAiChat.lower(call))
      assert.strictEqual(JSON.parse(wire.body).temperature, temperature)
      assert.include(wire.body, `"temperature":${JSON.stringify(temperature)}`)
    }
  })

  it("later deltas of a call have no id and no type", () => {
    const started = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }
    const later = (text: string) => ({
      index: 0,
      id: null,
      type: null,
      function: { name: null, arguments: text }
    })
    const events = replayText(
      frames(
        chunk({ role: "assistant", content: null, tool_calls: [started] }),
        chunk({ tool_calls: [later('{"a"')] }),
        chunk({ tool_calls: [later(":1}")] }),
        chunk({}, "tool_calls"),
        "[DONE]"
      ),
      compatible
    )
    const calls = deltasOf(events).flatMap(({ tool_calls: given = [] }) => given)
    assert.strictEqual(calls.map((one) => one.function.arguments ?? "").join(""), '{"a":1}')
    for (const one of calls.slice(1)) {
      assert.notProperty(one, "id")
      assert.notProperty(one, "type")
      assert.notProperty(one.function, "name")
    }
  })
})
