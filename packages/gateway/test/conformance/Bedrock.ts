/**
 * Recorded requests to Bedrock as a caller of the gateway would ask for them: Converse in the words of the chat API, `InvokeModel` in those
 * of Anthropic's API or of embeddings. The model is in the recorded address.
 */
import type { JsonObject } from "../../src/core/domain/Json.ts"
import type { Exchange } from "../support/Transcripts.ts"

/** With what the address says in the body: the model, and whether the answer is a stream. */
export const withAddress = (exchange: Exchange): Exchange => {
  const { request, response } = exchange
  const [, model, action] = /\/model\/([^/]+)\/([\w-]+)/.exec(request.url) ?? []
  const stream = /stream/.test(action ?? "")
  const body = { ...request.body, model: decodeURIComponent(model ?? ""), ...(stream ? { stream } : {}) }
  return { ...exchange, request: { ...request, body }, streamed: stream && response.status < 300 }
}

/** What the gateway refuses on purpose: other people's buckets, tools that Amazon runs, guardrails of the caller, prompts kept there. */
const REFUSED = /"s3Location"|"systemTool"|"server_tool_use"|"guardrailConfig"|"__raw__"/

const objects = (value: unknown): ReadonlyArray<JsonObject> => (Array.isArray(value) ? value : [])
const object = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

const MEDIA: { readonly [format: string]: string } = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
  pdf: "application/pdf",
  txt: "text/plain",
  csv: "text/csv",
  md: "text/markdown",
  html: "text/html"
}

const dataUrl = (block: JsonObject): string =>
  `data:${MEDIA[String(block["format"])]};base64,${String(object(block["source"])?.["bytes"])}`

const partOf = (block: JsonObject): JsonObject => {
  const [image, video, file] = [object(block["image"]), object(block["video"]), object(block["document"])]
  if (image !== undefined) return { type: "image_url", image_url: { url: dataUrl(image) } }
  if (video !== undefined) return { type: "video_url", video_url: { url: dataUrl(video) } }
  if (file !== undefined)
    return { type: "file", file: { file_data: dataUrl(file), filename: `${String(file["name"])}.x` } }
  return { type: "text", text: block["text"] }
}

/** A point after a block is a mark on it. */
const partsOf = (blocks: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const parts: Array<JsonObject> = []
  for (const block of blocks) {
    if (block["cachePoint"] === undefined) parts.push(partOf(block))
    else parts.push({ ...parts.pop(), cache_control: { type: "ephemeral" } })
  }
  return parts
}

const thoughtOf = (block: JsonObject): JsonObject => {
  const reasoning = object(block["reasoningContent"])
  const redacted = reasoning?.["redactedContent"]
  if (redacted !== undefined) {
    return { type: "redacted_thinking", data: Buffer.from(String(redacted), "base64").toString() }
  }
  const said = object(reasoning?.["reasoningText"])
  return { type: "thinking", thinking: said?.["text"], signature: said?.["signature"] }
}

const callOf = (block: JsonObject): JsonObject => {
  const call = object(block["toolUse"])
  const called = { name: call?.["name"], arguments: JSON.stringify(call?.["input"]) }
  return { id: call?.["toolUseId"], type: "function", function: called }
}

const resultOf = (block: JsonObject): JsonObject => {
  const result = object(block["toolResult"])
  const content = objects(result?.["content"]).map((one) =>
    one["json"] === undefined ? partOf(one) : { type: "text", text: JSON.stringify(one["json"]) }
  )
  const failed = result?.["status"] === "error" ? { is_error: true } : {}
  return { role: "tool", tool_call_id: result?.["toolUseId"], content, ...failed }
}

const messagesOf = ({ content, role }: JsonObject): ReadonlyArray<JsonObject> => {
  const blocks = objects(content)
  const named = (name: string) => blocks.filter((block) => block[name] !== undefined)
  const rest = blocks.filter((block) => !["toolUse", "toolResult", "reasoningContent"].some((name) => name in block))
  const parts = partsOf(rest)
  if (role === "user") {
    const results = named("toolResult").map(resultOf)
    return parts.length === 0 ? results : [...results, { role, content: parts }]
  }
  const [calls, thoughts] = [named("toolUse").map(callOf), named("reasoningContent").map(thoughtOf)]
  return [
    {
      role,
      content: parts.length === 0 ? null : parts,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(thoughts.length === 0 ? {} : { thinking_blocks: thoughts })
    }
  ]
}

const toolsOf = (tools: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const written: Array<JsonObject> = []
  for (const { toolSpec } of tools) {
    const spec = object(toolSpec)
    if (spec === undefined) {
      written.push({ ...written.pop(), cache_control: { type: "ephemeral" } })
      continue
    }
    const { description, inputSchema, name, strict } = spec
    const declared = { name, description, strict, parameters: object(inputSchema)?.["json"] }
    written.push({ type: "function", function: declared })
  }
  return written
}

const choiceOf = (choice: JsonObject | undefined): unknown => {
  const named = object(choice?.["tool"])
  if (named !== undefined) return { type: "function", function: { name: named["name"] } }
  return choice?.["any"] === undefined ? undefined : "required"
}

const formatOf = (config: JsonObject | undefined): JsonObject | undefined => {
  const schema = object(object(object(config?.["textFormat"])?.["structure"])?.["jsonSchema"])
  if (schema === undefined) return undefined
  const { description, name } = schema
  return { type: "json_schema", json_schema: { name, description, schema: JSON.parse(String(schema["schema"])) } }
}

/** Undefined for what the gateway refuses on purpose. */
export const chatOfConverse = (body: JsonObject): JsonObject | undefined => {
  if (REFUSED.test(JSON.stringify(body))) return undefined
  const { additionalModelRequestFields, inferenceConfig, messages, model, outputConfig, serviceTier, stream, system } =
    body
  const config = object(inferenceConfig) ?? {}
  const more = object(additionalModelRequestFields) ?? {}
  const tools = object(body["toolConfig"])
  const instructions = partsOf(objects(system))
  return {
    model,
    ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
    messages: [
      ...(instructions.length === 0 ? [] : [{ role: "system", content: instructions }]),
      ...objects(messages).flatMap(messagesOf)
    ],
    max_tokens: config["maxTokens"],
    temperature: config["temperature"],
    top_p: config["topP"],
    top_k: more["top_k"],
    stop: config["stopSequences"],
    thinking: more["thinking"],
    reasoning_effort: more["reasoning_effort"] ?? more["reasoning_config"],
    response_format: formatOf(object(outputConfig)),
    service_tier: object(serviceTier)?.["type"],
    ...(tools === undefined
      ? {}
      : { tools: toolsOf(objects(tools["tools"])), tool_choice: choiceOf(object(tools["toolChoice"])) })
  }
}

const DEFAULTS = { status: "success", toolChoice: '{"auto":{}}', serviceTier: '{"type":"default"}', type: "tool_use" }

/** Limits that the gateway says in words, as most models' decoders can't hold to them. */
const SAID_IN_WORDS = ["minLength", "description"]

/** Where a document needs a text beside it. */
const BESIDE_DOCUMENT = "(The document is attached.)"

/**
 * Without what says the default, or nothing. Schemas in a text are compared as schemas, ids of tool calls by their order, and documents
 * stand beside the results of tools: the gateway puts them there, as some models don't see them within.
 */
export const plainConverse = (body: JsonObject): JsonObject => {
  const ids = new Map<unknown, string>()
  const idOf = (id: unknown): string => {
    const known = ids.get(id) ?? `call ${ids.size}`
    ids.set(id, known)
    return known
  }
  const list = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
    values
      .filter((value) => object(value)?.["text"] !== BESIDE_DOCUMENT)
      .flatMap((value) => (object(object(value)?.["toolResult"]) ? resultIn(object(value)!) : [plain("", value)]))
  const resultIn = (block: JsonObject): ReadonlyArray<unknown> => {
    const result = object(block["toolResult"])!
    const blocks = objects(result["content"]).map((one) =>
      one["json"] === undefined ? one : { text: JSON.stringify(one["json"]) }
    )
    const content = blocks.filter((one) => one["document"] === undefined)
    const beside = blocks.filter((one) => one["document"] !== undefined)
    return [{ toolResult: plain("", { ...result, content }) }, ...beside]
  }
  const plain = (name: string, value: unknown): unknown => {
    if (name === "schema" && typeof value === "string") {
      const text = JSON.stringify(JSON.parse(value), (key, one: unknown) =>
        SAID_IN_WORDS.includes(key) ? undefined : one
      )
      return JSON.parse(text)
    }
    if (name === "toolUseId") return idOf(value)
    if (Array.isArray(value)) return value.length === 0 && name === "system" ? undefined : list(value)
    const fields = object(value)
    if (fields === undefined) return value
    const kept = Object.entries(fields).flatMap(([key, one]) => {
      const isDefault = key in DEFAULTS && [one, JSON.stringify(one)].includes(DEFAULTS[key as keyof typeof DEFAULTS])
      const written = isDefault ? undefined : plain(key, one)
      return written === undefined ? [] : [[key, written] as const]
    })
    const isEmpty = kept.length === 0 && ["inferenceConfig", "additionalModelRequestFields"].includes(name)
    return isEmpty ? undefined : Object.fromEntries(kept)
  }
  return plain("", body) as JsonObject
}

/** A message of Anthropic's, without what is Bedrock's alone. */
export const messagesOfInvoke = (body: JsonObject): JsonObject => {
  const { anthropic_version: _, ...rest } = body
  return rest
}

export const isMessages = ({ request }: Exchange): boolean => request.body?.["anthropic_version"] !== undefined

export const isEmbedding = ({ request }: Exchange): boolean => /embed/.test(request.url)

/** Embeddings, by family. */
export const embeddingsOfInvoke = (body: JsonObject): JsonObject => {
  const single = object(body["singleEmbeddingParams"])
  return {
    model: body["model"],
    input: body["inputText"] ?? body["texts"] ?? object(single?.["text"])?.["value"],
    dimensions: body["dimensions"] ?? body["output_dimension"] ?? single?.["embeddingDimension"],
    normalize: body["normalize"],
    input_type: body["input_type"],
    embedding_purpose: single?.["embeddingPurpose"]
  }
}

/** Where a text is cut off is not the caller's to say: too long a text is refused. */
export const plainEmbeddings = (body: JsonObject): JsonObject => {
  const text = JSON.stringify(body).replaceAll(/"(truncate|truncationMode)":"\w+"/g, '"$1":""')
  return JSON.parse(text) as JsonObject
}
