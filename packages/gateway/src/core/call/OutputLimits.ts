/** Output limits learned from refusals, which name the largest limit that the model accepts. */
import { Effect } from "effect"
import type { Deployment } from "../domain/Deployment.ts"
import type { UpstreamCall } from "../pool/Protocol.ts"
import { ProviderFailure, type Unsupported } from "../domain/Failures.ts"
import type { ProviderCalls } from "../pool/ProviderPool.ts"

/** No model has a smaller output limit: such a number in a message means something else. */
const LEAST = 16

export class OutputLimits {
  private readonly learnt = new Map<string, number>()

  /** Undefined where nothing is known. */
  of(deployment: Deployment): number | undefined {
    return this.learnt.get(nameOf(deployment)) ?? deployment.assumedMaxOutput
  }

  learn(deployment: Deployment, limit: number): void {
    this.learnt.set(nameOf(deployment), limit)
  }
}

/** A wildcard has a limit for each of its models. */
const nameOf = ({ id, model, wildcard }: Deployment): string => (wildcard === undefined ? id : `${id} ${model}`)

/** Repeats a call without a wait if the refusal names the limit. The reservation still covers it, as that limit is lower. */
export const learningLimits = (calls: ProviderCalls, limits: OutputLimits): ProviderCalls => {
  const withRetry =
    <A, R>(made: (call: UpstreamCall) => Effect.Effect<A, ProviderFailure | Unsupported, R>) =>
    (call: UpstreamCall) =>
      Effect.catchTag(made(call), "ProviderFailure", (failure): Effect.Effect<A, ProviderFailure | Unsupported, R> => {
        const left = leftOfWindow(failure)
        const limit = left ?? limitIn(failure)
        if (limit === undefined || limit >= call.maxOutput! || limit < LEAST) return Effect.fail(failure)
        const retried = made({ ...call, maxOutput: limit })
        // The room that one long input left in the window is no limit for other requests. A limit is remembered only after it
        // worked, as a message may quote its caller.
        return left !== undefined
          ? retried
          : Effect.tap(retried, () => Effect.sync(() => limits.learn(call.deployment, limit)))
      })
  return { complete: withRetry(calls.complete), stream: withRetry(calls.stream) }
}

const NAMES = "[`'\"]?max_(?:completion_|output_|new_)?tokens[`'\"]?"

/** In the words of DeepSeek, Alibaba, Groq, OpenAI, Anthropic and Fireworks. */
const LIMITS: ReadonlyArray<RegExp> = [
  new RegExp(`(?:range of|between).{0,20}${NAMES}.{0,30}\\[\\s*\\d+\\s*,\\s*(\\d+)\\s*\\]`, "i"),
  new RegExp(
    `${NAMES}.{0,80}?(?:less than or equal to|at most|must be <=|cannot exceed|not exceed) [\`'"]?(\\d+)`,
    "i"
  ),
  /max_tokens is too large: \d+\. This model supports at most (\d+)/i,
  new RegExp(`${NAMES}:? \\d* ?> (\\d+)`, "i")
]

/** In the words of vLLM and text-generation-inference: the room that the input leaves in the window. */
const WINDOWS: ReadonlyArray<RegExp> = [
  /maximum context length is (\d+) tokens.{0,120}?(\d+) (?:in the messages|input tokens)/is,
  /must be <= (\d+)\. Given: (\d+) [`'"]?inputs/i
]

const saidIn = ({ class: name, message, status }: ProviderFailure): string => {
  const mayName = (status === 400 || status === 422) && (name === "bad_request" || name === "context_length")
  return mayName ? message.slice(0, 400) : ""
}

const leftOfWindow = (failure: ProviderFailure): number | undefined => {
  const said = saidIn(failure)
  for (const pattern of WINDOWS) {
    const found = pattern.exec(said)
    const left = Number(found?.[1]) - Number(found?.[2])
    if (Number.isSafeInteger(left)) return left
  }
  return undefined
}

export const limitIn = (failure: ProviderFailure): number | undefined => {
  const left = leftOfWindow(failure)
  if (left !== undefined) return left
  const said = saidIn(failure)
  for (const pattern of LIMITS) {
    const limit = Number(pattern.exec(said)?.[1])
    if (Number.isSafeInteger(limit)) return limit
  }
  return undefined
}
