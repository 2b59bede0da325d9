/** Estimated usage of a response whose provider reported none. */
import { Effect } from "effect"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { Produced } from "../operations/ProducedText.ts"
import { countTokens, countAll } from "../operations/Tokens.ts"
import { noUsage, type Usage } from "../domain/Usage.ts"
import type { MediaTokens } from "./MediaTokens.ts"
import { requestsFor } from "./BoundedRequests.ts"

/** Input tokens for rows marked as estimates. `media`: tokens of the non-text parts; left out, guessed from their size. */
export const countInput = Effect.fnUntraced(function* (
  request: CallRequest,
  deployment: Deployment,
  media: number = request.mediaEstimate
) {
  if (request.tokens !== undefined) return request.tokens + media
  const {
    functions,
    instructions,
    response_format,
    system,
    text: format,
    tools,
    [request.contents]: contents
  } = request.body
  // Only the conversation holds media. A field of the same name elsewhere, such as in a tool's schema, is text and is billed.
  const texts: Array<string> = []
  gather("", [contents, system, instructions], texts)
  texts.push(JSON.stringify({ tools, functions, response_format, text: format }))
  const messageCount = Array.isArray(contents) ? contents.length : 1
  let counted = 0
  for (const text of texts) counted += yield* countAll(text, deployment.protocol)
  counted *= deployment.bounds?.estimatedMore ?? 1
  const frame = deployment.bounds?.messageFrame
  const frames = frame === undefined ? messageCount * FRAME_PER_MESSAGE : (messageCount + 1) * frame
  return Math.min(request.textBound, Math.ceil(counted) + frames) + media
})

export const estimateUsage = (
  request: CallRequest,
  deployment: Deployment,
  produced: string,
  media?: MediaTokens
): Effect.Effect<Usage> =>
  Effect.zipWith(
    countInput(request, deployment, media === undefined ? undefined : media.input + media.audio),
    countTokens(produced, deployment.protocol),
    (read, output) => {
      const requests = requestsFor(request, deployment)
      const input = read * requests
      // A request may contain images and audio. Tokens of an unknown class count as the more expensive one.
      const recorded = (media === undefined ? request.mediaEstimate : media.audio) * requests
      const audioInput = request.needs.includes("audio") ? Math.min(input, recorded) : 0
      return { ...noUsage, input: input - audioInput, audioInput, output }
    }
  )

/** Tokens billed beyond a response's text: a share of the text, an amount for the first tool call and one for each further call. */
interface BeyondWords {
  readonly share: number
  readonly firstCall: number
  readonly furtherCall: number
}

/** Marks between parts and frames of tool calls, and up to 20 % more tokens of other vendors (430 recorded responses). */
const beyondWords = ({ protocol, vendor }: Deployment): BeyondWords => {
  if (protocol === "anthropic-messages") return { share: 0.05, firstCall: 42, furtherCall: 42 }
  return vendor === "openai"
    ? { share: 0.01, firstCall: 7, furtherCall: 24 }
    : { share: 0.1, firstCall: 20, furtherCall: 20 }
}

/** Usage of a request whose response broke off, including what is billed beyond its text. */
export const estimateAnswer = (
  request: CallRequest,
  deployment: Deployment,
  produced: Produced,
  media?: MediaTokens
): Effect.Effect<Usage> =>
  request.billing === undefined
    ? estimateTokens(request, deployment, produced, media)
    : request.billing.estimate(deployment, produced)

const estimateTokens = (
  request: CallRequest,
  deployment: Deployment,
  { calls, text }: Produced,
  media: MediaTokens | undefined
): Effect.Effect<Usage> =>
  Effect.map(estimateUsage(request, deployment, text, media), (usage): Usage => {
    const { firstCall, furtherCall, share } = beyondWords(deployment)
    const frames = calls === 0 ? 0 : firstCall + (calls - 1) * furtherCall
    return { ...usage, output: Math.round(usage.output * (1 + share)) + frames }
  })

/** The marks between messages, and their roles. */
const FRAME_PER_MESSAGE = 4

/** Collects all text except field names. Images, recordings and files are counted by their kind instead. */
const gather = (name: string, value: unknown, texts: Array<string>): void => {
  if (typeof value === "string") {
    if (name !== "role" && name !== "type" && !isMedia(name, value)) texts.push(value)
  } else if (Array.isArray(value)) for (const one of value) gather(name, one, texts)
  else if (typeof value === "object" && value !== null) {
    // A document as plain text.
    if ("type" in value && value.type === "text" && "data" in value) texts.push(String(value.data))
    for (const [inner, one] of Object.entries(value)) gather(inner, one, texts)
  }
}

const isMedia = (name: string, value: string): boolean => {
  if (name === "data" || name === "file_data") return true
  return (name === "url" || name === "image_url") && value.startsWith("data:")
}
