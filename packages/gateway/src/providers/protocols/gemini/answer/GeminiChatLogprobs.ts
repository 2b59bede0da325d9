/** `logprobsResult` as the chat API has it. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, objectOf } from "../../../json/LooseJson.ts"

/** Null where the answer has none. */
export const logprobsOf = (candidate: JsonObject): JsonObject | null => {
  const result = objectOf(candidate["logprobsResult"])
  const chosen = arrayOf(result?.["chosenCandidates"])
  if (chosen.length === 0) return null
  const top = arrayOf(result?.["topCandidates"])
  const content = chosen.flatMap((one, index) => {
    const token = tokenOf(one)
    if (token === undefined) return []
    const others = objectOf(top[index])
    return [{ ...token, top_logprobs: arrayOf(others?.["candidates"]).flatMap((other) => tokenOf(other) ?? []) }]
  })
  return content.length === 0 ? null : { content, refusal: null }
}

const tokenOf = (value: unknown): JsonObject | undefined => {
  if (!isObject(value) || typeof value["token"] !== "string") return undefined
  const logprob = value["logProbability"]
  // A probability of 1 is a logarithm of 0, which is left out.
  return {
    token: value["token"],
    logprob: typeof logprob === "number" ? logprob : 0,
    bytes: [...Buffer.from(value["token"])]
  }
}
