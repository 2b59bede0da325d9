/** Content blocks, new (v1) and old forms, as parts of a message on the wire. */
import { GatewayInputError } from "../Errors.ts"
import { isLeftByServer, leaveOut } from "./ServerTools.ts"

export type WirePart = { readonly type: string } & Readonly<Record<string, unknown>>
type Block = Readonly<Record<string, unknown>>

/**
 * The part that a block becomes; undefined for what has its own place in a message (tool calls) or is the model's own (its
 * reasoning, its server's tools). Throws a `GatewayInputError` that says what would be right.
 */
export const toPart = (block: unknown): WirePart | undefined => {
  if (typeof block === "string") return { type: "text", text: block }
  const known = isBlock(block) ? parts[block.type] : undefined
  if (known === undefined && isBlock(block) && isLeftByServer(block.type)) return leaveOut(block.type)
  if (known === undefined) throw unsendable(block, `Blocks of type ${Object.keys(sendable).join(", ")} can be sent.`)
  return known(block as Block)
}

const isBlock = (block: unknown): block is Block & { readonly type: string } =>
  typeof block === "object" && block !== null && typeof (block as Block)["type"] === "string"

const unsendable = (block: unknown, advice: string): GatewayInputError => {
  const what = isBlock(block) ? `A content block of type \`${block.type}\`` : "A content block without a type"
  return new GatewayInputError(`${what} can't be sent to the gateway in this form. ${advice}`)
}

/** What a block of data refers to, whichever generation of LangChain, or vendor, it comes from. A data URL is data too. */
interface Source {
  readonly url?: string
  readonly data?: string
  readonly fileId?: string
  readonly text?: string
  readonly mimeType?: string
}

const sourceOf = (block: Block): Source => {
  const inner = isRecord(block["source"]) ? block["source"] : block
  const kind = block["source_type"] ?? inner["type"]
  const url = textOf(inner["url"])
  const [, urlType, urlData] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url ?? "") ?? []
  const source = {
    url,
    data: base64Of(inner["data"]) ?? urlData,
    fileId: textOf(block["fileId"]) ?? textOf(inner["file_id"]) ?? (kind === "id" ? textOf(block["id"]) : undefined),
    text: textOf(block["text"]),
    mimeType: textOf(block["mimeType"]) ?? textOf(block["mime_type"]) ?? textOf(inner["media_type"]) ?? urlType
  }
  return Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined))
}

const text = (block: Block): WirePart => ({
  type: "text",
  text: textOf(block["text"]) ?? "",
  // A mark that Anthropic's models understand.
  ...(block["cache_control"] === undefined ? {} : { cache_control: block["cache_control"] })
})

const image = (block: Block): WirePart => {
  const { data, mimeType, url } = sourceOf(block)
  const detail = isRecord(block["metadata"]) ? textOf(block["metadata"]["detail"]) : undefined
  if (url === undefined && data === undefined)
    throw unsendable(block, "An image needs a `url`, or `data` and `mimeType`.")
  if (url === undefined && mimeType === undefined) throw unsendable(block, "An image's `data` needs a `mimeType`.")
  const address = url ?? `data:${mimeType};base64,${data}`
  return { type: "image_url", image_url: { url: address, ...(detail === undefined ? {} : { detail }) } }
}

const imageUrl = (block: Block): WirePart => {
  const value = block["image_url"]
  return { type: "image_url", image_url: typeof value === "string" ? { url: value } : value }
}

const audio = (block: Block): WirePart => {
  const { data, mimeType } = sourceOf(block)
  if (data === undefined || mimeType === undefined) {
    throw unsendable(block, "Audio needs `data` (base64) and a `mimeType` such as audio/wav.")
  }
  const subtype = (mimeType.split("/")[1] ?? "").split(";")[0]!.replace(/^x-/, "")
  const format = subtype === "mpeg" ? "mp3" : subtype === "wave" || subtype === "vnd.wave" ? "wav" : subtype
  return { type: "input_audio", input_audio: { data, format } }
}

const file = (block: Block): WirePart => {
  if (isRecord(block["file"])) return { type: "file", file: block["file"] }
  const { data, fileId, mimeType, text: plain } = sourceOf(block)
  if (fileId !== undefined) return { type: "file", file: { file_id: fileId } }
  if (data === undefined && plain !== undefined) return { type: "text", text: plain }
  if (data === undefined || mimeType === undefined) {
    throw unsendable(block, "A file needs `data` (base64) and a `mimeType`, or a `fileId`.")
  }
  const filename = nameOf(block) ?? `file.${mimeType.split("/")[1]?.split(/[;+]/)[0] ?? "bin"}`
  return { type: "file", file: { filename, file_data: `data:${mimeType};base64,${data}` } }
}

const plainText = (block: Block): WirePart =>
  typeof block["text"] === "string" ? text(block) : file({ mimeType: "text/plain", ...block })

const asIs = (block: Block): WirePart => block as WirePart

const nonStandard = (block: Block): WirePart | undefined => {
  const { value } = block
  if (isBlock(value)) return isLeftByServer(value.type) ? leaveOut(value.type) : value
  throw unsendable(block, "Its `value` must be a part as the provider understands it, with a `type`.")
}

const sendable: Readonly<Record<string, (block: Block) => WirePart | undefined>> = {
  text,
  image,
  audio,
  file,
  "text-plain": plainText,
  image_url: imageUrl,
  input_audio: asIs,
  refusal: asIs,
  non_standard: nonStandard
}

const elsewhere = () => undefined
const parts: Readonly<Record<string, (block: Block) => WirePart | undefined>> = {
  ...sendable,
  text_delta: text,
  tool_call: elsewhere,
  tool_call_chunk: elsewhere,
  invalid_tool_call: elsewhere,
  tool_use: elsewhere,
  input_json_delta: elsewhere,
  reasoning: elsewhere,
  thinking: elsewhere,
  redacted_thinking: elsewhere
}

const isRecord = (value: unknown): value is Block => typeof value === "object" && value !== null

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const nameOf = (block: Block): string | undefined => {
  const metadata = isRecord(block["metadata"]) ? block["metadata"] : {}
  return [metadata["filename"], metadata["name"], metadata["title"], block["title"]].map(textOf).find(Boolean)
}

/** LangChain's blocks may hold bytes. In slices: a call takes only so many arguments. */
const base64Of = (value: unknown): string | undefined => {
  if (!(value instanceof Uint8Array)) return textOf(value)
  let binary = ""
  for (let at = 0; at < value.length; at += 32_768) binary += String.fromCharCode(...value.subarray(at, at + 32_768))
  return btoa(binary)
}
