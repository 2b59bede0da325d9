/** What an answer used, counted here because its provider did not say, or never got to say it. */
import { Effect } from "effect"
import type { ChatRequest } from "../operations/ChatRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { Produced } from "../operations/ProducedText.ts"
import { countTokens, countAll } from "../operations/Tokens.ts"
import { noUsage, type Usage } from "../domain/Usage.ts"
import type { MediaTokens } from "./MediaTokens.ts"

/**
 * The input tokens of a request, as closely as they can be counted, for bookings that say that they are estimates. `media`: those that
 * are no text; left out: by the size of what holds them.
 */
export const countInput = Effect.fnUntraced(function* (
  request: ChatRequest,
  deployment: Deployment,
  media: number = request.mediaEstimate
) {
  const { functions, messages, response_format, tools } = request.body
  // Only messages hold media: what is called the same elsewhere, in a schema of a tool, is text that is paid for.
  const texts: Array<string> = []
  gather("", messages, texts)
  const text = texts.join("\n") + JSON.stringify({ tools, functions, response_format })
  const messageCount = Array.isArray(messages) ? messages.length : 1
  const counted = (yield* countAll(text, deployment.protocol)) * (deployment.bounds?.estimatedMore ?? 1)
  return Math.min(request.textBound, Math.ceil(counted) + messageCount * FRAME_PER_MESSAGE) + media
})

/** Usage of a request whose answer was `produced`. */
export const estimateUsage = (
  request: ChatRequest,
  deployment: Deployment,
  produced: string,
  media?: MediaTokens
): Effect.Effect<Usage> =>
  Effect.zipWith(
    countInput(request, deployment, media === undefined ? undefined : media.input + media.audio),
    countTokens(produced, deployment.protocol),
    (input, output) => {
      // Beside recordings there may be images: what can't be told apart counts as the dearer.
      const recorded = media === undefined ? request.mediaEstimate : media.audio
      const audioInput = request.needs.includes("audio") ? Math.min(input, recorded) : 0
      return { ...noUsage, input: input - audioInput, audioInput, output }
    }
  )

/** Tokens that are billed beyond the words of an answer, as a share of those, and for the first and each further tool call. */
interface BeyondWords {
  readonly share: number
  readonly firstCall: number
  readonly furtherCall: number
}

/**
 * Measured over 430 recorded answers that were neither reasoned nor searched for: marks between parts, and the frames of tool calls
 * (several at once are framed twice by OpenAI). Other vendors' tokenizers make 3 to 20 % more of the same text than OpenAI's.
 */
const beyondWords = ({ protocol, vendor }: Deployment): BeyondWords => {
  if (protocol === "anthropic-messages") return { share: 0.05, firstCall: 42, furtherCall: 42 }
  return vendor === "openai"
    ? { share: 0.01, firstCall: 7, furtherCall: 24 }
    : { share: 0.1, firstCall: 20, furtherCall: 20 }
}

/** Usage of a request whose answer was not told whole, with what is billed beyond its words. */
export const estimateAnswer = (
  request: ChatRequest,
  deployment: Deployment,
  { calls, text }: Produced,
  media?: MediaTokens
) =>
  Effect.map(estimateUsage(request, deployment, text, media), (usage): Usage => {
    const { firstCall, furtherCall, share } = beyondWords(deployment)
    const frames = calls === 0 ? 0 : firstCall + (calls - 1) * furtherCall
    return { ...usage, output: Math.round(usage.output * (1 + share)) + frames }
  })

/** What sets messages apart, and their roles. */
const FRAME_PER_MESSAGE = 4

/** All text but the names of fields, and but images, recordings and files, which are counted by their kind. */
const gather = (name: string, value: unknown, texts: Array<string>): void => {
  if (typeof value === "string") {
    if (name !== "role" && name !== "type" && !isMedia(name, value)) texts.push(value)
  } else if (Array.isArray(value)) for (const one of value) gather(name, one, texts)
  else if (typeof value === "object" && value !== null) {
    for (const [inner, one] of Object.entries(value)) gather(inner, one, texts)
  }
}

const isMedia = (name: string, value: string): boolean => {
  if (name === "data" || name === "file_data") return true
  return (name === "url" || name === "image_url") && value.startsWith("data:")
}
