/** Names of operations in OpenTelemetry's GenAI conventions (their own repository since 1.42, state of November 2026; status: development). */

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
  ["_tokens", { name: "count_tokens" }],
  [":countTokens", { name: "count_tokens" }],
  [":generateContent", { name: "generate_content", output: "text" }]
]

/** Those of the endpoints seen so far, which are few. */
const known = new Map<string, Convention>()

export const conventionOf = (endpoint: string): Convention => {
  const found = known.get(endpoint)
  if (found !== undefined) return found
  const convention = byEndpoint.find(([end]) => endpoint.endsWith(end))?.[1] ?? CHAT
  known.set(endpoint, convention)
  return convention
}

export const genAiOperation = (endpoint: string): string => conventionOf(endpoint).name
