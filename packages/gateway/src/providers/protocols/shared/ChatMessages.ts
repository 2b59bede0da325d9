/** Reads the messages of a chat for APIs that have another form for them. `param` is the place of something in the body, for refusals. */
import { parseArguments } from "../../json/BoundedJson.ts"
import { argumentsText, arrayOf, isObject, objectsIn, textOf, type JsonObject } from "../../json/LooseJson.ts"
import type { Losses } from "./Losses.ts"

export const eachMessage = (
  messages: unknown,
  losses: Losses,
  lower: (message: JsonObject, param: string) => ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  if (!Array.isArray(messages)) losses.refuse("messages", "`messages` must be a list")
  return arrayOf(messages).flatMap((message, index) => {
    const param = `messages[${index}]`
    if (isObject(message)) return lower(message, param)
    losses.refuse(param, "a message must be an object")
    return []
  })
}

/** Undefined: it was refused. */
export const roleOf = (
  { function_call: call, name, role }: JsonObject,
  param: string,
  vendor: string,
  losses: Losses
): "system" | "user" | "assistant" | "tool" | undefined => {
  if (textOf(name) !== undefined && role !== "tool") {
    losses.drop("messages.name", `${vendor} has no names of participants`)
  }
  if (role === "assistant" && isObject(call)) {
    losses.refuse(`${param}.function_call`, "`function_call` is not supported at this provider: use `tool_calls`")
  }
  if (role === "developer") return "system"
  if (role === "system" || role === "user" || role === "assistant" || role === "tool") return role
  losses.refuse(`${param}.role`, "`role` must be system, developer, user, assistant or tool at this provider")
  return undefined
}

export interface ChatCall {
  /** "" where it has none. */
  readonly id: string
  readonly name: unknown
  readonly arguments: unknown
  readonly param: string
  readonly own: JsonObject
}

export const callsIn = (message: JsonObject, param: string, losses: Losses): ReadonlyArray<ChatCall> =>
  arrayOf(message["tool_calls"]).flatMap((own, index) => {
    const place = `${param}.tool_calls[${index}]`
    const called = isObject(own) ? own["function"] : undefined
    if (isObject(own) && isObject(called)) {
      return [{ id: idOf(own["id"]), name: called["name"], arguments: called["arguments"], param: place, own }]
    }
    losses.refuse(place, "only function calls can be sent to this provider")
    return []
  })

export const functionCall = (id: unknown, call: Pick<ChatCall, "arguments" | "name">): JsonObject => ({
  id,
  type: "function",
  function: { name: call.name, arguments: argumentsText(call.arguments) || "{}" }
})

export const inputOf = ({ arguments: given, param }: ChatCall, losses: Losses): JsonObject => {
  if (argumentsText(given) === "") return {}
  const input = typeof given === "string" ? parseArguments(given) : given
  if (isObject(input)) return input
  losses.refuse(`${param}.function.arguments`, "`arguments` must be the JSON text of an object")
  return {}
}

export const idOf = (id: unknown): string => (typeof id === "string" ? id : "")

export const callIds = (messages: unknown): ReadonlyArray<string> =>
  objectsIn(messages).flatMap(({ tool_calls: calls }) =>
    arrayOf(calls).map((call) => idOf(isObject(call) ? call["id"] : ""))
  )

/** What `lower` makes of the parts of a message's content; a text is one part. Undefined: the part says nothing, or was refused. */
export const contentOf = <Part>(
  { content }: JsonObject,
  param: string,
  losses: Losses,
  lower: (part: JsonObject, param: string) => Part | undefined
): Array<Part> => {
  if (content === undefined || content === null) return []
  if (typeof content !== "string" && !Array.isArray(content)) {
    losses.refuse(`${param}.content`, "`content` must be a string or a list of parts")
  }
  const parts = typeof content === "string" ? [content] : arrayOf(content)
  return parts.flatMap((part, index) => {
    const place = `${param}.content[${index}]`
    if (typeof part === "string") return lower({ type: "text", text: part }, place) ?? []
    if (isObject(part)) return lower(part, place) ?? []
    losses.refuse(place, "a content part must be an object")
    return []
  })
}

const TEXTS: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text", "refusal"])

/** The text of a part, "" where it says nothing; undefined for a part of another kind. */
export const textIn = ({ refusal, text, type }: JsonObject): string | undefined => {
  const said = text ?? refusal
  return typeof said === "string" ? said : TEXTS.has(type) ? "" : undefined
}

/** The text of a message that can hold nothing else. Thoughts are read elsewhere. */
export const textContent = (message: JsonObject, param: string, losses: Losses): string =>
  contentOf(message, param, losses, (part) => {
    const text = part["type"] === "thinking" ? "" : textIn(part)
    if (text === undefined) losses.refuse(`${param}.content`, "this message can hold text only")
    return text
  }).join("")

export const refusePart = ({ type }: JsonObject, param: string, losses: Losses): undefined => {
  const name = textOf(type)
  const which = name === undefined ? "without a type" : `of type ${name.slice(0, 40)}`
  losses.refuse(param, `content parts ${which} can't be sent here`)
  return undefined
}

/** The URL of an image or another medium: an object with a `url` or, leniently, the URL itself. */
export const urlOf = (media: unknown): string | undefined => textOf(isObject(media) ? media["url"] : media)

/** An image as OpenAI's `image_url`; undefined when it was refused. */
export const imagePart = (image: unknown, param: string, losses: Losses): JsonObject | undefined => {
  const url = urlOf(image)
  const detail = isObject(image) ? textOf(image["detail"]) : undefined
  if (url !== undefined) return { type: "image_url", image_url: { url, ...(detail === undefined ? {} : { detail }) } }
  losses.refuse(`${param}.image_url`, "an image must be a base64 data: URL or an http(s) URL")
  return undefined
}

/** Reports that `vendor` can't be told how closely to look at an image. */
export const dropDetail = (image: unknown, vendor: string, losses: Losses): void => {
  const detail = isObject(image) ? (image["detail"] ?? "auto") : "auto"
  if (detail !== "auto" && detail !== "") losses.drop("image_url.detail", `${vendor} has no image detail setting`)
}

/** The data of a `file` part; undefined when it was refused. */
export const fileDataOf = (file: unknown, param: string, losses: Losses): string | undefined => {
  const data = isObject(file) ? textOf(file["file_data"]) : undefined
  if (!isObject(file)) losses.refuse(`${param}.file`, "`file` must be an object with `file_data`")
  else if (data === undefined) {
    losses.refuse(`${param}.file`, "files kept at another provider can't be used here: send `file_data`")
  }
  return data
}

interface DataUrl {
  /** Lower case, without parameters; `image/jpeg` for `image/jpg`, which is no media type but common. */
  readonly mediaType: string
  readonly base64: string
}

/** `data:<type>[;parameters];base64,<data>`; undefined for anything else. */
export const parseDataUrl = (url: string): DataUrl | undefined => {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1
  if (comma < 0) return undefined
  const [type = "", ...parameters] = url.slice("data:".length, comma).split(";")
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === "base64")
  if (type === "" || !isBase64) return undefined
  const mediaType = type.trim().toLowerCase()
  return { mediaType: mediaType === "image/jpg" ? "image/jpeg" : mediaType, base64: url.slice(comma + 1) }
}

/** The data of a file: base64 without a type is taken for a PDF. Undefined for a data URL without base64. */
export const parseFile = (data: string): DataUrl | undefined =>
  data.startsWith("data:") ? parseDataUrl(data) : { mediaType: "application/pdf", base64: data }
