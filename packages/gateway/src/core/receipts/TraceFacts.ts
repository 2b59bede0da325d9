/** Facts about a request and its response for traces, beyond the receipt: parameters, IDs and reasons, but no content. */
import type { JsonObject } from "../domain/Json.ts"

/** What the provider reported about its response. */
export interface AnswerFacts {
  readonly id: string | undefined
  /** The model named by the provider. */
  readonly model: string | undefined
  readonly finishReasons: ReadonlyArray<string>
}

export interface RequestParameters {
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  readonly seed?: number
  /** The number of responses, if it is not 1. */
  readonly choices?: number
}

const MOST_LETTERS = 200

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, MOST_LETTERS) : undefined

/** The facts of a complete response, in the shape of any operation. */
export const answerFacts = (body: JsonObject): AnswerFacts => {
  const choices = Array.isArray(body["choices"]) ? (body["choices"] as ReadonlyArray<JsonObject | null>) : []
  const reasons =
    choices.length > 0 ? choices.map((one) => one?.["finish_reason"]) : [body["stop_reason"] ?? body["status"]]
  return {
    id: textIn(body["id"]),
    model: textIn(body["model"]),
    finishReasons: reasons.map(textIn).filter((reason) => reason !== undefined)
  }
}

export const requestParameters = (
  body: JsonObject,
  maxTokens: number | undefined,
  choices: number
): RequestParameters | undefined => {
  const { frequency_penalty, presence_penalty, seed, temperature, top_k, top_p } = body
  let found: Record<string, number> | undefined
  const add = (name: keyof RequestParameters, value: unknown) => {
    if (typeof value === "number") (found ??= {})[name] = value
  }
  if (maxTokens !== 0) add("maxTokens", maxTokens)
  if (choices !== 1) add("choices", choices)
  add("temperature", temperature)
  add("topP", top_p)
  add("topK", top_k)
  add("frequencyPenalty", frequency_penalty)
  add("presencePenalty", presence_penalty)
  add("seed", seed)
  return found
}
