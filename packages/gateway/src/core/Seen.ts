/** What a walk over the messages of a request finds: its last prompt, what it needs, and how large it is. */
import { Predicate } from "effect"
import type { JsonObject } from "./ChatRequest.ts"
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

/** What a walk over the messages finds. */
export class Seen {
  readonly needs = new Set<Capability>(["chat"])
  /** Characters that are not text: data URLs and base64 bodies. */
  private mediaCharacters = 0
  prompt = ""
  /** The last user message also holds images, recordings or files. */
  hasUnread = false
  /** Parts that are no text. */
  private media = 0
  private images = 0
  private otherMedia = 0
  private unseen = 0

  /** Of a body of so many bytes: what its text and its media come to. */
  sizes(bytes: number): { readonly inputBound: number; readonly textBound: number; readonly inputEstimate: number } {
    const text = Math.max(0, bytes - this.mediaCharacters)
    return {
      inputBound: text + FRAME_TOKENS + this.mediaTokens(IMAGE_BOUND),
      textBound: text + FRAME_TOKENS,
      inputEstimate: Math.ceil(text / BYTES_PER_TOKEN) + this.mediaTokens(IMAGE_ESTIMATE)
    }
  }

  private mediaTokens(perImage: number): number {
    const seen = this.images * perImage + Math.ceil(this.otherMedia / MEDIA_CHARACTERS_PER_TOKEN)
    return seen + this.unseen * UNSEEN_FILE
  }

  /** `path`: where it stands in the body, e.g. `messages[3]`. */
  message(message: unknown, path: string): InvalidField | undefined {
    if (!Predicate.isObject(message)) return mistake(path, `\`${path}\` must be an object, ${found(message)}`)
    const { content, role } = message as JsonObject
    if (typeof role !== "string" || role === "") {
      return mistake(`${path}.role`, `\`${path}.role\` must be a role such as "user", ${found(role)}`)
    }
    if (content === undefined || content === null) return undefined
    if (typeof content === "string") {
      if (role === "user") this.asked(content, false)
      return undefined
    }
    if (!Array.isArray(content)) {
      return mistake(`${path}.content`, `\`${path}.content\` must be a string or a list of parts, ${found(content)}`)
    }
    const texts: Array<string> = []
    const before = this.media
    for (let part = 0; part < content.length; part++) {
      const wrongPart = this.part(content[part], `${path}.content[${part}]`, texts)
      if (wrongPart !== undefined) return wrongPart
    }
    if (role === "user") this.asked(texts.join("\n"), this.media > before)
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
      case "image_url": {
        this.image()
        const image = fields["image_url"]
        const url = typeof image === "string" ? image : Predicate.hasProperty(image, "url") ? image.url : undefined
        if (typeof url !== "string") {
          return mistake(`${path}.image_url.url`, `\`${path}.image_url.url\` must be a URL, ${found(url)}`)
        }
        if (url.startsWith("data:")) this.mediaCharacters += url.length
        return undefined
      }
      case "input_image":
        this.image()
        if (typeof fields["image_url"] === "string" && fields["image_url"].startsWith("data:")) {
          this.mediaCharacters += fields["image_url"].length
        }
        return undefined
      case "input_audio":
        this.needs.add("audio")
        this.file(fields["input_audio"], "data")
        return undefined
      case "file":
        this.needs.add("files")
        this.file(fields["file"], "file_data")
        return undefined
      case "input_file":
        this.needs.add("files")
        this.file(fields, "file_data")
        return undefined
      default:
        // Of a kind that is not known here, such as a video: it is passed on, and nothing of it is read.
        this.media++
        return undefined
    }
  }

  private image(): void {
    this.needs.add("images")
    this.media++
    this.images++
  }

  private file(holder: unknown, field: string): void {
    this.media++
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

/** What a field holds; null and "" mean that it is absent. */
export const given = (fields: JsonObject, name: string): unknown => {
  const value = fields[name]
  return value === null || value === "" ? undefined : value
}

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1

export const found = (value: unknown): string =>
  value === undefined ? "and it is missing" : `not ${(JSON.stringify(value) ?? typeof value).slice(0, 60)}`

const mistake = (param: string, message: string) => new InvalidField({ param, message })
