/** What a request holds, as a provider counts it: both wire formats are read by the same walk. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Holds } from "./Media.ts"
import type { Rules } from "./Rules.ts"

/** What files and images hold, by their data, address or id. */
export type Told = ReadonlyMap<string, Holds>

export interface Reading {
  /** Tokens, without those of audio. */
  readonly input: number
  readonly audio: number
  /** Parts of kinds that no document names. */
  readonly strange: number
  /** Why the request can't be served; undefined when it can. */
  readonly refusal: string | undefined
  /** Tokens up to the last `cache_control`. */
  readonly marked: number
}

export const readingOf = (body: JsonObject, rules: Rules, told: Told): Reading => {
  const walk = new Walk(rules, told)
  const { messages, system } = body
  if (system !== undefined) walk.content(system)
  for (const message of listOf(messages)) walk.message(message)
  const tools = listOf(body["tools"])
  if (tools.length > 0) walk.input += rules.tools + rules.text(JSON.stringify(tools))
  for (const field of ["response_format", "output_config"]) {
    if (body[field] !== undefined) walk.input += rules.text(JSON.stringify(body[field]))
  }
  const { audio, input, marked, refusal, strange } = walk
  return { input: input + rules.request, audio, strange, refusal, marked }
}

class Walk {
  input = 0
  audio = 0
  strange = 0
  marked = 0
  refusal: string | undefined
  private readonly rules: Rules
  private readonly told: Told

  constructor(rules: Rules, told: Told) {
    this.rules = rules
    this.told = told
  }

  message(message: JsonObject): void {
    this.input += this.rules.message
    if (message["name"] !== undefined) this.input += this.rules.name + this.rules.text(String(message["name"]))
    if (message["tool_calls"] !== undefined) this.text(JSON.stringify(message["tool_calls"]))
    this.content(message["content"])
  }

  content(content: unknown): void {
    if (typeof content === "string") this.text(content)
    else for (const part of listOf(content)) this.part(part)
  }

  private part(part: JsonObject): void {
    switch (part["type"]) {
      case "text":
      case "thinking":
        this.text(String(part["text"] ?? part["thinking"] ?? ""))
        break
      case "image_url":
        this.media(field(part, "image_url", "url"), "image", String(field(part, "image_url", "detail") ?? "auto"))
        break
      case "image":
      case "document":
        if (field(part, "source", "type") === "text") this.text(String(field(part, "source", "data")))
        else this.media(field(part, "source", "data") ?? field(part, "source", "url"), "file", "auto")
        break
      case "file":
        this.media(field(part, "file", "file_data") ?? field(part, "file", "file_id"), "file", "auto")
        break
      case "input_audio":
        this.media(field(part, "input_audio", "data"), "audio", "auto")
        break
      case "video_url":
        this.media(field(part, "video_url", "url"), "video", "auto")
        break
      case "tool_use":
        this.text(JSON.stringify([part["name"], part["input"]]))
        break
      case "tool_result":
        this.content(part["content"])
        break
      default:
        this.strange++
        this.text(JSON.stringify(part))
    }
    if (part["cache_control"] !== undefined) this.marked = this.input
  }

  private text(text: string): void {
    this.input += this.rules.text(text)
  }

  private media(given: unknown, what: string, detail: string): void {
    const name = String(given)
    const holds = this.told.get(name.startsWith("data:") ? name.slice(name.indexOf(",") + 1) : name)
    const { rules } = this
    if (holds === undefined) this.refusal = `the ${what} can't be read`
    else if (holds.kind === "image") this.input += rules.image(holds.width, holds.height, detail)
    else if (holds.kind === "pages") for (const page of holds.pages) this.input += rules.page(page)
    else if (holds.kind === "audio" && rules.audio !== undefined) this.audio += rules.audio(holds.seconds)
    else if (holds.kind === "video" && rules.video !== undefined) this.input += rules.video(holds.seconds)
    else this.refusal = `this model takes no ${holds.kind}`
  }
}

const field = (part: JsonObject, name: string, inner: string): unknown => {
  const value = part[name]
  if (typeof value !== "object" || value === null) return inner === "url" ? value : undefined
  return (value as JsonObject)[inner]
}

const listOf = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? (value as ReadonlyArray<JsonObject>) : []
