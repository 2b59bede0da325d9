/** The name of an operation: one of these, or one that an embedder adds. A protocol lists the operations that it speaks. */
export type OperationName = string

/** The operations that ship with the gateway. A configuration may name only these. */
export const operationNames = [
  "chat",
  "responses",
  "messages",
  "count_tokens",
  "generate_content",
  "count_content_tokens",
  "completions",
  "embeddings",
  "moderations",
  "images",
  "image_edits",
  "image_variations",
  "transcriptions",
  "translations",
  "speech",
  "rerank"
] as const
