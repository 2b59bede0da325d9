/** Every recorded stream of a chat completion as a Messages caller gets it: in the vendor's order, with all that was said. */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import { AnswerReader } from "../../../../src/providers/pool/AnswerReader.ts"
import { upStream } from "../../../../src/providers/bridges/messages/MessagesToChatStream.ts"
import { OpenAiChat, OpenAiProtocol } from "../../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { type Exchange, families, hasData, loadFamily } from "../../../support/Transcripts.ts"
import { callOf } from "../../protocols/openai/Support.ts"
import { assembled } from "./Assembled.ts"

const streams = families(
  "openai.chat",
  "groq.chat",
  "deepseek.chat",
  "mistral.chat",
  "openrouter.chat",
  "cerebras.chat",
  "huggingface.chat"
)
  .flatMap((family) => loadFamily(family))
  .filter(({ request, streamed }) => streamed && (request.body?.["n"] ?? 1) === 1)

const callFor = ({ name, request }: Exchange) =>
  callOf(request.body ?? {}, {
    vendor: name.includes("openai") ? "openai" : "openai-compatible",
    model: String(request.body?.["model"] ?? "model")
  })

type Call = { id: string; name: string; text: string }

/** What a chat client puts together from the same stream. */
const spoken = (events: ReadonlyArray<StreamEvent>) => {
  let [text, thinking] = ["", ""]
  const calls = new Map<unknown, Call>()
  for (const event of events) {
    if (!("data" in event)) continue
    const [choice] = ((JSON.parse(event.data) as JsonObject)["choices"] ?? []) as ReadonlyArray<JsonObject>
    const delta = (choice?.["delta"] ?? {}) as { [name: string]: unknown }
    const said = (name: string) => (typeof delta[name] === "string" ? delta[name] : "")
    text += said("content") + said("refusal")
    thinking += said("reasoning_content") || said("reasoning")
    for (const { function: called, id, index } of (delta["tool_calls"] ?? []) as ReadonlyArray<JsonObject>) {
      const { arguments: given, name } = (called ?? {}) as { arguments?: string; name?: string }
      const call = calls.get(index) ?? { id: String(id).replace(/[^\w-]/g, "_"), name: name ?? "", text: "" }
      call.text += given ?? ""
      calls.set(index, call)
    }
  }
  const done = [...calls.values()].map(({ id, name, text: input }) => ({
    id,
    name,
    input: input === "" ? {} : JSON.parse(input)
  }))
  return { text, thinking, calls: done }
}

describe.skipIf(!hasData)("recorded chat streams as messages", () => {
  it("lose nothing", () => {
    let compared = 0
    for (const exchange of streams) {
      const call = callFor(exchange)
      const reader = new AnswerReader({ framing: OpenAiProtocol.framing, dialect: OpenAiChat, call, headers: {} })
      const events = [...reader.push(exchange.response.bytes), ...reader.end()]
      if (!events.some(({ kind }) => kind === "finish") || events.some(({ kind }) => kind === "failed")) continue
      const bridge = upStream(call)
      const got = [...events.flatMap((event) => bridge.push(event)), ...bridge.end()]
      const said = got.flatMap((event) => ("data" in event && event.data !== "" ? [JSON.parse(event.data)] : []))
      const { reason, ...message } = assembled(said)
      assert.deepStrictEqual(message, spoken(events), exchange.name)
      assert.strictEqual(reason === "tool_use", message.calls.length > 0 && reason !== "max_tokens", exchange.name)
      const usages = (list: ReadonlyArray<StreamEvent>) =>
        list.flatMap((event) => (event.kind === "usage" ? [event.usage] : []))
      assert.deepStrictEqual(usages(got), usages(events), exchange.name)
      compared++
    }
    assert.isAtLeast(compared, 80)
  })
})
