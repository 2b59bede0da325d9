/** What a vendor sees in a request, whatever its protocol: the features that refusals depend on. */

export type Spoken = "chat" | "responses" | "messages" | "gemini" | "converse"

// oxlint-disable-next-line typescript/no-explicit-any -- requests of five protocols are read by the names of their fields
export type Loose = { readonly [field: string]: any }

export interface Seen {
  readonly vendor: string
  readonly model: string
  readonly spoken: Spoken
  readonly stream: boolean
  /** The names of the function tools. */
  readonly functions: ReadonlyArray<string>
  /** The types of the other tools. */
  readonly hosted: ReadonlyArray<string>
  readonly choice: "auto" | "none" | "any" | "named" | undefined
  /** As the protocol says it, in lower case. */
  readonly effort: string | undefined
  /** `thinking.type`, or `enabled` and `disabled` where another field says it. */
  readonly thinking: string | undefined
  /** Tokens. */
  readonly budget: number | undefined
  /** The answer is held to a JSON schema. */
  readonly schema: Loose | undefined
  readonly jsonMode: boolean
  readonly images: number
  readonly files: number
  readonly cacheMarks: number
  readonly cacheTtl: string | undefined
  readonly n: number
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly topK: number | undefined
  readonly penalties: boolean
  readonly logprobs: boolean
  readonly stop: boolean
  readonly prefill: boolean
  /** The field with the output limit. */
  readonly limit: string | undefined
  readonly body: Loose
}

/** All objects in a value, itself included. */
const objectsIn = (value: unknown): ReadonlyArray<Loose> => {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (typeof value !== "object" || value === null) return []
  return [value as Loose, ...Object.values(value).flatMap(objectsIn)]
}

const list = (value: unknown): ReadonlyArray<Loose> => (Array.isArray(value) ? value : [])

const kindOfChoice = (choice: Loose[string]): Seen["choice"] => {
  if (choice === undefined || choice === null) return undefined
  if (choice === "auto" || choice === "none") return choice
  if (choice === "required" || choice === "any") return "any"
  if (choice.type === "auto" || choice.type === "none" || choice.type === "any") return choice.type
  return "named"
}

const isUsed = (value: unknown): boolean => value !== undefined && value !== null && value !== 0

const chat = (body: Loose) => {
  const parts = objectsIn(body["messages"])
  const tools = list(body["tools"])
  const type = body["response_format"]?.type
  return {
    functions: tools.flatMap((tool) => (tool["function"] === undefined ? [] : [tool["function"].name])),
    hosted: tools.flatMap((tool) => (tool["function"] === undefined ? [String(tool["type"])] : [])),
    choice: kindOfChoice(body["tool_choice"]),
    effort: body["reasoning_effort"],
    thinking: body["thinking"]?.type ?? switchOf(body["enable_thinking"]),
    budget: body["thinking"]?.budget_tokens,
    schema: type === "json_schema" ? (body["response_format"].json_schema?.schema ?? {}) : undefined,
    jsonMode: type === "json_object",
    images: parts.filter((part) => part["type"] === "image_url").length,
    files: parts.filter((part) => part["type"] === "file" || part["type"] === "document_url").length,
    cacheMarks: objectsIn(body).filter((part) => part["cache_control"] !== undefined).length,
    cacheTtl: body["prompt_cache_options"]?.ttl,
    n: body["n"] ?? 1,
    temperature: body["temperature"],
    topP: body["top_p"],
    topK: body["top_k"],
    penalties: isUsed(body["presence_penalty"]) || isUsed(body["frequency_penalty"]),
    logprobs: body["logprobs"] === true,
    stop: body["stop"] !== undefined,
    prefill: list(body["messages"]).at(-1)?.["role"] === "assistant",
    limit: ["max_tokens", "max_completion_tokens"].find((name) => body[name] !== undefined)
  }
}

const switchOf = (enabled: unknown): string | undefined =>
  enabled === undefined ? undefined : enabled === false ? "disabled" : "enabled"

const responses = (body: Loose) => {
  const parts = objectsIn(body["input"])
  const tools = list(body["tools"])
  const type = body["text"]?.format?.type
  return {
    functions: tools.flatMap((tool) => (tool["type"] === "function" ? [tool["name"]] : [])),
    hosted: tools.flatMap((tool) => (tool["type"] === "function" ? [] : [String(tool["type"])])),
    choice: kindOfChoice(body["tool_choice"]),
    effort: body["reasoning"]?.effort,
    thinking: undefined,
    budget: undefined,
    schema: type === "json_schema" ? body["text"].format.schema : undefined,
    jsonMode: type === "json_object",
    images: parts.filter((part) => part["type"] === "input_image").length,
    files: parts.filter((part) => part["type"] === "input_file").length,
    cacheMarks: parts.filter((part) => part["cache_control"] !== undefined || part["prompt_cache_breakpoint"]).length,
    cacheTtl: body["prompt_cache_options"]?.ttl,
    n: 1,
    temperature: body["temperature"],
    topP: body["top_p"],
    topK: body["top_k"],
    penalties: isUsed(body["presence_penalty"]) || isUsed(body["frequency_penalty"]),
    logprobs: isUsed(body["top_logprobs"]) || list(body["include"]).includes("message.output_text.logprobs" as never),
    stop: body["stop"] !== undefined,
    prefill: list(body["input"]).at(-1)?.["role"] === "assistant",
    limit: body["max_output_tokens"] === undefined ? undefined : "max_output_tokens"
  }
}

const messages = (body: Loose) => {
  const parts = objectsIn(body["messages"])
  const marked = objectsIn(body).filter((part) => part["cache_control"] !== undefined)
  const tools = list(body["tools"])
  return {
    functions: tools.flatMap((tool) => (tool["input_schema"] === undefined ? [] : [tool["name"]])),
    hosted: tools.flatMap((tool) => (tool["input_schema"] === undefined ? [String(tool["type"])] : [])),
    choice: kindOfChoice(body["tool_choice"]),
    effort: body["output_config"]?.effort,
    thinking: body["thinking"]?.type,
    budget: body["thinking"]?.budget_tokens,
    schema: body["output_config"]?.format?.schema,
    jsonMode: false,
    images: parts.filter((part) => part["type"] === "image").length,
    files: parts.filter((part) => part["type"] === "document").length,
    cacheMarks: marked.length,
    cacheTtl: marked[0]?.["cache_control"].ttl,
    n: 1,
    temperature: body["temperature"],
    topP: body["top_p"],
    topK: body["top_k"],
    penalties: false,
    logprobs: false,
    stop: list(body["stop_sequences"]).length > 0,
    prefill: list(body["messages"]).at(-1)?.["role"] === "assistant",
    limit: body["max_tokens"] === undefined ? undefined : "max_tokens"
  }
}

const gemini = (body: Loose) => {
  const config: Loose = body["generationConfig"] ?? {}
  const inline = objectsIn(body["contents"]).flatMap((part) => part["inlineData"]?.mimeType ?? [])
  const calling = body["toolConfig"]?.functionCallingConfig ?? {}
  const isNamed = list(calling.allowedFunctionNames).length > 0
  const modes: { readonly [mode: string]: Seen["choice"] } = { AUTO: "auto", NONE: "none", ANY: "any" }
  return {
    functions: list(body["tools"]).flatMap((tool) => list(tool["functionDeclarations"]).map((one) => one["name"])),
    hosted: list(body["tools"]).flatMap((tool) => Object.keys(tool).filter((name) => name !== "functionDeclarations")),
    choice: isNamed ? ("named" as const) : modes[calling.mode],
    effort: config["thinkingConfig"]?.thinkingLevel?.toLowerCase(),
    thinking: config["thinkingConfig"]?.thinkingBudget === 0 ? "disabled" : undefined,
    budget: config["thinkingConfig"]?.thinkingBudget,
    schema: config["responseJsonSchema"] ?? config["responseSchema"],
    jsonMode: config["responseMimeType"] === "application/json",
    images: inline.filter((type) => type.startsWith("image/")).length,
    files: inline.filter((type) => type === "application/pdf").length,
    cacheMarks: 0,
    cacheTtl: undefined,
    n: config["candidateCount"] ?? 1,
    temperature: config["temperature"],
    topP: config["topP"],
    topK: config["topK"],
    penalties: isUsed(config["presencePenalty"]) || isUsed(config["frequencyPenalty"]),
    logprobs: config["responseLogprobs"] === true,
    stop: list(config["stopSequences"]).length > 0,
    prefill: list(body["contents"]).at(-1)?.["role"] === "model",
    limit: config["maxOutputTokens"] === undefined ? undefined : "maxOutputTokens"
  }
}

const converse = (body: Loose) => {
  const parts = objectsIn(body["messages"])
  const more: Loose = body["additionalModelRequestFields"] ?? {}
  const inference: Loose = body["inferenceConfig"] ?? {}
  const choice = body["toolConfig"]?.toolChoice
  const ownChoice = kindOfChoice(more["tool_choice"])
  const schema = body["outputConfig"]?.textFormat?.structure?.jsonSchema?.schema
  return {
    functions: list(body["toolConfig"]?.tools).flatMap((tool) => tool["toolSpec"]?.name ?? []),
    hosted: [],
    choice: choice?.any !== undefined ? ("any" as const) : choice?.tool !== undefined ? ("named" as const) : ownChoice,
    effort: more["output_config"]?.effort ?? more["reasoningConfig"]?.maxReasoningEffort ?? more["reasoning_effort"],
    thinking: more["thinking"]?.type,
    budget: more["thinking"]?.budget_tokens,
    schema: typeof schema === "string" ? JSON.parse(schema) : undefined,
    jsonMode: false,
    images: parts.filter((part) => part["image"] !== undefined).length,
    files: parts.filter((part) => part["document"] !== undefined).length,
    cacheMarks: objectsIn(body).filter((part) => part["cachePoint"] !== undefined).length,
    cacheTtl: objectsIn(body).find((part) => part["cachePoint"] !== undefined)?.["cachePoint"].ttl,
    n: 1,
    temperature: inference["temperature"],
    topP: inference["topP"],
    topK: more["top_k"] ?? more["inferenceConfig"]?.topK,
    penalties: false,
    logprobs: false,
    stop: list(inference["stopSequences"]).length > 0,
    prefill: list(body["messages"]).at(-1)?.["role"] === "assistant",
    limit: inference["maxTokens"] === undefined ? undefined : "maxTokens"
  }
}

const readers = { chat, responses, messages, gemini, converse }

export interface Addressed {
  readonly vendor: string
  readonly model: string
  readonly spoken: Spoken
  readonly stream: boolean
}

export const seenIn = (to: Addressed, body: Loose): Seen => ({ ...to, ...readers[to.spoken](body), body })
