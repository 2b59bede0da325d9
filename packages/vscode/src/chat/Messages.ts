/** The editor's turns as chat messages. */
import type { ChatRequest } from "@model-gateway/client"
import type { Part, Turn } from "./Turns.ts"

type ChatMessage = ChatRequest["messages"][number]
type Content = { readonly [field: string]: unknown }

export const messagesOf = (turns: ReadonlyArray<Turn>): ReadonlyArray<ChatMessage> => turns.flatMap(messagesOfTurn)

const messagesOfTurn = (turn: Turn): ReadonlyArray<ChatMessage> =>
  turn.role === "assistant" ? said(turn.parts) : [...turn.parts.flatMap(toolMessages), ...asked(turn)]

/** What the model said and called. What it thought is not given back: no two providers take it alike. */
const said = (parts: ReadonlyArray<Part>): ReadonlyArray<ChatMessage> => {
  const text = textOf(parts)
  const calls = parts.flatMap((part) =>
    part.kind === "call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: JSON.stringify(part.input) } }]
      : []
  )
  if (text === "" && calls.length === 0) return []
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  ]
}

/** Tools answer with text; a picture of theirs follows as the user's, since few providers take one from a tool. */
const toolMessages = (part: Part): ReadonlyArray<ChatMessage> =>
  part.kind === "result"
    ? [{ role: "tool", tool_call_id: part.id, content: textOf(part.parts) || emptyResult(part.parts) }]
    : []

const emptyResult = (parts: ReadonlyArray<Part>): string =>
  parts.some((part) => contentOf(part) !== undefined) ? "(The result follows.)" : "(Nothing.)"

const asked = ({ parts, role }: Turn): ReadonlyArray<ChatMessage> => {
  const own = parts.flatMap((part) => (part.kind === "result" ? part.parts.filter(isFile) : [part]))
  const content = own.map(contentOf).filter((one) => one !== undefined)
  if (content.length === 0) return []
  const isText = content.every((one) => one["type"] === "text")
  return [{ role, content: isText ? textOf(own) : content }]
}

const isFile = (part: Part): boolean => {
  const type = contentOf(part)?.["type"]
  return type !== undefined && type !== "text"
}

const contentOf = (part: Part): Content | undefined => {
  if (part.kind === "text") return part.text === "" ? undefined : { type: "text", text: part.text }
  if (part.kind !== "data") return undefined
  const { data, mimeType } = part
  if (mimeType.startsWith("image/")) return { type: "image_url", image_url: { url: dataUrl(mimeType, data) } }
  if (mimeType === "application/pdf") {
    return { type: "file", file: { filename: "document.pdf", file_data: dataUrl(mimeType, data) } }
  }
  const text = readable(mimeType, data)
  return text === "" ? undefined : { type: "text", text }
}

const dataUrl = (mimeType: string, data: Uint8Array): string =>
  `data:${mimeType};base64,${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64")}`

/** Data that is text. Other kinds are the editor's own marks (`usage`, `cache_control` …), which no model reads. */
const readable = (mimeType: string, data: Uint8Array): string =>
  /^text\/|^application\/(json|xml)\b|\+json$/.test(mimeType) ? new TextDecoder().decode(data) : ""

const textOf = (parts: ReadonlyArray<Part>): string =>
  parts
    .map((part) => (part.kind === "text" ? part.text : part.kind === "data" ? readable(part.mimeType, part.data) : ""))
    .join("")
