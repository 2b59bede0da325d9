/**
 * Attributes of OpenTelemetry's GenAI conventions (their own repository since 1.42, state of November 2026; status: development) and of
 * the general and HTTP conventions 1.41.1, for what receipts know.
 */
import type { Receipt, ReceiptAttempt } from "../core/receipts/Receipt.ts"
import type { Usage } from "../core/domain/Usage.ts"

type Attributes = Readonly<Record<string, unknown>>

interface Convention {
  /** `gen_ai.operation.name`: the predefined name where one fits, else the operation's own. */
  readonly name: string
  readonly output?: "image" | "speech" | "text"
}

const CHAT: Convention = { name: "chat" }

/** By the end of an endpoint's path. */
const byEndpoint: ReadonlyArray<readonly [end: string, convention: Convention]> = [
  ["/chat/completions", CHAT],
  ["/messages", CHAT],
  ["/responses", CHAT],
  ["/completions", { name: "text_completion" }],
  ["/embeddings", { name: "embeddings" }],
  ["/images/generations", { name: "image_generation", output: "image" }],
  ["/images/edits", { name: "image_edit", output: "image" }],
  ["/images/variations", { name: "image_variation", output: "image" }],
  ["/audio/speech", { name: "generate_content", output: "speech" }],
  ["/audio/transcriptions", { name: "transcription", output: "text" }],
  ["/audio/translations", { name: "translation", output: "text" }],
  ["/moderations", { name: "moderation" }],
  ["/rerank", { name: "rerank" }],
  ["/count_tokens", { name: "count_tokens" }]
]

/** Those of the endpoints seen so far, which are few. */
const known = new Map<string, Convention>()

const conventionOf = (endpoint: string): Convention => {
  const found = known.get(endpoint)
  if (found !== undefined) return found
  const convention = byEndpoint.find(([end]) => endpoint.endsWith(end))?.[1] ?? CHAT
  known.set(endpoint, convention)
  return convention
}

export const genAiOperation = (endpoint: string): string => conventionOf(endpoint).name

export const requestOf = ({ endpoint, parameters = {}, stream }: Receipt): Attributes => ({
  "gen_ai.operation.name": genAiOperation(endpoint),
  "gen_ai.output.type": conventionOf(endpoint).output,
  "gen_ai.request.stream": stream ? true : undefined,
  "gen_ai.request.max_tokens": parameters.maxTokens,
  "gen_ai.request.temperature": parameters.temperature,
  "gen_ai.request.top_p": parameters.topP,
  "gen_ai.request.top_k": parameters.topK,
  "gen_ai.request.frequency_penalty": parameters.frequencyPenalty,
  "gen_ai.request.presence_penalty": parameters.presencePenalty,
  "gen_ai.request.seed": parameters.seed,
  "gen_ai.request.choice.count": parameters.choices
})

export const responseOf = ({ answer, model }: ReceiptAttempt): Attributes => ({
  "gen_ai.response.id": answer?.id,
  "gen_ai.response.model": answer?.model ?? model,
  "gen_ai.response.finish_reasons":
    answer === undefined || answer.finishReasons.length === 0 ? undefined : answer.finishReasons
})

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 }

export const serverOf = (baseUrl: string | undefined): Attributes => {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl)
  if (url === null || url.hostname === "") return {}
  return {
    "server.address": url.hostname,
    "server.port": url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port)
  }
}

export const cacheWrites = ({ cacheWrite, cacheWrite1h, cacheWrite12h }: Usage): number =>
  cacheWrite + (cacheWrite1h ?? 0) + (cacheWrite12h ?? 0)

/** The gateway's own status, where the receipt decides it: a stream that broke off had begun with 200. */
export const answeredWith = ({ status, stream }: Receipt): number | undefined =>
  status === "ok" || (status === "cut" && stream) ? 200 : undefined
