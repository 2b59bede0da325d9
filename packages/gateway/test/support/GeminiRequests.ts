/** Recorded requests for Gemini's own API, as the chat requests that ask for the same, and in the one spelling that they can be compared in. */
import type { Exchange } from "./Transcripts.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- what was recorded is looked into at every depth
type Loose = Record<string, any>

/** The request with field names in camel case: SDKs write some of them with underscores, and Google takes both. */
export const recordedRequest = ({ request }: Exchange): Loose => camelCased(request.body ?? {}) as Loose

export const recordedModel = ({ request }: Exchange): string | undefined => /models\/([^:/]+):/.exec(request.url)?.[1]

/**
 * A request of Google's API in one spelling, for the comparison: functions before other tools, nothing that is empty, texts and turns
 * that follow each other as one, and types of schemas in small letters.
 */
export const plainContents = (body: Loose): Loose => {
  const {
    contents = [],
    generationConfig,
    systemInstruction,
    toolConfig,
    tools,
    ...request
  } = camelCased(body) as Loose
  const mode = toolConfig?.functionCallingConfig?.mode
  const list = (tools ?? []) as ReadonlyArray<Loose>
  const isDeclared = (tool: Loose) => tool["functionDeclarations"] !== undefined
  const plain = [...list.filter(isDeclared).map(plainFunctions), ...list.filter((tool) => !isDeclared(tool))]
  return {
    ...request,
    contents: joined(contents as ReadonlyArray<Loose>),
    ...(Object.keys(generationConfig ?? {}).length === 0 ? {} : { generationConfig: smallTypes(generationConfig) }),
    ...(systemInstruction === undefined ? {} : { systemInstruction: { parts: systemInstruction.parts } }),
    ...(toolConfig === undefined || mode === "AUTO" ? {} : { toolConfig }),
    ...(tools === undefined ? {} : { tools: plain })
  }
}

const plainFunctions = ({ functionDeclarations: declared, ...tool }: Loose): Loose => ({
  ...tool,
  functionDeclarations: (declared as ReadonlyArray<Loose>).map(
    ({ description, parameters, parametersJsonSchema, ...rest }) => ({
      ...rest,
      ...(description === "" ? {} : { description }),
      parameters: smallTypes(parametersJsonSchema ?? parameters)
    })
  )
})

/** Google's own form of a schema has types in capitals, and field names with underscores from some SDKs. */
const smallTypes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(smallTypes)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name === "responseSchema"
        ? "responseJsonSchema"
        : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      name === "type" && typeof one === "string" ? one.toLowerCase() : smallTypes(one)
    ])
  )
}

const joined = (contents: ReadonlyArray<Loose>): ReadonlyArray<Loose> => {
  const turns: Array<{ role: string; parts: Array<Loose> }> = []
  for (const { parts = [], role = "user" } of contents) {
    for (const part of (parts as ReadonlyArray<Loose>).flatMap(besideResult)) {
      // Thoughts without a signature are for people.
      const isNothing = part["thought"] === true && part["thoughtSignature"] === undefined
      if (isNothing || (role === "model" && isText(part) && part["text"] === "")) continue
      if (turns.at(-1)?.role !== role) turns.push({ role, parts: [] })
      const { parts: all } = turns.at(-1)!
      const last = all.at(-1)
      const isMore = role === "model" && isText(part) && last !== undefined && isText(last)
      if (isMore) all[all.length - 1] = { text: `${last["text"]}${part["text"]}` }
      else all.push(part)
    }
  }
  return turns
}

/** The media of a function's result stand behind it. */
const besideResult = (part: Loose): ReadonlyArray<Loose> => {
  const { parts = [], ...result } = part["functionResponse"] ?? {}
  return part["functionResponse"] === undefined ? [part] : [{ ...part, functionResponse: result }, ...parts]
}

/** A text and nothing else. */
const isText = (part: Loose): boolean => Object.keys(part).join() === "text"

/** Below these stand the caller's own names. */
const OPAQUE = /^(?:args|response|parametersJsonSchema|parameters|responseJsonSchema|responseSchema)$/

const camelCased = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(camelCased)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return [camel, OPAQUE.test(camel) ? one : camelCased(one)]
    })
  )
}

/** What chat has no place for: what Google's own tools did, and thoughts. */
const isSayable = (part: Loose): boolean =>
  part["thought"] !== true &&
  ["text", "inlineData", "fileData", "functionCall", "functionResponse"].some((name) => name in part)

/** Parts that say something, and turns of one role in a row as one. */
export const sayableContents = (request: Loose): ReadonlyArray<Loose> => {
  const turns: Array<{ role: string; parts: Array<Loose> }> = []
  for (const { parts = [], role = "user" } of (request["contents"] ?? []) as ReadonlyArray<Loose>) {
    const kept = (parts as ReadonlyArray<Loose>)
      .filter(isSayable)
      .filter((part) => part["text"] !== "" || role !== "model")
    if (kept.length === 0) continue
    const last = turns.at(-1)
    if (last !== undefined && last.role === role) last.parts.push(...kept)
    else turns.push({ role, parts: [...kept] })
  }
  return turns
}

const signed = ({ thoughtSignature: signature }: Loose): Loose =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }

const contentPart = (part: Loose): Loose => {
  if (part["text"] !== undefined) return { type: "text", text: part["text"] }
  const { fileData, inlineData } = part
  if (fileData !== undefined) {
    return { type: "file", file: { file_id: fileData.fileUri, format: fileData.mimeType } }
  }
  const url = `data:${inlineData.mimeType};base64,${inlineData.data}`
  return inlineData.mimeType.startsWith("image/")
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { file_data: url, filename: "file" } }
}

const contentOf = (parts: ReadonlyArray<Loose>): unknown =>
  parts.length === 1 && parts[0]!["text"] === "" ? "" : parts.map(contentPart)

const messagesOf = ({ parts, role }: Loose): ReadonlyArray<Loose> => {
  const all = parts as ReadonlyArray<Loose>
  if (role === "model") {
    const texts = all.filter((part) => part["text"] !== undefined)
    const calls = all.filter((part) => part["functionCall"] !== undefined)
    return [
      {
        role: "assistant",
        content: texts.map(({ text }) => ({ type: "text", text })),
        ...signed(texts.at(-1) ?? {}),
        ...(calls.length === 0
          ? {}
          : {
              tool_calls: calls.map((part) => ({
                id: part["functionCall"].id,
                type: "function",
                function: {
                  name: part["functionCall"].name,
                  arguments: JSON.stringify(part["functionCall"].args ?? {})
                },
                ...signed(part)
              }))
            })
      }
    ]
  }
  const results = all.filter((part) => part["functionResponse"] !== undefined)
  const rest = all.filter((part) => part["functionResponse"] === undefined)
  return [
    ...results.map(({ functionResponse: { id, name, parts: media = [], response } }) => ({
      role: "tool",
      tool_call_id: id,
      name,
      content: [{ type: "text", text: JSON.stringify(response) }, ...(media as ReadonlyArray<Loose>).map(contentPart)]
    })),
    ...(rest.length === 0 ? [] : [{ role: "user", content: contentOf(rest) }])
  ]
}

const choiceOf = ({ allowedFunctionNames: names, mode }: Loose): unknown => {
  if (mode === "ANY" && names?.length === 1) return { type: "function", function: { name: names[0] } }
  if (mode === "ANY" && names !== undefined) {
    const tools = (names as ReadonlyArray<string>).map((name) => ({ type: "function", function: { name } }))
    return { type: "allowed_tools", allowed_tools: { mode: "required", tools } }
  }
  return mode === "ANY" ? "required" : mode === "NONE" ? "none" : "auto"
}

/** The chat request that asks for what `exchange` asked. */
export const asChat = (exchange: Exchange): Loose => {
  const request = recordedRequest(exchange)
  const { cachedContent, generationConfig: config = {}, safetySettings, systemInstruction, toolConfig } = request
  const google = {
    ...(cachedContent === undefined ? {} : { cached_content: cachedContent }),
    ...(config.thinkingConfig === undefined ? {} : { thinking_config: config.thinkingConfig })
  }
  const functions = toolConfig?.functionCallingConfig
  const tools = ((request["tools"] ?? []) as ReadonlyArray<Loose>).flatMap((tool) => {
    const { functionDeclarations: declared = [], ...own } = tool
    return [
      ...(declared as ReadonlyArray<Loose>).map(({ description, name, parameters, parametersJsonSchema }) => ({
        type: "function",
        function: {
          name,
          description,
          parameters: parametersJsonSchema ?? parameters,
          ...(functions?.mode === "VALIDATED" ? { strict: true } : {})
        }
      })),
      ...(Object.keys(own).length === 0 ? [] : [own])
    ]
  })
  const instructions = ((systemInstruction?.parts ?? []) as ReadonlyArray<Loose>).map(({ text }) => ({
    role: "system",
    content: text as string
  }))
  return {
    messages: [...instructions, ...sayableContents(request).flatMap(messagesOf)],
    ...(exchange.streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...(functions === undefined ? {} : { tool_choice: choiceOf(functions) }),
    ...(config.maxOutputTokens === undefined ? {} : { max_tokens: config.maxOutputTokens }),
    ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    ...(config.stopSequences === undefined ? {} : { stop: config.stopSequences }),
    ...(config.responseLogprobs === undefined ? {} : { logprobs: true, top_logprobs: config.logprobs }),
    ...(config.responseJsonSchema === undefined
      ? config.responseMimeType === undefined
        ? {}
        : { response_format: { type: "json_object" } }
      : {
          response_format: { type: "json_schema", json_schema: { name: "answer", schema: config.responseJsonSchema } }
        }),
    ...(safetySettings === undefined ? {} : { safety_settings: safetySettings }),
    ...(Object.keys(google).length === 0 ? {} : { extra_body: { google } })
  }
}

/** The request for vectors that asks for what `exchange` asked, in a batch or as predictions. */
export const asEmbeddings = (exchange: Exchange): Loose => {
  const { instances, requests } = recordedRequest(exchange)
  const texts = ((requests ?? instances ?? []) as ReadonlyArray<Loose>).map(
    ({ content }) => (typeof content === "string" ? content : content.parts[0].text) as string
  )
  const dimensions = requests?.[0].outputDimensionality
  return { input: texts, ...(dimensions === undefined ? {} : { dimensions }) }
}
