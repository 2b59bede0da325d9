/** Collects from the messages of a request its last prompt, the capabilities it needs, and its size. */
import { Predicate } from "effect"
import type { CallRequest } from "./CallRequest.ts"
import type { JsonObject } from "../domain/Json.ts"
import { mediaBits } from "./RequestFeatures.ts"
import { isWebUrl, type MediaPart, type PartKind } from "../media/Contents.ts"
import { isMediaType, sentKind, typeByName, typeInUrl } from "../media/MediaTypes.ts"
import type { Capability } from "../domain/Deployment.ts"
import { InvalidField } from "../domain/Errors.ts"

const IMAGE_ESTIMATE = 800
/** Base64 characters per token of a file: of a PDF that is dense, and of a recording with 64 kbit/s and 32 tokens a second. */
const FILE_CHARACTERS_PER_TOKEN = 8
const SOUND_CHARACTERS_PER_TOKEN = 333
/** Tokens of a file that comes by id or address: some 30 pages. */
const UNSEEN_FILE = 50_000
/** Tokens that an API adds at the start; marks between messages are covered by the bytes of their JSON. */
const FRAME_TOKENS = 128
/** Added for tools and schemas. Recorded: 346 tokens at Anthropic, 345 for Llama 4 at Groq, 360 at Snowflake. */
const TOOL_FRAME_TOKENS = 1_024
/** English prose has about four bytes a token, code and JSON fewer. */
export const BYTES_PER_TOKEN = 3.5

const NONE: ReadonlyArray<MediaPart> = []

/** Anthropic's blocks that are no more than their own text. A page that was fetched may be a PDF. */
const WRITTEN_OUT = /^(?:mcp_tool_use|tool_(?:addition|removal|reference)|(?!web_fetch_).*_tool_result)$/

type RequestSizes = Pick<CallRequest, "textBound" | "mediaEstimate" | "inputEstimate">

export class RequestScan {
  /** Each of them once. */
  readonly needs: Array<Capability> = ["chat"]
  /** Bits of `Features.ts`. */
  features = 0
  /** Characters of non-text content: data URLs and base64. */
  private mediaCharacters = 0
  prompt = ""
  /** The last user message also holds images, recordings or files. */
  hasUnread = false
  /** The non-text parts; undefined while there are none. */
  private parts: Array<MediaPart> | undefined
  private images = 0
  private fileCharacters = 0
  private soundCharacters = 0
  private unseen = 0

  /** The sizes of text and media in a body of that many bytes. */
  sizes(bytes: number): RequestSizes {
    const text = Math.max(0, bytes - this.mediaCharacters)
    const hasSchemas = this.needs.includes("tools") || this.needs.includes("json_schema")
    const seen = this.fileCharacters / FILE_CHARACTERS_PER_TOKEN + this.soundCharacters / SOUND_CHARACTERS_PER_TOKEN
    const files = Math.ceil(seen) + this.unseen * UNSEEN_FILE
    const mediaEstimate = this.images * IMAGE_ESTIMATE + files
    return {
      textBound: text + FRAME_TOKENS + (hasSchemas ? TOOL_FRAME_TOKENS : 0),
      mediaEstimate,
      inputEstimate: Math.ceil(text / BYTES_PER_TOKEN) + mediaEstimate
    }
  }

  /** All that a request says with these messages, in a body of that many bytes. */
  summary(bytes: number): RequestSizes & Pick<CallRequest, "features" | "hasUnread" | "media" | "needs" | "prompt"> {
    const { features, hasUnread, media, needs, prompt } = this
    return { ...this.sizes(bytes), prompt, hasUnread, needs, features, media }
  }

  get media(): ReadonlyArray<MediaPart> {
    return this.parts ?? NONE
  }

  need(capability: Capability): void {
    if (!this.needs.includes(capability)) this.needs.push(capability)
  }

  /** `path`: the message's place in the body, e.g. `messages[3]`. */
  message(message: unknown, path: string): InvalidField | undefined {
    if (!Predicate.isObject(message)) return mistake(path, `\`${path}\` must be an object, ${found(message)}`)
    const fields = message as JsonObject
    const { content, role } = fields
    if (typeof role !== "string" || role === "") {
      return mistake(`${path}.role`, `\`${path}.role\` must be a role such as "user", ${found(role)}`)
    }
    // A spoken answer from earlier, referred to by its id.
    if (role === "assistant" && Predicate.isObject(fields["audio"])) this.add("audio", `${path}.audio`)
    if (content === undefined || content === null) return undefined
    if (typeof content === "string") {
      if (role === "user") this.asked(content, false)
      return undefined
    }
    if (!Array.isArray(content)) {
      return mistake(`${path}.content`, `\`${path}.content\` must be a string or a list of parts, ${found(content)}`)
    }
    const texts: Array<string> = []
    const before = this.media.length
    for (let part = 0; part < content.length; part++) {
      const wrongPart = this.part(content[part], `${path}.content[${part}]`, texts)
      if (wrongPart !== undefined) return wrongPart
    }
    if (role === "user") this.asked(texts.join("\n"), this.media.length > before)
    return undefined
  }

  private asked(prompt: string, hasUnread: boolean): void {
    this.prompt = prompt
    this.hasUnread = hasUnread
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
      case "input_text":
      case "output_text":
        if (typeof fields["text"] !== "string") {
          return mistake(`${path}.text`, `\`${path}.text\` must be a string, ${found(fields["text"])}`)
        }
        texts.push(fields["text"])
        return undefined
      case "refusal":
      case "thinking":
      case "redacted_thinking":
      case "reasoning":
      case "tool_use":
      case "server_tool_use":
      case "search_result":
        // A part with a text under another field name.
        return undefined
      case "image_url": {
        const image = fields["image_url"]
        const url = typeof image === "string" ? image : Predicate.hasProperty(image, "url") ? image.url : undefined
        if (typeof url !== "string") {
          return mistake(`${path}.image_url.url`, `\`${path}.image_url.url\` must be a URL, ${found(url)}`)
        }
        this.image(path, fields, url, Predicate.hasProperty(image, "detail") ? image.detail : fields["detail"])
        return undefined
      }
      case "input_image":
      case "image":
        this.image(path, fields, sourceOf(fields, "image_url", "image", "source", "url"), fields["detail"])
        return undefined
      case "input_audio":
      case "audio":
      case "audio_url":
        this.need("audio")
        this.file("audio", path, fields, sourceOf(fields, "input_audio", "audio", "audio_url", "source"))
        return undefined
      case "file":
      case "input_file":
      case "document":
      case "document_url": {
        const inside = fields["type"] === "document" ? fields["source"] : undefined
        if (isTextSource(inside)) return undefined
        this.need("files")
        // A document of blocks, which may be images.
        if (Predicate.hasProperty(inside, "content") && Array.isArray(inside.content)) {
          return this.nested(inside.content, `${path}.source.content`, [])
        }
        this.file(
          "file",
          path,
          fields,
          sourceOf(fields, "file", "file_data", "document_url", "document", "source", "file_url")
        )
        return undefined
      }
      case "video":
      case "video_url":
      case "input_video":
        this.file("video", path, fields, sourceOf(fields, "video_url", "input_video", "video", "source"))
        return undefined
      case "tool_result":
        // What a tool said is no part of what the user asked.
        return Array.isArray(fields["content"]) ? this.nested(fields["content"], `${path}.content`, []) : undefined
      default:
        if (typeof fields["type"] === "string" && WRITTEN_OUT.test(fields["type"])) return undefined
        // A part of an unknown kind is forwarded unread.
        this.add("other", path, fields)
        return undefined
    }
  }

  nested(parts: ReadonlyArray<unknown>, path: string, texts: Array<string>): InvalidField | undefined {
    for (let index = 0; index < parts.length; index++) {
      const wrong = this.part(parts[index], `${path}[${index}]`, texts)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }

  /** A part that is not read further. */
  add(kind: PartKind, path: string, part?: JsonObject, source?: string, detail?: unknown): void {
    this.parts ??= []
    this.features |= mediaBits(kind)
    const fileId = part === undefined || source !== undefined ? undefined : fileIdIn(part, path)
    const shown = typeof detail === "string" ? detail : undefined
    const names = part === undefined ? NO_NAMES : namesIn(part, source)
    this.parts.push({
      kind: sentKind(kind, names.filter(isMediaType), source ?? (part === undefined ? undefined : addressIn(part))),
      path,
      source,
      detail: shown,
      ...(names.length === 0 ? {} : { names }),
      ...(fileId === undefined ? {} : { fileId })
    })
  }

  image(path: string, part: JsonObject, source: string | undefined, detail: unknown): void {
    this.need("images")
    this.pastImage(path, part, source, detail)
  }

  /** An image of an earlier response: a model that takes no images gets the conversation without it. */
  pastImage(path: string, part: JsonObject, source: string | undefined, detail: unknown): void {
    this.images++
    this.add("image", path, part, source, detail)
    if (source !== undefined && !isWebUrl(source)) this.mediaCharacters += source.length
  }

  private file(kind: PartKind, path: string, part: JsonObject, source: string | undefined): void {
    this.add(kind, path, part, source)
    if (source === undefined || isWebUrl(source)) {
      // A part with an id or an address only: its length is unknown.
      if (kind !== "video") this.unseen++
      return
    }
    this.mediaCharacters += source.length
    if (kind === "audio") this.soundCharacters += source.length
    else this.fileCharacters += source.length
  }
}

/** A document that is plain text. */
const isTextSource = (source: unknown): boolean => Predicate.hasProperty(source, "type") && source.type === "text"

/** Fields that hold a part's content, as text or in an object. */
const HELD_AS = ["data", "file_data", "url", "file_url"]

/** Undefined also where there are several, as nobody knows which of them a provider reads. */
const sourceOf = (fields: JsonObject, ...names: ReadonlyArray<string>): string | undefined => {
  const [source, ...others] = names.flatMap((name): ReadonlyArray<string> => {
    const holder = fields[name]
    const held: ReadonlyArray<unknown> = Predicate.isObject(holder)
      ? HELD_AS.map((inner) => (holder as JsonObject)[inner])
      : [holder]
    return held.filter((one): one is string => typeof one === "string" && one !== "")
  })
  return others.length === 0 && fileIdIn(fields, "") === undefined ? source : undefined
}

/** Where a part names a file at its provider by its id: `file_id`, by itself or in the object that would hold the content. */
const fileIdIn = (part: JsonObject, path: string): string | undefined => {
  if (typeof part["file_id"] === "string") return `${path}.file_id`
  for (const name in part) {
    const holder = part[name]
    if (Predicate.hasProperty(holder, "file_id") && typeof holder.file_id === "string") return `${path}.${name}.file_id`
  }
  return undefined
}

const NO_NAMES: ReadonlyArray<string> = []
const TYPE_FIELDS = ["format", "mime_type", "media_type"]

/** What a part says of its type: in fields, its data URL and the ending of its address. Protocols send different ones. */
const namesIn = (part: JsonObject, source: string | undefined): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (const holder of [part, ...Object.values(part)]) {
    if (!Predicate.isObject(holder)) continue
    for (const field of TYPE_FIELDS) {
      const name = (holder as JsonObject)[field]
      if (typeof name === "string" && name !== "") names.push(name.split(";")[0]!.trim().toLowerCase())
    }
  }
  const inUrl = source === undefined ? undefined : typeInUrl(source)
  if (inUrl !== undefined) names.push(inUrl)
  const address = source ?? addressIn(part)
  const ending = address === undefined || !isWebUrl(address) ? undefined : typeByName(address)
  if (ending !== undefined) names.push(ending)
  return names
}

/** Providers take some addresses as the id of a file. */
const addressIn = (part: JsonObject): string | undefined => {
  for (const holder of [part, ...Object.values(part)]) {
    if (!Predicate.hasProperty(holder, "file_id") || typeof holder.file_id !== "string") continue
    return holder.file_id
  }
  return undefined
}

/** The value of a field; null and "" count as absent. */
export const given = (value: unknown): unknown => (value === null || value === "" ? undefined : value)

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1

export const found = (value: unknown): string =>
  value === undefined ? "and it is missing" : `not ${(JSON.stringify(value) ?? typeof value).slice(0, 60)}`

const mistake = (param: string, message: string) => new InvalidField({ param, message })
