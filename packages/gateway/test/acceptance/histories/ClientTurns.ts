/** How a client of each endpoint puts a response together, and sends it back with its next turn. */
import { Effect } from "effect"
import type { Answered } from "../../support/RawHttp.ts"
import { hi } from "./Moving.ts"

/** How a response reaches the next turn: read at once, put together from a stream, or kept by the gateway. */
export const ways = ["complete", "streamed", "stored", "streamed and stored"] as const
export type Way = (typeof ways)[number]

// oxlint-disable-next-line typescript/no-explicit-any -- what a client makes of a response
type Any = any

/** What an endpoint returned. `json`: where it is no stream. */
export type Said = Pick<Answered, "status" | "text" | "json">

/** One model behind the gateway. */
export interface Port {
  readonly chat: (fields: object) => Effect.Effect<Said>
  readonly messages: (fields: object) => Effect.Effect<Said>
  readonly responses: (fields: object) => Effect.Effect<Said>
}

export interface Endpoint {
  readonly name: "chat" | "messages" | "responses"
  readonly ways: ReadonlyArray<Way>
  /** Two turns; results of calls are sent with the second one. Completes with the answer to the first. */
  readonly turns: (port: Port, way: Way, toolless: boolean) => Effect.Effect<Said>
}

const schema = { type: "object", properties: {} }
const isStreamed = (way: Way): boolean => way.startsWith("streamed")

const eventsOf = (text: string): ReadonlyArray<Any> =>
  text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []))

const chat: Endpoint = {
  name: "chat",
  ways: ["complete", "streamed"],
  turns: Effect.fnUntraced(function* (port, way, toolless) {
    const tools = toolless ? [] : [{ type: "function", function: { name: "now", parameters: schema } }]
    const said = yield* port.chat({ messages: [hi], tools, stream: isStreamed(way) })
    const message = isStreamed(way) ? messageOf(eventsOf(said.text)) : said.json?.choices?.[0].message
    const calls: ReadonlyArray<Any> = message?.tool_calls ?? []
    const next = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "12" }))
    yield* port.chat({ messages: [hi, message, ...(next.length === 0 ? [hi] : next)], tools })
    return said
  })
}

/** The pieces of a message: texts grow, calls by their index, lists by appending. */
const messageOf = (events: ReadonlyArray<Any>): Any =>
  events.map(({ choices }) => choices[0]?.delta ?? {}).reduce(grown, { role: "assistant" })

const WHOLE_EACH_TIME = new Set(["role", "id", "type", "thinking_blocks"])

const grown = (message: Any, delta: Any): Any => {
  const whole = { ...message }
  for (const [name, piece] of Object.entries<Any>(delta)) {
    const before = whole[name]
    if (piece === null) continue
    if (before === undefined || before === null || WHOLE_EACH_TIME.has(name)) whole[name] = piece
    else if (typeof piece === "string") whole[name] = before + piece
    else if (!Array.isArray(piece)) whole[name] = grown(before, piece)
    else if (name !== "tool_calls") whole[name] = [...before, ...piece]
    else {
      whole[name] = [...before]
      for (const call of piece) whole[name][call.index] = grown(whole[name][call.index] ?? {}, call)
    }
  }
  return whole
}

const messages: Endpoint = {
  name: "messages",
  ways: ["complete", "streamed"],
  turns: Effect.fnUntraced(function* (port, way, toolless) {
    const tools = toolless ? [] : [{ name: "now", input_schema: schema }]
    const said = yield* port.messages({ messages: [hi], tools, stream: isStreamed(way) })
    const content: ReadonlyArray<Any> = (isStreamed(way) ? blocksOf(eventsOf(said.text)) : said.json?.content) ?? []
    const results = content
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "12" }))
    const next = results.length === 0 ? hi : { role: "user", content: results }
    yield* port.messages({ messages: [hi, { role: "assistant", content }, next], tools })
    return said
  })
}

/** The content blocks of a streamed message. */
const blocksOf = (events: ReadonlyArray<Any>): ReadonlyArray<Any> => {
  const blocks: Array<Any> = []
  const inputs: Array<string> = []
  for (const { content_block, delta, index, type } of events) {
    if (type === "content_block_start") blocks[index] = { ...content_block }
    if (type !== "content_block_delta") continue
    const { citation, content, partial_json: json = "", signature, text, thinking } = delta
    inputs[index] = (inputs[index] ?? "") + json
    for (const [name, piece] of Object.entries({ content, signature, text, thinking })) {
      if (piece !== undefined) blocks[index][name] = String(blocks[index][name] ?? "") + String(piece)
    }
    if (citation !== undefined) blocks[index].citations = [...(blocks[index].citations ?? []), citation]
  }
  return blocks.map((block, index) =>
    (inputs[index] ?? "") === "" ? block : { ...block, input: JSON.parse(inputs[index]!) }
  )
}

const responses: Endpoint = {
  name: "responses",
  ways,
  turns: Effect.fnUntraced(function* (port, way, toolless) {
    const tools = toolless ? [] : [{ type: "function", name: "now", parameters: schema, strict: false }]
    const isStored = way.endsWith("stored")
    const said = yield* port.responses({ input: [hi], tools, stream: isStreamed(way), store: isStored })
    const response = isStreamed(way)
      ? eventsOf(said.text).find(({ type }) => type === "response.completed")?.response
      : said.json
    const output: ReadonlyArray<Any> = response?.output ?? []
    const results = output
      .filter(({ type }) => type === "function_call")
      .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "12" }))
    const next = results.length === 0 ? [hi] : results
    yield* port.responses(
      isStored ? { previous_response_id: response?.id, input: next, tools } : { input: [hi, ...output, ...next], tools }
    )
    return said
  })
}

export const endpoints: ReadonlyArray<Endpoint> = [chat, messages, responses]
