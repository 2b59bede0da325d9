import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import { GuardedCall } from "../../../src/core/guardrails/GuardedCall.ts"
import { compileGuardrails, type EffectivePolicy } from "../../../src/core/guardrails/Guardrails.ts"
import { StreamGuard } from "../../../src/core/guardrails/StreamGuard.ts"
import { chat } from "../../../src/core/operations/chat/Chat.ts"
import type { StreamEvent } from "../../../src/core/operations/LiftedAnswer.ts"
import { messages } from "../../../src/core/operations/messages/Messages.ts"
import type { Operation } from "../../../src/core/operations/Operation.ts"
import { responses } from "../../../src/core/operations/responses/Responses.ts"
import { callerWith } from "../call/Support.ts"

const policyOf = (action: "mask" | "deny"): EffectivePolicy => {
  const checks = [
    { name: "pii", kind: "pii" as const, action, detect: ["email", "credit_card", "iban"] as const },
    { name: "secrets", kind: "secrets" as const, action }
  ]
  const strict = { request: [], response: ["pii", "secrets"], media: "allow" as const }
  const settings = {
    checks,
    policies: new Map([["strict", strict]]),
    always: ["strict"],
    teams: new Map(),
    keys: new Map()
  }
  const noSender = { send: () => Effect.die("nothing is sent") }
  const found = compileGuardrails(settings, noSender).of({ caller: callerWith({}) })
  if (found === undefined || !("response" in found)) throw new Error("no policy")
  return found
}

const masking = policyOf("mask")
const call = { request_id: "req_1", key_id: "key_1", team: null, user: null, operation: "chat", model: "m" }
const guardOf = (operation: Operation, policy = masking) =>
  new StreamGuard(new GuardedCall(operation, policy, call, Buffer.from("pepper")))

const maskedWhole = (text: string): string =>
  new GuardedCall(chat, masking, call, Buffer.from("pepper"))
    .scanner("response", masking.response, "text")
    .push(text, true)

const random = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed % below
}

const atoms = [
  "hello ",
  "bob@example.com",
  " ",
  "4111 1111 1111 1111",
  `ghp_${"aB3".repeat(12)}`,
  "é",
  "sk-",
  "@",
  "12 ",
  "\n",
  '"'
]

const content = (data: JsonObject): StreamEvent => ({ kind: "content", data: JSON.stringify(data) })
const lifecycle = (data: JsonObject): StreamEvent => ({ kind: "lifecycle", data: JSON.stringify(data) })
const finish = (data: JsonObject): StreamEvent => ({ kind: "finish", data: JSON.stringify(data) })

interface Shape {
  readonly operation: Operation
  /** The events of a stream that writes a text and the arguments of a call in these pieces. */
  readonly stream: (text: ReadonlyArray<string>, args: ReadonlyArray<string>) => ReadonlyArray<StreamEvent>
  /** The text and the arguments in its events. */
  readonly read: (event: JsonObject) => readonly [text: unknown, args: unknown]
}

const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason }]
})
const blockAt = (index: number, delta: JsonObject) => ({ type: "content_block_delta", index, delta })

const shapes: { readonly [name: string]: Shape } = {
  chat: {
    operation: chat,
    stream: (text, args) => [
      lifecycle(chunk({ role: "assistant", content: "" })),
      ...text.map((one) => content(chunk({ content: one }))),
      content(
        chunk({ tool_calls: [{ index: 0, id: "call", type: "function", function: { name: "f", arguments: "" } }] })
      ),
      ...args.map((one) => content(chunk({ tool_calls: [{ index: 0, function: { arguments: one } }] }))),
      finish(chunk({}, "tool_calls"))
    ],
    read: ({ choices }) => {
      const [{ delta }] = choices as [
        { delta: { content?: string; tool_calls?: [{ function: { arguments: string } }] } }
      ]
      return [delta.content, delta.tool_calls?.[0].function.arguments]
    }
  },
  messages: {
    operation: messages,
    stream: (text, args) => [
      lifecycle({ type: "message_start", message: { content: [] } }),
      lifecycle({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      ...text.map((one) => content(blockAt(0, { type: "text_delta", text: one }))),
      lifecycle({ type: "content_block_stop", index: 0 }),
      lifecycle({ type: "content_block_start", index: 1, content_block: { type: "tool_use", name: "f", input: {} } }),
      ...args.map((one) => content(blockAt(1, { type: "input_json_delta", partial_json: one }))),
      lifecycle({ type: "content_block_stop", index: 1 }),
      finish({ type: "message_delta", delta: { stop_reason: "tool_use" } })
    ],
    read: ({ delta }) => {
      const { partial_json: args, text } = (delta ?? {}) as JsonObject
      return [text, args]
    }
  },
  responses: {
    operation: responses,
    stream: (text, args) =>
      [
        lifecycle({ type: "response.created", response: { output: [] } }),
        ...text.map((one) =>
          content({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: one })
        ),
        lifecycle({ type: "response.output_text.done", output_index: 0, content_index: 0, text: text.join("") }),
        ...args.map((one) => content({ type: "response.function_call_arguments.delta", output_index: 1, delta: one })),
        lifecycle({ type: "response.function_call_arguments.done", output_index: 1, arguments: args.join("") }),
        finish({ type: "response.completed", response: { output: [] } })
      ].map((event, index) =>
        "data" in event
          ? { ...event, data: JSON.stringify({ ...JSON.parse(event.data), sequence_number: index }) }
          : event
      ),
    read: ({ delta, type }) => [
      type === "response.output_text.delta" ? delta : undefined,
      String(type).includes("arguments.delta") ? delta : undefined
    ]
  }
}

const cut = (text: string, next: (below: number) => number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let at = 0; at < text.length;) {
    const length = 1 + next(6)
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}

const dataOf = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<JsonObject> =>
  events.flatMap((event) => ("data" in event ? [JSON.parse(event.data) as JsonObject] : []))

describe("a guarded stream", () => {
  for (const [name, { operation, read, stream }] of Object.entries(shapes)) {
    it(`of ${name} has the texts of the complete response, also in arguments, however it is cut`, () => {
      const next = random(3)
      for (let round = 0; round < 300; round++) {
        const text = Array.from({ length: 1 + next(6) }, () => atoms[next(atoms.length)]!).join("")
        const args = JSON.stringify({ a: text, list: [text] })
        const guard = guardOf(operation)
        const events = stream(cut(text, next), cut(args, next)).flatMap((event) => guard.push([event]))
        const shown = dataOf([...events, ...guard.end()])
        const masked = maskedWhole(text)
        const seen = shown.map(read)
        assert.strictEqual(seen.map(([one]) => one ?? "").join(""), masked, JSON.stringify(text))
        assert.deepStrictEqual(JSON.parse(seen.map(([, one]) => one ?? "").join("")), { a: masked, list: [masked] })
        const numbers = shown.flatMap(({ sequence_number: number }) => number ?? [])
        assert.deepStrictEqual(
          numbers,
          numbers.map((_, index) => index)
        )
      }
    })

    it(`of ${name} ends before a match that is denied, and says nothing after it`, () => {
      const guard = guardOf(operation, policyOf("deny"))
      const text = "before bob@example.com after"
      const events = stream([...text], ["{}"]).flatMap((event) => guard.push([event]))
      assert.isTrue(guard.isStopped)
      assert.strictEqual(
        dataOf(events)
          .map((one) => read(one)[0] ?? "")
          .join(""),
        "before "
      )
      assert.strictEqual(events.filter(({ kind }) => kind === "finish").length, 1)
    })
  }

  it("of chat keeps choices apart", () => {
    const guard = guardOf(chat)
    const at = (index: number, text: string) => content({ choices: [{ index, delta: { content: text } }] })
    const events = guard.push([at(0, "bob@exam"), at(1, "eve@exam"), at(0, "ple.com "), at(1, "ple.org ")])
    const texts = ["", ""]
    for (const { choices } of dataOf(events)) {
      const [{ delta, index }] = choices as [{ index: number; delta: { content: string } }]
      texts[index] += delta.content
    }
    assert.match(texts[0]!, /^<EMAIL_\w{8}> $/)
    assert.match(texts[1]!, /^<EMAIL_\w{8}> $/)
  })

  it("of chat joins the pieces of a field that no rule knows", () => {
    const guard = guardOf(chat)
    const events = dataOf([..."bob@example.com. "].flatMap((one) => guard.push([content(chunk({ new_field: one }))])))
    const said = events
      .map(({ choices }) => (choices as [{ delta: { new_field: string } }])[0].delta.new_field)
      .join("")
    assert.match(said, /^<EMAIL_\w{8}>\. $/)
  })

  it("of chat ends the thoughts before the text begins", () => {
    const guard = guardOf(chat)
    const thought = content(chunk({ reasoning_content: "I think" }))
    const events = dataOf(guard.push([thought, content(chunk({ content: "Yes, " }))]))
    assert.match(JSON.stringify(events), /"I ".*"think".*"Yes, "/)
  })

  it("drops events that can't be read", () => {
    assert.deepStrictEqual(guardOf(chat).push([{ kind: "content", data: "{bob@example.com" }]), [{ kind: "malformed" }])
  })
})
