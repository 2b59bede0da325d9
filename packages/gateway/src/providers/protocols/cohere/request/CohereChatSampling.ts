/** Limits and sampling, under Cohere's names and within its ranges. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

interface SamplingRange {
  readonly name: string
  /** Cohere's name, which callers may use too. */
  readonly own: string
  readonly from: number
  readonly to: number
  /** OpenAI's default, which asks for nothing. */
  readonly neutral: number
}

/** `V2ChatRequest` of `cohere-ai` 8.1.0 (2026-11-22). */
const RANGES: ReadonlyArray<SamplingRange> = [
  { name: "temperature", own: "temperature", from: 0, to: Number.POSITIVE_INFINITY, neutral: Number.NaN },
  { name: "top_p", own: "p", from: 0.01, to: 0.99, neutral: 1 },
  { name: "top_k", own: "k", from: 0, to: 500, neutral: Number.NaN },
  { name: "frequency_penalty", own: "frequency_penalty", from: 0, to: 1, neutral: Number.NaN },
  { name: "presence_penalty", own: "presence_penalty", from: 0, to: 1, neutral: Number.NaN }
]
const MOST_STOPS = 5

export const lowerSampling = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { body } = call.request
  const out: Record<string, unknown> = {}
  for (const { from, name, neutral, own, to } of RANGES) {
    const value = body[name] ?? body[own]
    if (value === undefined || value === null || value === "") continue
    if (typeof value !== "number" || !Number.isFinite(value)) {
      losses.refuse(name, `\`${name}\` must be a number`)
      continue
    }
    out[own] = Math.min(to, Math.max(from, value))
    if (out[own] !== value && value !== neutral) losses.drop(name, `Cohere's \`${own}\` goes from ${from} to ${to}`)
  }
  const { seed } = body
  if (seed !== undefined && seed !== null && seed !== "") out["seed"] = seed
  const stop = body["stop"] ?? body["stop_sequences"]
  const stops = (Array.isArray(stop) ? stop : [stop]).flatMap((one) => textOf(one) ?? [])
  if (stops.length > MOST_STOPS) losses.drop("stop", `Cohere takes at most ${MOST_STOPS} of them`)
  if (stops.length > 0) out["stop_sequences"] = stops.slice(0, MOST_STOPS)
  const limit = call.maxOutput ?? body["max_completion_tokens"] ?? body["max_tokens"]
  if (limit !== undefined && limit !== null && limit !== "") out["max_tokens"] = limit
  return out
}
