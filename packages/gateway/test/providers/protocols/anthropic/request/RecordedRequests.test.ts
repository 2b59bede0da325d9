/** Recorded native requests, written as the chat requests that ask for the same, must come out as they were. */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { hasData } from "../../../../support/Transcripts.ts"
import { exchanges } from "../Recordings.ts"
import { lowered, type Sent } from "../Support.ts"

/** Blocks that a chat message can carry, as its parts. */
const parts = new Map<string, (block: Sent) => JsonObject>([
  ["text", ({ text }) => ({ type: "text", text })],
  ["image", ({ source }) => ({ type: "image_url", image_url: { url: address(source) } })],
  ["document", ({ source, title }) => ({ type: "file", file: { file_data: address(source), filename: title } })]
])

const address = (source: Sent): string => {
  if (source["type"] === "url") return source["url"]
  const data = source["type"] === "text" ? Buffer.from(source["data"]).toString("base64") : source["data"]
  return `data:${source["media_type"]};base64,${data}`
}

const toPart = (block: Sent): JsonObject => ({
  ...parts.get(block["type"])!(block),
  ...(block["cache_control"] === undefined ? {} : { cache_control: block["cache_control"] })
})

const toParts = (content: unknown): unknown =>
  typeof content === "string" ? content : (content as ReadonlyArray<Sent>).map(toPart)

const toMessages = ({ content, role }: Sent): ReadonlyArray<JsonObject> => {
  if (typeof content === "string") return [{ role, content }]
  const blocks = content as ReadonlyArray<Sent>
  const only = (...types: ReadonlyArray<string>) => blocks.filter(({ type }) => types.includes(type as string))
  if (role === "user") {
    const results = only("tool_result").map(({ cache_control, content: result, is_error, tool_use_id }) => ({
      role: "tool",
      tool_call_id: tool_use_id,
      content: toParts(result ?? ""),
      is_error,
      cache_control
    }))
    const rest = only(...parts.keys())
    return [...results, ...(rest.length === 0 ? [] : [{ role, content: toParts(rest) }])]
  }
  const calls = only("tool_use").map(({ id, input, name }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) }
  }))
  return [
    {
      role,
      content: toParts(only("text")),
      thinking_blocks: only("thinking"),
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  ]
}

const choices = new Map<string, (choice: Sent) => unknown>([
  ["auto", () => "auto"],
  ["any", () => "required"],
  ["none", () => "none"],
  ["tool", ({ name }) => ({ type: "function", function: { name } })]
])

const isOwnTool = ({ type }: Sent): boolean => typeof type === "string"

const toTool = (tool: Sent): JsonObject => {
  if (isOwnTool(tool)) return tool
  const { description, input_schema, name, strict, ...rest } = tool
  return { type: "function", function: { name, description, parameters: input_schema, strict }, ...rest }
}

const toChat = (native: Sent): JsonObject => ({
  messages: [
    ...(native["system"] === undefined ? [] : [{ role: "system", content: toParts(native["system"]) }]),
    ...(native["messages"] as ReadonlyArray<Sent>).flatMap(toMessages)
  ],
  stream: native["stream"],
  temperature: native["temperature"],
  top_k: native["top_k"],
  ...(native["output_config"]?.effort === undefined
    ? { thinking: native["thinking"] }
    : { reasoning_effort: native["output_config"].effort as unknown }),
  cache_control: native["cache_control"],
  user: native["metadata"]?.user_id,
  tools: (native["tools"] as ReadonlyArray<Sent> | undefined)?.map(toTool),
  tool_choice:
    native["tool_choice"] === undefined ? undefined : choices.get(native["tool_choice"].type)!(native["tool_choice"]),
  response_format:
    native["output_config"]?.format === undefined
      ? undefined
      : { type: "json_schema", json_schema: { name: "answer", schema: native["output_config"].format.schema } }
})

/** Whether the chat API has words for all of it, in this order. */
const isChat = (native: Sent): boolean => {
  const known =
    "model max_tokens messages stream system tools tool_choice temperature top_k thinking metadata cache_control output_config"
  if (Object.keys(native).some((name) => !known.split(" ").includes(name))) return false
  const { effort, format, ...others } = (native["output_config"] ?? {}) as Sent
  if (Object.keys(others).length > 0 || (effort !== undefined && native["thinking"]?.type !== "adaptive")) return false
  if (native["output_config"] !== undefined && effort === undefined && format === undefined) return false
  if (/"type":"(?:file|tool_reference)"/.test(JSON.stringify(native["messages"]))) return false
  const tools = (native["tools"] ?? []) as ReadonlyArray<Sent>
  const toolFields = ["name", "description", "input_schema", "strict", "cache_control", "defer_loading"]
  if (tools.some((tool) => !isOwnTool(tool) && Object.keys(tool).some((field) => !toolFields.includes(field))))
    return false
  return (native["messages"] as ReadonlyArray<Sent>).every(({ content, role }) => {
    const types =
      typeof content === "string" ? ["text"] : (content as ReadonlyArray<Sent>).map((block) => block["type"] as string)
    const known = role === "assistant" ? ["thinking", "text", "tool_use"] : ["tool_result", ...parts.keys()]
    return role !== "system" && types.every((type) => known.includes(type))
  })
}

const blank = (text: unknown): boolean => typeof text === "string" && text.trim() === ""

const normalBlock = ({ citations: _, caller: __, ...block }: Sent): Sent => {
  if (block["type"] !== "tool_result") return block
  const content =
    typeof block["content"] === "string"
      ? block["content"]
      : (block["content"] as ReadonlyArray<Sent> | undefined)?.map(normalBlock)
  const { content: ____, ...rest } = block
  return content === undefined || blank(content) || content.length === 0 ? rest : { ...rest, content }
}

/** The freedom that Anthropic leaves: content as string or blocks, turns merged or not. How thoughts are shown is not the chat API's to say. */
const normal = (native: Sent): Sent => {
  const turns: Array<{ role: string; content: Array<Sent> }> = []
  for (const { content, role } of native["messages"] as ReadonlyArray<Sent>) {
    const blocks = (typeof content === "string" ? [{ type: "text", text: content }] : content) as ReadonlyArray<Sent>
    const kept = blocks.map(normalBlock).filter((block) => block["type"] !== "text" || !blank(block["text"]))
    const last = turns.at(-1)
    if (last !== undefined && last.role === role) last.content.push(...kept)
    else turns.push({ role: role as string, content: kept })
  }
  const { stream, system, thinking, tools: given, ...rest } = native
  const tools = ((given ?? []) as ReadonlyArray<Sent>).map(normalTool)
  const marked =
    Array.isArray(system) && (system as ReadonlyArray<Sent>).some((block) => block["cache_control"] !== undefined)
  const text =
    Array.isArray(system) && !marked
      ? (system as ReadonlyArray<Sent>).map((block) => block["text"] as string).join("\n")
      : system
  return {
    ...rest,
    messages: turns,
    ...(stream === true ? { stream } : {}),
    ...(thinking === undefined ? {} : { thinking: { ...thinking, display: null } }),
    ...(system === undefined || blank(text) ? {} : { system: text }),
    ...(tools.length === 0 ? {} : { tools })
  }
}

const normalTool = ({ description, ...tool }: Sent): Sent =>
  description === "" || description === undefined ? tool : { ...tool, description }

describe.skipIf(!hasData)("recorded requests", () => {
  const natives = exchanges
    .map(({ name, request }) => ({ name, native: request.body as Sent }))
    .filter(({ native }) => isChat(native))

  it("can mostly be said in the chat API", () => {
    assert.strictEqual(natives.length, 163)
    const has = (type: string) =>
      natives.filter(({ native }) => JSON.stringify(native["messages"]).includes(`"type":"${type}"`)).length
    for (const type of ["tool_use", "tool_result", "image", "document", "thinking"]) assert.isAbove(has(type), 0, type)
  })

  it("come out as they were", () => {
    for (const { name, native } of natives) {
      const { dropped, sent } = lowered(toChat(native), { model: native["model"], maxOutput: native["max_tokens"] })
      assert.deepStrictEqual(dropped, [], name)
      assert.deepStrictEqual(normal(sent), normal(native), name)
    }
  })
})
