/**
 * A request of Google's `generateContent` as a chat request: so it is counted, bounded, checked, routed and translated as one. What chat
 * has no place for stands in fields named `google`, where Google's models get it back and checks see it.
 */
import { Predicate, Result } from "effect"
import type { ContentBody } from "../content/FieldRules.ts"
import { chatConfig } from "./ChatOfConfig.ts"
import { chatTools } from "./ChatOfTools.ts"
import { camel, each, isEmpty, some } from "./ContentFields.ts"

/** A field of the request that is wrong, and what would be right. */
export interface WrongContent {
  readonly param: string
  readonly message: string
}

/** `fields`: of the body. */
export const chatOfContents = (
  fields: ContentBody,
  model: string,
  stream: boolean
): Result.Result<ContentBody, WrongContent> => {
  const { contents, generationConfig, systemInstruction, toolConfig, tools, ...others } = camel(fields)
  const { cachedContent, models, provider, safetySettings, ...unknown } = others
  if (!Array.isArray(contents) || contents.length === 0)
    return wrong("contents", "a list of at least one content", contents)
  const conversation = new Conversation(systemInstruction)
  // Clients send the pieces of a streamed turn back as contents of their own.
  const pieces: Array<unknown> = []
  for (const [index, content] of (contents as ReadonlyArray<unknown>).entries()) {
    const { parts, role = "user", ...more } = camel(content)
    if (!Array.isArray(parts) || !parts.every(Predicate.isObject))
      return wrong(`contents[${index}].parts`, "a list of parts", parts)
    if (role !== "model" && role !== "user" && role !== "function")
      return wrong(`contents[${index}].role`, '"user" or "model"', role)
    if (role !== "model") {
      conversation.user(parts, more)
      continue
    }
    pieces.push(...parts)
    if (camel(contents[index + 1])["role"] !== "model" || !isEmpty(more)) conversation.model(pieces.splice(0), more)
  }
  const { google: toolFields, ...chosen } = chatTools(tools, toolConfig)
  const { google: configFields, ...generation } = chatConfig(generationConfig)
  const google = some({
    ...(configFields as ContentBody | undefined),
    cached_content: cachedContent,
    safety_settings: safetySettings,
    tool_config: toolFields,
    more: isEmpty(unknown) ? undefined : unknown
  })
  return Result.succeed(
    some({
      model,
      stream: stream ? true : undefined,
      messages: conversation.messages,
      ...chosen,
      ...generation,
      models,
      provider,
      extra_body: isEmpty(google) ? undefined : { google }
    })
  )
}

const wrong = (param: string, what: string, value: unknown): Result.Result<never, WrongContent> => {
  const found = value === undefined ? "and it is missing" : `not ${JSON.stringify(value).slice(0, 60)}`
  return Result.fail({ param, message: `\`${param}\` must be ${what}, ${found}` })
}

/** What a message has for Google alone. */
const googles = (fields: ContentBody): ContentBody => (isEmpty(fields) ? {} : { extra_content: { google: fields } })

/** The gateway's own signatures, in base64: sealed by it for other providers. */
const SEALED = /^Z3c[xy]/

class Conversation {
  readonly messages: Array<ContentBody> = []
  /** Calls without a result. */
  private readonly open: Array<ContentBody> = []
  private calls = 0

  constructor(system: unknown) {
    const { parts, role: _, ...more } = camel(system)
    const list = each(parts).flatMap(chatPart)
    const isText = list.every((part) => Object.keys(part).every((name) => name === "type" || name === "text"))
    const content = isText ? list.map(({ text }) => text).join("\n\n") : list
    if (list.length > 0) this.messages.push({ role: "system", content, ...googles(more) })
  }

  /** `more`: other fields of the content. */
  model(given: ReadonlyArray<unknown>, more: ContentBody): void {
    let [content, thoughts, isOwn] = ["", "", false]
    const calls: Array<ContentBody> = []
    const images: Array<ContentBody> = []
    /** As chat brings them back to Google: with the place of each call and image. */
    const parts: Array<ContentBody> = []
    const left: Array<ContentBody> = isEmpty(more) ? [] : [more]
    let last: unknown
    for (const one of given) {
      const { functionCall, inlineData, text, thought, thoughtSignature, ...others } = camel(one)
      const isSealed = SEALED.test(String(thoughtSignature))
      const signed = thoughtSignature === undefined || isSealed ? {} : { thoughtSignature }
      isOwn ||= !isEmpty(signed)
      if (functionCall !== undefined) {
        const { args = {}, id = `call_${this.calls++}`, name, ...unknown } = camel(functionCall)
        const call = { id, type: "function", function: { name, arguments: JSON.stringify(args) } }
        calls.push({ ...call, ...googles(some({ thought_signature: thoughtSignature })) })
        parts.push({ call: id, ...signed })
        this.open.push({ id, name })
        if (!isEmpty(unknown)) left.push(unknown)
      } else if (typeof text === "string" && thought === true) thoughts += text
      else if (typeof text === "string") {
        content += text
        parts.push({ text, ...signed })
        last = thoughtSignature ?? last
      } else if (inlineData !== undefined) {
        parts.push({ image: images.length, ...signed })
        images.push(...chatPart({ inlineData }))
      } else {
        isOwn = true
        parts.push(camel(one))
        continue
      }
      if (!isEmpty(others)) left.push(others)
    }
    const google = some({
      thought_signature: last,
      parts: isOwn ? parts : undefined,
      more: left.length === 0 ? undefined : left
    })
    this.messages.push(
      some({
        role: "assistant",
        content: content === "" ? null : content,
        reasoning_content: thoughts === "" ? undefined : thoughts,
        tool_calls: calls.length === 0 ? undefined : calls,
        images: images.length === 0 ? undefined : images,
        ...googles(google)
      })
    )
  }

  /** Results of calls come first: chat has them right behind the calls. */
  user(given: ReadonlyArray<unknown>, more: ContentBody): void {
    const shown: Array<ContentBody> = []
    const results = new Set<string>()
    for (const part of given) {
      const { functionResponse, ...others } = camel(part)
      if (functionResponse === undefined) {
        shown.push(...chatPart(others))
        continue
      }
      const { id, name, parts, response, ...unknown } = camel(functionResponse)
      // Gemini CLI repeats the results of a session that it takes up again, and models refuse a second result.
      const result = id === undefined ? "" : JSON.stringify(functionResponse)
      if (results.has(result)) continue
      if (result !== "") results.add(result)
      // Clients keep ids with results alone, or make their own.
      const byId = id === undefined ? -1 : this.open.findIndex((call) => call["id"] === id)
      const at = byId < 0 ? this.open.findIndex((call) => call["name"] === name) : byId
      const call = at < 0 ? undefined : this.open.splice(at, 1)[0]
      const said = { tool_call_id: call?.["id"] ?? id ?? name, name, content: JSON.stringify(response) ?? "" }
      this.messages.push({ role: "tool", ...said, ...googles({ ...others, ...unknown }) })
      shown.push(...each(parts).flatMap(chatPart))
    }
    if (shown.length > 0 || !isEmpty(more)) this.messages.push({ role: "user", content: shown, ...googles(more) })
  }
}

/** Files that one account keeps at Google: the address alone does not open them elsewhere. */
const KEPT = /^(?:https:\/\/generativelanguage\.googleapis\.com\/|(?!https?:))/i
const YOUTUBE = /^https:\/\/(?:www\.)?youtu/
const FORMATS: Readonly<Record<string, string>> = { mpeg: "mp3", "x-wav": "wav", wave: "wav" }

/** A part of a content as a part of a message. */
const chatPart = (part: unknown): ReadonlyArray<ContentBody> => {
  const { fileData, inlineData, text, ...others } = camel(part)
  const { data, displayName, fileUri, mimeType, ...unknown } = camel(inlineData ?? fileData)
  const more = { ...others, ...unknown }
  const google = isEmpty(more) ? {} : { google: more }
  if (typeof text === "string") return [{ type: "text", text, ...google }]
  if (data === undefined && fileUri === undefined) return [{ type: "google", google: camel(part) }]
  const type = String(mimeType ?? "")
  const [kind, format = "pdf"] = type.split("/")
  const url = String(fileUri ?? `data:${type};base64,${String(data)}`)
  if (fileUri !== undefined && KEPT.test(url))
    return [{ type: "file", file: { file_id: url, format: type }, ...google }]
  if (kind === "image") return [{ type: "image_url", image_url: { url }, ...google }]
  if (kind === "video" || YOUTUBE.test(url))
    return [{ type: "video_url", video_url: some({ url, format: mimeType }), ...google }]
  if (kind !== "audio") {
    return [{ type: "file", file: { filename: displayName ?? `document.${format}`, file_data: url }, ...google }]
  }
  if (data === undefined) return [{ type: "audio_url", audio_url: some({ url, format: mimeType }), ...google }]
  return [{ type: "input_audio", input_audio: { data, format: FORMATS[format] ?? format }, ...google }]
}
