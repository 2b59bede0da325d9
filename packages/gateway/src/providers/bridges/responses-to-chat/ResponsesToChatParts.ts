/** The parts of an item's content as chat has them. */
import { Unsupported } from "../../../core/domain/Failures.ts"
import { isObject, objectsIn, textOf, type JsonObject } from "../../json/LooseJson.ts"

type BridgedParts = string | ReadonlyArray<JsonObject>

/** A text stays one. `path`: of the list, for refusals. */
export const partsOf = (content: unknown, path: string): BridgedParts | Unsupported => {
  if (typeof content === "string") return content
  const parts: Array<JsonObject> = []
  for (const [index, part] of objectsIn(content).entries()) {
    const own = partOf(part)
    if (own === undefined) {
      const param = `${path}[${index}]`
      const type = String(part["type"]).slice(0, 40)
      return new Unsupported({ param, message: `\`${param}\` of type ${type} can't be sent to this model` })
    }
    parts.push(own)
  }
  const [only] = parts
  if (only === undefined) return ""
  return parts.length === 1 && only["type"] === "text" ? String(only["text"]) : parts
}

const partOf = (part: JsonObject): JsonObject | undefined => {
  switch (part["type"]) {
    case "text":
    case "input_text":
    case "output_text":
    case "reasoning_text":
    case "summary_text":
      return { type: "text", text: part["text"] ?? "" }
    case "refusal":
      return { type: "text", text: part["refusal"] ?? "" }
    case "input_image":
      return image(part)
    case "input_file":
      return file(part)
    case "input_audio":
    case "image_url":
    case "file":
      return part
    default:
      return undefined
  }
}

/** Files that were uploaded to a provider are there only. */
const image = ({ detail, image_url: url }: JsonObject): JsonObject | undefined => {
  const address = textOf(isObject(url) ? url["url"] : url)
  if (address === undefined) return undefined
  return { type: "image_url", image_url: { url: address, ...(textOf(detail) && { detail }) } }
}

const file = ({ file_data: data, file_id: id, file_url: url, filename }: JsonObject): JsonObject | undefined => {
  const given = textOf(data) ?? textOf(url)
  const name = textOf(filename)
  if (given === undefined && textOf(id) === undefined) return undefined
  return {
    type: "file",
    file: {
      ...(given === undefined ? { file_id: id } : { file_data: given }),
      ...(name === undefined ? undefined : { filename: name })
    }
  }
}

/** All text of a content, refusals left out. */
export const textOfParts = (content: unknown): string =>
  typeof content === "string"
    ? content
    : objectsIn(content)
        .flatMap((part) => textOf(part["text"]) ?? [])
        .join("\n")

export const hasMedia = (parts: BridgedParts): parts is ReadonlyArray<JsonObject> =>
  typeof parts !== "string" && parts.some((part) => part["type"] !== "text")
