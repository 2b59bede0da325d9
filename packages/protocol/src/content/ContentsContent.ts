/** Where Google's `generateContent` has its content. */
import type { ContentView, StreamSoFar } from "./ContentView.ts"
import { type ContentBody, below, fieldRules } from "./FieldRules.ts"

const PART = {
  none: `thought thoughtSignature functionCall.id inlineData.mimeType fileData.mimeType executableCode.language codeExecutionResult.outcome`,
  data: `inlineData.data`,
  url: `fileData.fileUri`,
  tool_name: `functionCall.name`,
  tool_arguments: `functionCall.args`,
  field: `text inlineData fileData functionCall executableCode.code codeExecutionResult.output`
}

const candidate = {
  none: `index finishReason avgLogprobs tokenCount safetyRatings content.role`,
  repeats: `logprobsResult`,
  field: `content.parts finishMessage citationMetadata groundingMetadata urlContextMetadata`
}

const HEAD = { none: `responseId modelVersion createTime usageMetadata modelStatus`, field: `promptFeedback` }

const response = fieldRules(HEAD, below("candidates.*", candidate), below("candidates.*.content.parts.*", PART))

const event = fieldRules(
  HEAD,
  below("candidates.*", candidate),
  below("candidates.*.content.parts.*", { ...PART, piece: `text` })
)

const candidatesOf = (body: ContentBody | undefined): ReadonlyArray<ContentBody> => {
  const candidates = body?.["candidates"]
  return Array.isArray(candidates) ? (candidates as ReadonlyArray<ContentBody>) : []
}

const partsOf = ({ content }: ContentBody): ReadonlyArray<ContentBody> => {
  const parts = (content as ContentBody | undefined)?.["parts"]
  return Array.isArray(parts) ? (parts as ReadonlyArray<ContentBody>) : []
}

/** A candidate that says why it ended has no more text. */
const ends = (body: ContentBody): string | undefined => {
  const ended = candidatesOf(body).find(({ finishReason }) => typeof finishReason === "string")
  return ended === undefined ? undefined : `index=${Number(ended["index"] ?? 0)}/`
}

/** Clients join what each event says. */
const tail = (body: ContentBody): ContentBody => ({
  ...body,
  candidates: candidatesOf(body).map(({ index, ...one }) => {
    const parts = partsOf(one).filter(({ text }) => typeof text === "string")
    return { index, content: { role: "model", parts: parts.map(({ text, thought }) => ({ text, thought })) } }
  })
})

const emptied = (body: ContentBody | undefined): ContentBody => ({
  ...body,
  candidates: candidatesOf(body).map(({ index }) => ({
    index,
    content: { role: "model", parts: [] },
    finishReason: "SAFETY"
  }))
})

const stopped = ({ first, last = first }: StreamSoFar) => [{ kind: "finish" as const, data: emptied(last) }]

/** Requests are read into those of chat, and checked there. */
export const contentsContent: Omit<ContentView, "request"> = {
  response,
  stream: {
    event,
    ends,
    kindOf: (body) =>
      candidatesOf(body).some((one) => partsOf(one).some(({ thought }) => thought === true)) ? "reasoning" : undefined,
    tail,
    stopped
  },
  denied: emptied
}
