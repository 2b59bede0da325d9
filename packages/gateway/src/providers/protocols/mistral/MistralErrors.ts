/**
 * Mistral's errors: OpenAI's, but that a refused field is told as a list of places and words, where others have a message.
 * `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","metadata"],"msg":"Extra inputs are not permitted"}]}}`:
 * https://github.com/OpenHands/OpenHands-CLI/issues/83; without `message` around the list: https://github.com/partITech/php-mistral/issues/76
 * (both read 2026-11-22).
 */
import type { ProviderFailure } from "../../../core/domain/Failures.ts"
import type { Protocol } from "../../../core/pool/Protocol.ts"
import { arrayOf, isObject, textOf } from "../../json/LooseJson.ts"
import { failure as openAiFailure } from "../openai/OpenAiErrors.ts"
import { parseJson } from "../../json/BoundedJson.ts"

export const failure: Protocol["failure"] = (answer): ProviderFailure => {
  const body = parseJson(answer.text)
  const places = isObject(body) ? placesIn(body) : undefined
  if (!isObject(body) || places === undefined) return openAiFailure(answer)
  const { detail: _, ...rest } = body
  return openAiFailure({ ...answer, text: JSON.stringify({ ...rest, message: places }) })
}

/** Undefined where the message is one already. */
const placesIn = (body: { readonly [name: string]: unknown }): string | undefined => {
  const { detail, message } = body
  if (typeof message === "string" && message !== "") return undefined
  const listed = isObject(message) ? message["detail"] : Array.isArray(message) ? message : detail
  const told = arrayOf(listed).flatMap((one) => {
    const words = isObject(one) ? textOf(one["msg"]) : undefined
    if (!isObject(one) || words === undefined) return []
    const place = arrayOf(one["loc"]).filter((part) => part !== "body")
    return [place.length === 0 ? words : `${place.join(".")}: ${words}`]
  })
  return told.length === 0 ? undefined : told.join("; ")
}
