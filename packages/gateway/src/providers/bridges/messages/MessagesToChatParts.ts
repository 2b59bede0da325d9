import { arrayOf, isObject, textOf, isText, type JsonObject } from "../../json/LooseJson.ts"
import { markOf } from "../../protocols/shared/CacheMarks.ts"
import type { Losses } from "../../protocols/shared/Losses.ts"

/** `path`: the block's place in the body. */
export const chatParts = (block: JsonObject, path: string, losses: Losses): ReadonlyArray<JsonObject> => {
  const parts = unmarked(block, path, losses)
  const last = parts.at(-1)
  return last === undefined || block["cache_control"] === undefined
    ? parts
    : [...parts.slice(0, -1), { ...last, ...markOf(block) }]
}

const unmarked = (block: JsonObject, path: string, losses: Losses): ReadonlyArray<JsonObject> => {
  switch (block["type"]) {
    case "text":
      return textPart(block["text"])
    case "image":
      return image(block["source"], path, losses)
    case "document":
      return document(block, path, losses)
    case "search_result":
      return textPart([block["title"], block["source"], ...innerTexts(block["content"])].filter(isText).join("\n"))
    case "tool_reference":
      return textPart(block["tool_name"])
    default:
      losses.refuse(path, `this provider can't read a block of type ${JSON.stringify(block["type"])}`)
      return []
  }
}

/** Empty parts are refused by some servers. */
const textPart = (text: unknown): ReadonlyArray<JsonObject> => (isText(text) ? [{ type: "text", text }] : [])

const innerTexts = (content: unknown): ReadonlyArray<unknown> =>
  arrayOf(content).map((inner) => (isObject(inner) ? inner["text"] : undefined))

const image = (source: unknown, path: string, losses: Losses): ReadonlyArray<JsonObject> => {
  const url = urlOf(source)
  if (url !== undefined) return [{ type: "image_url", image_url: { url } }]
  losses.refuse(
    `${path}.source`,
    "an image must be base64 data or a URL at this provider, not a file kept at another one"
  )
  return []
}

const urlOf = (source: unknown): string | undefined => {
  if (!isObject(source)) return undefined
  const { data, media_type: type, url } = source
  if (source["type"] === "url") return textOf(url)
  return source["type"] === "base64" && isText(data) ? `data:${String(type)};base64,${data}` : undefined
}

const document = (block: JsonObject, path: string, losses: Losses): ReadonlyArray<JsonObject> => {
  const { context, source, title } = block
  const named = [title, context].filter(isText)
  if (isObject(source) && source["type"] === "text")
    return textPart([...named, source["data"]].filter(isText).join("\n"))
  if (isObject(source) && source["type"] === "content") {
    const { content } = source
    if (typeof content === "string") return textPart([...named, content].join("\n"))
    const parts = arrayOf(content).flatMap((part, index) =>
      isObject(part) ? chatParts(part, `${path}.source.content[${index}]`, losses) : []
    )
    return [...textPart(named.join("\n")), ...parts]
  }
  const data = urlOf(source)
  if (data === undefined) {
    losses.refuse(
      `${path}.source`,
      "a document must be text, base64 data or a URL at this provider, not a file kept at another one"
    )
    return []
  }
  return [{ type: "file", file: { filename: textOf(title) ?? "document.pdf", file_data: data } }]
}
