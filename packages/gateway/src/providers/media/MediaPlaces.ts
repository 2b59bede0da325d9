/** Where a conversation has media by address, in the shapes of every API that callers speak; and the same with the bytes in place. */
import { isObject, objectOr, type JsonObject } from "../json/LooseJson.ts"

export type MediaKind = "image" | "file" | "audio"

/** In a field of a message or an item that lists parts. */
export interface MediaPlace {
  readonly kind: MediaKind
  readonly url: string
  readonly param: string
}

export interface Contents {
  readonly mediaType: string
  readonly base64: string
}

/** The fields of messages, items and parts that list parts. */
const LISTS = ["content", "output"]

const isWebUrl = (url: unknown): url is string => typeof url === "string" && /^\s*https?:/i.test(url)

/** In order. Results of tools, which are parts of Anthropic's messages, hold parts themselves. */
export const placesIn = (list: ReadonlyArray<unknown>, path: string): ReadonlyArray<MediaPlace> => {
  const places: Array<MediaPlace> = []
  const visit = (parts: ReadonlyArray<unknown>, at: string, depth: number): void => {
    for (const [index, part] of parts.entries()) {
      if (!isObject(part)) continue
      const held = heldIn(part)
      if (held !== undefined) places.push({ kind: held.kind, url: held.url, param: `${at}[${index}].${held.field}` })
      if (depth === 0) continue
      for (const field of LISTS) {
        const inner = part[field]
        if (Array.isArray(inner)) visit(inner, `${at}[${index}].${field}`, depth - 1)
      }
    }
  }
  visit(list, path, NESTED)
  return places
}

/** Messages hold parts, and results of tools among them hold parts. */
const NESTED = 2

const heldIn = (part: JsonObject) => {
  const found = addressIn(part)
  return found === undefined || !isWebUrl(found.url) ? undefined : { ...found, url: found.url.trim() }
}

const addressIn = (
  part: JsonObject
): { readonly kind: MediaKind; readonly field: string; readonly url: unknown } | undefined => {
  switch (part["type"]) {
    // Anthropic's.
    case "image":
      return { kind: "image", field: "source", url: objectOr(part["source"])["url"] }
    case "document":
      return { kind: "file", field: "source", url: objectOr(part["source"])["url"] }
    // As an object or, leniently, the URL itself.
    case "image_url":
    case "input_image":
      return { kind: "image", field: "image_url", url: addressOf(part["image_url"]) }
    case "audio_url":
      return { kind: "audio", field: "audio_url", url: addressOf(part["audio_url"]) }
    case "input_file":
      return isWebUrl(part["file_url"])
        ? { kind: "file", field: "file_url", url: part["file_url"] }
        : { kind: "file", field: "file_data", url: part["file_data"] }
    case "file":
      return { kind: "file", field: "file.file_data", url: objectOr(part["file"])["file_data"] }
    default:
      return undefined
  }
}

const addressOf = (given: unknown): unknown => (isObject(given) ? given["url"] : given)

/** `list` with the contents of each address in its place; what is not among `found` stays as it is. */
export const placed = (
  list: ReadonlyArray<unknown>,
  path: string,
  found: ReadonlyMap<string, Contents>,
  depth = NESTED
): ReadonlyArray<unknown> =>
  list.map((part, index) => {
    if (!isObject(part)) return part
    const at = `${path}[${index}]`
    const held = heldIn(part)
    const contents = held === undefined ? undefined : found.get(`${at}.${held.field}`)
    const whole = contents === undefined ? part : withContents(part, contents)
    if (depth === 0) return whole
    const lists = LISTS.flatMap((field) => {
      const inner = whole[field]
      return Array.isArray(inner) ? [[field, placed(inner, `${at}.${field}`, found, depth - 1)] as const] : []
    })
    return lists.length === 0 ? whole : { ...whole, ...Object.fromEntries(lists) }
  })

const withContents = (part: JsonObject, { base64, mediaType }: Contents): JsonObject => {
  const url = `data:${mediaType};base64,${base64}`
  switch (part["type"]) {
    case "image":
      return { ...part, source: { type: "base64", media_type: mediaType, data: base64 } }
    case "document":
      return mediaType.startsWith("text/")
        ? {
            ...part,
            source: { type: "text", media_type: "text/plain", data: Buffer.from(base64, "base64").toString() }
          }
        : { ...part, source: { type: "base64", media_type: mediaType, data: base64 } }
    case "input_image":
      return { ...part, image_url: url }
    case "input_file": {
      const { file_url: address, ...rest } = part
      return { filename: nameOf(address ?? part["file_data"]), ...rest, file_data: url }
    }
    case "file": {
      const file = objectOr(part["file"])
      return { ...part, file: { filename: nameOf(file["file_data"]), ...file, file_data: url } }
    }
    case "audio_url":
      return { ...part, audio_url: isObject(part["audio_url"]) ? { ...part["audio_url"], url } : { url } }
    default:
      return { ...part, image_url: isObject(part["image_url"]) ? { ...part["image_url"], url } : { url } }
  }
}

/** The last part of an address, for vendors that want files to have a name. */
const nameOf = (address: unknown): string => {
  const path = typeof address === "string" ? (URL.parse(address.trim())?.pathname ?? "") : ""
  return /([^/]{1,100})$/.exec(path)?.[1] ?? "document"
}
