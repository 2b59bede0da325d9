/** A conversation in nobody's words, and the same as a chat request and as the AI SDK's providers take it. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider"
import type { JsonObject } from "../../../src/core/domain/Json.ts"

export type Part =
  | { readonly text: string }
  | { readonly image: string; readonly mediaType: string }
  | { readonly imageUrl: string }
  | { readonly pdf: string; readonly name: string }

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

export type Turn =
  | { readonly user: string | ReadonlyArray<Part> }
  | { readonly assistant: string; readonly calls?: ReadonlyArray<Call> }
  | { readonly results: ReadonlyArray<{ readonly id: string; readonly name: string; readonly text: string }> }

export interface Tool {
  readonly name: string
  readonly description?: string
  readonly parameters: JsonObject
  readonly strict?: boolean
}

export interface Conversation {
  readonly name: string
  readonly system?: ReadonlyArray<string>
  readonly turns: ReadonlyArray<Turn>
  readonly tools?: ReadonlyArray<Tool>
  readonly choice?: "auto" | "none" | "required" | { readonly tool: string }
  readonly oneCallAtATime?: true
  /** `schema` left out: any JSON object. */
  readonly json?: { readonly name: string; readonly schema?: JsonObject }
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly stop?: ReadonlyArray<string>
  readonly seed?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  readonly effort?: "none" | "minimal" | "low" | "medium" | "high"
}

const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

// ---------------------------------------------------------------------------------------------------------------- as a chat request

export const asChat = (one: Conversation): JsonObject => {
  const { choice, json, tools } = one
  return given({
    messages: [
      ...(one.system ?? []).map((content) => ({ role: "system", content })),
      ...one.turns.flatMap((turn) => chatMessages(turn))
    ],
    tools: tools?.map(({ description, name, parameters, strict }) => ({
      type: "function",
      function: given({ name, description, parameters, strict })
    })),
    tool_choice: typeof choice === "object" ? { type: "function", function: { name: choice.tool } } : choice,
    parallel_tool_calls: one.oneCallAtATime === true ? false : undefined,
    response_format:
      json === undefined
        ? undefined
        : json.schema === undefined
          ? { type: "json_object" }
          : { type: "json_schema", json_schema: { name: json.name, schema: json.schema, strict: true } },
    max_tokens: one.maxTokens,
    temperature: one.temperature,
    top_p: one.topP,
    stop: one.stop,
    seed: one.seed,
    frequency_penalty: one.frequencyPenalty,
    presence_penalty: one.presencePenalty,
    reasoning_effort: one.effort
  })
}

const chatMessages = (turn: Turn): ReadonlyArray<JsonObject> => {
  if ("user" in turn) {
    const content = typeof turn.user === "string" ? turn.user : turn.user.map(chatPart)
    return [{ role: "user", content }]
  }
  if ("results" in turn) {
    return turn.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }))
  }
  const calls = turn.calls?.map(({ id, input, name }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) }
  }))
  const content = turn.assistant === "" && calls !== undefined ? null : turn.assistant
  return [given({ role: "assistant", content, tool_calls: calls })]
}

const chatPart = (part: Part): JsonObject => {
  if ("text" in part) return { type: "text", text: part.text }
  if ("imageUrl" in part) return { type: "image_url", image_url: { url: part.imageUrl } }
  if ("pdf" in part) {
    return { type: "file", file: { filename: part.name, file_data: `data:application/pdf;base64,${part.pdf}` } }
  }
  return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.image}` } }
}

// ------------------------------------------------------------------------------------------------------------------- for the AI SDK

type Options = LanguageModelV4CallOptions
type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number]

export const forSdk = (one: Conversation): Options => {
  const { choice, json, tools } = one
  const options: Options = {
    prompt: [
      ...(one.system ?? []).map((content) => ({ role: "system" as const, content })),
      ...one.turns.map((turn) => sdkMessage(turn))
    ]
  }
  if (tools !== undefined) {
    options.tools = tools.map(({ description, name, parameters, strict }) => ({
      type: "function",
      name,
      inputSchema: parameters,
      ...(description === undefined ? {} : { description }),
      ...(strict === undefined ? {} : { strict })
    }))
  }
  if (choice !== undefined) {
    options.toolChoice = typeof choice === "object" ? { type: "tool", toolName: choice.tool } : { type: choice }
  }
  if (one.oneCallAtATime === true) {
    options.providerOptions = { openai: { parallelToolCalls: false }, anthropic: { disableParallelToolUse: true } }
  }
  if (json !== undefined) {
    options.responseFormat = {
      type: "json",
      ...(json.schema === undefined ? {} : { name: json.name, schema: json.schema })
    }
  }
  if (one.maxTokens !== undefined) options.maxOutputTokens = one.maxTokens
  if (one.temperature !== undefined) options.temperature = one.temperature
  if (one.topP !== undefined) options.topP = one.topP
  if (one.stop !== undefined) options.stopSequences = [...one.stop]
  if (one.seed !== undefined) options.seed = one.seed
  if (one.frequencyPenalty !== undefined) options.frequencyPenalty = one.frequencyPenalty
  if (one.presencePenalty !== undefined) options.presencePenalty = one.presencePenalty
  if (one.effort !== undefined) options.reasoning = one.effort
  return options
}

const sdkMessage = (turn: Turn): LanguageModelV4Message => {
  if ("user" in turn) {
    return {
      role: "user",
      content: typeof turn.user === "string" ? [{ type: "text", text: turn.user }] : turn.user.map(sdkPart)
    }
  }
  if ("results" in turn) {
    return {
      role: "tool",
      content: turn.results.map(({ id, name, text }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: name,
        output: { type: "text", value: text }
      }))
    }
  }
  return {
    role: "assistant",
    content: [
      ...(turn.assistant === "" ? [] : [{ type: "text" as const, text: turn.assistant }]),
      ...(turn.calls ?? []).map(({ id, input, name }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input
      }))
    ]
  }
}

const sdkPart = (part: Part): UserPart => {
  if ("text" in part) return { type: "text", text: part.text }
  if ("imageUrl" in part) {
    return { type: "file", mediaType: "image/png", data: { type: "url", url: new URL(part.imageUrl) } }
  }
  if ("pdf" in part) {
    return {
      type: "file",
      mediaType: "application/pdf",
      filename: part.name,
      data: { type: "data", data: part.pdf }
    }
  }
  return { type: "file", mediaType: part.mediaType, data: { type: "data", data: part.image } }
}
