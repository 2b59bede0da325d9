/** The AI SDK's prompt as the messages of a chat request. */
import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { UnsupportedFunctionalityError } from "@ai-sdk/provider"
import type { ChatRequest } from "../wire/Inference.ts"

type Messages = ChatRequest["messages"]
type Part = Record<string, unknown>

export const messagesOf = (prompt: LanguageModelV4Prompt): Messages => prompt.flatMap(messageOf)

const messageOf = (message: LanguageModelV4Message): Messages => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }]
    case "user":
      return [userMessage(message.content)]
    case "assistant":
      return [assistantMessage(message.content)]
    case "tool":
      return message.content.flatMap((part) =>
        part.type === "tool-result"
          ? [{ role: "tool", tool_call_id: part.toolCallId, content: resultText(part.output) }]
          : []
      )
  }
}

type Of<Role> = Extract<LanguageModelV4Message, { readonly role: Role }>["content"]

const userMessage = (content: Of<"user">): Messages[number] => {
  const [only] = content
  if (content.length === 1 && only?.type === "text") return { role: "user", content: only.text }
  return {
    role: "user",
    content: content.map((part): Part => (part.type === "text" ? { type: "text", text: part.text } : filePart(part)))
  }
}

const assistantMessage = (content: Of<"assistant">): Messages[number] => {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
  const thoughts = content.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("")
  const calls = content.flatMap((part) =>
    part.type === "tool-call"
      ? [
          {
            id: part.toolCallId,
            type: "function",
            function: { name: part.toolName, arguments: JSON.stringify(part.input ?? {}) }
          }
        ]
      : []
  )
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(thoughts === "" ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

const filePart = ({ data, filename, mediaType }: LanguageModelV4FilePart): Part => {
  if (data.type === "text") return { type: "text", text: data.text }
  if (data.type === "reference")
    throw new UnsupportedFunctionalityError({ functionality: "files by a provider's reference" })
  if (mediaType.startsWith("image/") || mediaType === "image") {
    const type = mediaType.includes("/") && !mediaType.endsWith("/*") ? mediaType : "image/png"
    return { type: "image_url", image_url: { url: data.type === "url" ? data.url.href : dataUrl(data.data, type) } }
  }
  if (data.type === "url") throw new UnsupportedFunctionalityError({ functionality: `${mediaType} by its address` })
  if (mediaType.startsWith("audio/")) {
    const format = /wav/.test(mediaType) ? "wav" : "mp3"
    return { type: "input_audio", input_audio: { data: base64(data.data), format } }
  }
  return { type: "file", file: { filename: filename ?? "file", file_data: dataUrl(data.data, mediaType) } }
}

const dataUrl = (data: Uint8Array | string, type: string): string => `data:${type};base64,${base64(data)}`

export const base64 = (data: Uint8Array | string): string => {
  if (typeof data === "string") return data
  let text = ""
  for (let start = 0; start < data.length; start += 32_768) {
    text += String.fromCharCode(...data.subarray(start, start + 32_768))
  }
  return btoa(text)
}

type Output = Extract<Of<"tool">[number], { readonly type: "tool-result" }>["output"]

const resultText = (output: Output): string => {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value
    case "json":
    case "error-json":
      return JSON.stringify(output.value)
    case "execution-denied":
      return output.reason ?? "The call of the tool was denied."
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n")
  }
}
