/** `options`: limits and sampling. `ModelOptions` in https://docs.ollama.com/openapi.yaml (2026-11-22). */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

/** Of the chat API and of Ollama's own options, by the same name. How the server uses its machine is the operator's to say. */
const SAMPLING = [
  "temperature",
  "top_p",
  "top_k",
  "min_p",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "repeat_penalty"
]
const OTHERS = new Set([...SAMPLING, "stop", "num_predict", "num_ctx"])

export const lowerOptions = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { body } = call.request
  const own = isObject(body["options"]) ? body["options"] : {}
  const out: Record<string, unknown> = {}
  for (const name of SAMPLING) {
    const value = body[name] ?? own[name]
    if (value === undefined || value === null || value === "") continue
    if (typeof value === "number" && Number.isFinite(value)) out[name] = value
    else losses.refuse(name, `\`${name}\` must be a number`)
  }
  for (const name of Object.keys(own)) {
    if (!OTHERS.has(name)) losses.drop(`options.${name}`, "how the server runs is its operator's to say")
  }
  const stop = stopOf(body["stop"] ?? own["stop"])
  if (stop.length > 0) out["stop"] = stop
  const limit = call.maxOutput ?? body["max_completion_tokens"] ?? body["max_tokens"] ?? count(own["num_predict"])
  if (limit !== undefined && limit !== null && limit !== "") out["num_predict"] = limit
  const window = contextOf(call)
  if (window !== undefined) out["num_ctx"] = window
  return out
}

const stopOf = (stop: unknown): ReadonlyArray<string> =>
  (Array.isArray(stop) ? stop : [stop]).flatMap((one) => textOf(one) ?? [])

/**
 * The configured window, or a smaller one that the caller asks for. A server that gets another one with each request loads the model
 * anew each time, so it does not follow the size of the request.
 */
export const contextOf = ({ deployment, request }: UpstreamCall): number | undefined => {
  const own = request.body["options"]
  const asked = count(request.body["num_ctx"]) ?? (isObject(own) ? count(own["num_ctx"]) : undefined)
  const { contextWindow } = deployment
  if (asked === undefined) return contextWindow
  return contextWindow === undefined ? asked : Math.min(asked, contextWindow)
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined
