/** Temperature and its kin, stop sequences, logprobs, and how many answers. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { arrayOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import type { GeminiTraits } from "../GeminiModels.ts"

/** https://ai.google.dev/api/generate-content#generationconfig (2026-11-22). */
const MOST_STOPS = 5
const MOST_LOGPROBS = 20
const MOST_CANDIDATES = 8
/** `seed` is an int32. */
const MOST_SEED = 2 ** 31

const PLAIN: ReadonlyArray<readonly [name: string, own: string]> = [
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["top_k", "topK"]
]
const PENALTIES: ReadonlyArray<readonly [name: string, own: string]> = [
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"]
]

export const lowerSampling = (call: UpstreamCall, traits: GeminiTraits, losses: Losses): JsonObject => {
  const { request } = call
  const { body } = request
  const out: { [name: string]: unknown } = {}
  for (const [name, own] of PLAIN) {
    const value = number(body, name, losses)
    if (value === undefined) continue
    if (traits.sampling) out[own] = value
    else losses.drop(name, `\`${name}\` has no effect on this model`)
  }
  for (const [name, own] of PENALTIES) {
    const value = number(body, name, losses)
    if (value === undefined || value === 0) continue
    if (traits.penalties) out[own] = value
    else losses.drop(name, `this model does not take \`${name}\` here`)
  }
  const seed = number(body, "seed", losses)
  if (seed !== undefined) {
    if (Number.isInteger(seed) && seed >= -MOST_SEED && seed < MOST_SEED) out["seed"] = seed
    else losses.drop("seed", "Google's seeds are whole numbers of 32 bits")
  }
  const stops = lowerStop(body["stop"], losses)
  if (stops.length > 0) out["stopSequences"] = stops
  const most = traits.candidates ? MOST_CANDIDATES : 1
  if (request.choices > most)
    losses.refuse("n", `this model gives at most ${most} choices: \`n\` must be ${most} or less`)
  else if (request.choices > 1) out["candidateCount"] = request.choices
  return { ...out, ...lowerLogprobs(body, losses) }
}

const number = (body: JsonObject, name: string, losses: Losses): number | undefined => {
  const value = body[name]
  if (value === undefined || value === null || value === "") return undefined
  if (typeof value === "number" && Number.isFinite(value)) return value
  losses.refuse(name, `\`${name}\` must be a number`)
  return undefined
}

const lowerStop = (stop: unknown, losses: Losses): ReadonlyArray<unknown> => {
  const given = (typeof stop === "string" ? [stop] : arrayOf(stop)).filter(
    (entry) => typeof entry === "string" && entry !== ""
  )
  if (given.length > MOST_STOPS) losses.drop("stop", `Google takes at most ${MOST_STOPS} stop sequences`)
  return given.slice(0, MOST_STOPS)
}

const lowerLogprobs = (body: JsonObject, losses: Losses): JsonObject => {
  if (body["logprobs"] !== true) return {}
  const top = number(body, "top_logprobs", losses) ?? 0
  const most = Math.min(MOST_LOGPROBS, Math.max(0, Math.floor(top)))
  return { responseLogprobs: true, ...(most === 0 ? {} : { logprobs: most }) }
}
