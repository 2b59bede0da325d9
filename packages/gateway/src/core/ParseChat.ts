/**
 * Reads a chat request leniently: unknown fields pass, `null` and `""` mean absent; what the gateway needs itself is checked, each
 * mistake named by its path.
 */
import { Predicate, Result } from "effect"
import type { ChatRequest, JsonObject } from "./ChatRequest.ts"
import type { Capability } from "./Deployment.ts"
import { InvalidField } from "./Errors.ts"

/** Tokens an image can cost at the vendors that bill the most for one; files and audio count by their size. */
const IMAGE_BOUND = 4_000
const IMAGE_ESTIMATE = 800
/** Base64 characters per token of a PDF or a recording, at the dense end. */
const MEDIA_CHARACTERS_PER_TOKEN = 8
/** A file of some 30 pages, for files that come by id or address. */
const UNSEEN_FILE = 50_000
/** What an API adds around messages, tools and the answer's start. */
const FRAME_TOKENS = 32
/** English prose has about four bytes a token, code and JSON fewer. */
const BYTES_PER_TOKEN = 3.5

const MAX_CHOICES = 128
/** No model writes as much; to reserve more would be no amount of money. */
const MAX_OUTPUT = 10_000_000

/** `body` as parsed from `bytes` bytes of JSON. */
export const parseChat = (body: unknown, bytes: number): Result.Result<ChatRequest, InvalidField> => {
  if (!Predicate.isObject(body) || Array.isArray(body)) return wrong("body", "the body must be a JSON object")
  const fields = body as JsonObject
  const { messages, model } = fields
  if (typeof model !== "string" || model === "") {
    return wrong("model", `\`model\` must be a model name or "auto", ${found(model)}`)
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    return wrong("messages", `\`messages\` must be a list of at least one message, ${found(messages)}`)
  }
  const seen = new Seen()
  for (let index = 0; index < messages.length; index++) {
    const mistake = seen.message(messages[index], index)
    if (mistake !== undefined) return Result.fail(mistake)
  }
  const stream = given(fields, "stream") ?? false
  if (typeof stream !== "boolean") return wrong("stream", `\`stream\` must be true or false, ${found(stream)}`)
  const choices = given(fields, "n") ?? 1
  if (!isCount(choices) || choices > MAX_CHOICES) {
    return wrong("n", `\`n\` must be a whole number from 1 to ${MAX_CHOICES}, ${found(choices)}`)
  }
  for (const name of ["max_completion_tokens", "max_tokens"]) {
    const limit = given(fields, name)
    if (limit !== undefined && (!isCount(limit) || limit > MAX_OUTPUT)) {
      return wrong(name, `\`${name}\` must be a whole number from 1 to ${MAX_OUTPUT}, ${found(limit)}`)
    }
  }
  for (const name of ["tools", "functions"]) {
    const tools = given(fields, name)
    if (tools === undefined) continue
    if (!Array.isArray(tools)) return wrong(name, `\`${name}\` must be a list, ${found(tools)}`)
    if (tools.length > 0) seen.needs.add("tools")
  }
  const options = fields["stream_options"]
  const format = fields["response_format"]
  if (stream) seen.needs.add("stream")
  if (Predicate.hasProperty(format, "type") && format.type === "json_schema") seen.needs.add("json_schema")
  const text = Math.max(0, bytes - seen.mediaCharacters)
  return Result.succeed({
    body: fields,
    model,
    stream,
    includeUsage: Predicate.hasProperty(options, "include_usage") && options.include_usage === true,
    prompt: seen.prompt,
    needs: [...seen.needs],
    inputBound: text + FRAME_TOKENS + seen.mediaTokens(IMAGE_BOUND),
    textBound: text + FRAME_TOKENS,
    inputEstimate: Math.ceil(text / BYTES_PER_TOKEN) + seen.mediaTokens(IMAGE_ESTIMATE),
    maxOutput: outputLimit(fields),
    choices
  })
}

/** What a field holds; null and "" mean that it is absent. */
const given = (fields: JsonObject, name: string): unknown => {
  const value = fields[name]
  return value === null || value === "" ? undefined : value
}

const outputLimit = (fields: JsonObject): number | undefined => {
  const newer = fields["max_completion_tokens"]
  const older = fields["max_tokens"]
  return isCount(newer) ? newer : isCount(older) ? older : undefined
}

/** What a walk over the messages finds. */
class Seen {
  readonly needs = new Set<Capability>(["chat"])
  /** Characters that are not text: data URLs and base64 bodies. */
  mediaCharacters = 0
  prompt = ""
  private images = 0
  private otherMedia = 0
  private unseen = 0

  mediaTokens(perImage: number): number {
    const seen = this.images * perImage + Math.ceil(this.otherMedia / MEDIA_CHARACTERS_PER_TOKEN)
    return seen + this.unseen * UNSEEN_FILE
  }

  message(message: unknown, index: number): InvalidField | undefined {
    const path = `messages[${index}]`
    if (!Predicate.isObject(message)) return mistake(path, `\`${path}\` must be an object, ${found(message)}`)
    const { content, role } = message as JsonObject
    if (typeof role !== "string" || role === "") {
      return mistake(`${path}.role`, `\`${path}.role\` must be a role such as "user", ${found(role)}`)
    }
    if (content === undefined || content === null) return undefined
    if (typeof content === "string") {
      if (role === "user") this.prompt = content
      return undefined
    }
    if (!Array.isArray(content)) {
      return mistake(`${path}.content`, `\`${path}.content\` must be a string or a list of parts, ${found(content)}`)
    }
    const texts: Array<string> = []
    for (let part = 0; part < content.length; part++) {
      const wrongPart = this.part(content[part], `${path}.content[${part}]`, texts)
      if (wrongPart !== undefined) return wrongPart
    }
    if (role === "user") this.prompt = texts.join("\n")
    return undefined
  }

  private part(part: unknown, path: string, texts: Array<string>): InvalidField | undefined {
    if (typeof part === "string") {
      texts.push(part)
      return undefined
    }
    if (!Predicate.isObject(part)) return mistake(path, `\`${path}\` must be an object, ${found(part)}`)
    const fields = part as JsonObject
    switch (fields["type"]) {
      case "text":
        if (typeof fields["text"] !== "string") {
          return mistake(`${path}.text`, `\`${path}.text\` must be a string, ${found(fields["text"])}`)
        }
        texts.push(fields["text"])
        return undefined
      case "image_url": {
        this.needs.add("images")
        this.images++
        const image = fields["image_url"]
        const url = typeof image === "string" ? image : Predicate.hasProperty(image, "url") ? image.url : undefined
        if (typeof url !== "string") {
          return mistake(`${path}.image_url.url`, `\`${path}.image_url.url\` must be a URL, ${found(url)}`)
        }
        if (url.startsWith("data:")) this.mediaCharacters += url.length
        return undefined
      }
      case "input_audio":
        this.needs.add("audio")
        this.media(fields["input_audio"], "data")
        return undefined
      case "file":
        this.needs.add("files")
        this.media(fields["file"], "file_data")
        return undefined
      default:
        return undefined
    }
  }

  private media(holder: unknown, field: string): void {
    const data = Predicate.isObject(holder) ? (holder as JsonObject)[field] : undefined
    if (typeof data !== "string") {
      // Only named: how long it is nobody here knows.
      this.unseen++
      return
    }
    this.mediaCharacters += data.length
    this.otherMedia += data.length
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1

const found = (value: unknown): string =>
  value === undefined ? "and it is missing" : `not ${(JSON.stringify(value) ?? typeof value).slice(0, 60)}`

const mistake = (param: string, message: string) => new InvalidField({ param, message })

const wrong = (param: string, message: string) => Result.fail(mistake(param, message))
