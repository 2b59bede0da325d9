/** Calls of `/v1` with a virtual key, as any client makes them. */
import type { ChatCompletionChunk, GatewayInfo } from "@model-gateway/protocol"
import { ApiError, errorOf, unreachable } from "../../api/Api.ts"
import { gatewayPath } from "../../Place.ts"

export interface Message {
  readonly role: "user" | "assistant"
  readonly content: string
}

type Info = typeof GatewayInfo.Type
type Chunk = typeof ChatCompletionChunk.Type

/** What an answer tells in its headers, before its first word. */
export interface Told {
  readonly decision: string
  readonly bucket: string
  readonly score: string
  readonly retries: string
  readonly receiptId: string | null
}

const v1 = async (secret: string, path: string, init: RequestInit): Promise<Response> => {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" }
  const response = await fetch(`${gatewayPath}v1/${path}`, { ...init, headers, credentials: "omit" }).catch(
    (cause: unknown) => {
      throw init.signal?.aborted === true ? cause : unreachable()
    }
  )
  if (!response.ok) throw await errorOf(response)
  return response
}

/** Names that the key may chat with, `auto` first where there is one. */
export const chatModels = async (secret: string): Promise<ReadonlyArray<string>> => {
  const { data }: { data: ReadonlyArray<{ id: string; gateway: { operations: ReadonlyArray<string> } }> } = await (
    await v1(secret, "models", {})
  ).json()
  const names = data.filter(({ gateway }) => gateway.operations.includes("chat")).map(({ id }) => id)
  return [...names.filter((name) => name === "auto"), ...names.filter((name) => name !== "auto")]
}

const toldBy = ({ headers }: Response): Told => {
  const of = (name: string) => headers.get(`x-gateway-${name}`)
  return {
    decision: of("decision") ?? "",
    bucket: of("route-bucket") ?? "none",
    score: of("route-score") ?? "",
    retries: of("retries") ?? "0",
    receiptId: of("receipt-id")
  }
}

/** The answer, piece by piece. → what the last event tells: who served it in the end, and the exact cost. */
export const chat = async (
  secret: string,
  request: { readonly model: string; readonly messages: ReadonlyArray<Message> },
  signal: AbortSignal,
  heard: { readonly told: (told: Told) => void; readonly text: (piece: string) => void }
): Promise<Info | undefined> => {
  const body = JSON.stringify({ ...request, stream: true })
  const response = await v1(secret, "chat/completions", { method: "POST", body, signal })
  heard.told(toldBy(response))
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return undefined
  let info: Info | undefined
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw signal.aborted ? cause : unreachable()
    })
    if (done) return info
    const lines = (rest + value).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue
      const event: Chunk & { readonly error?: { readonly message: string } } = JSON.parse(line.slice(6))
      if (event.error !== undefined) throw new ApiError(event.error.message, response.status, null)
      const piece = event.choices[0]?.delta.content
      if (typeof piece === "string") heard.text(piece)
      info = event.gateway ?? info
    }
  }
}
