/**
 * Fields of Google's own that chat callers send: those of its OpenAI-compatible API, under `extra_body.google`
 * (https://ai.google.dev/gemini-api/docs/openai, 2026-11-22), and `safety_settings`, as other gateways take them.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject, objectOf, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

interface OwnFields {
  /** Of the request itself. */
  readonly fields: JsonObject
  /** `thinkingConfig`, as the caller wrote it. */
  readonly thinking: JsonObject | undefined
}

export const ownFields = (body: JsonObject, losses: Losses): OwnFields => {
  const extra = objectOf(body["extra_body"])
  const google = objectOf(extra?.["google"]) ?? {}
  for (const name of Object.keys(extra ?? {})) {
    if (name !== "google") losses.drop(`extra_body.${name}`, `\`extra_body.${name}\` has no counterpart at Google`)
  }
  const cached = textOf(google["cached_content"])
  const safety = body["safety_settings"] ?? google["safety_settings"]
  for (const name of Object.keys(google)) {
    if (!KNOWN.has(name)) losses.drop(`extra_body.google.${name}`, "the gateway does not know this field")
  }
  return {
    fields: {
      ...(cached === undefined ? {} : { cachedContent: cached }),
      ...(Array.isArray(safety) && safety.length > 0 ? { safetySettings: safety.filter(isObject) } : {})
    },
    thinking: camelCased(objectOf(google["thinking_config"]))
  }
}

/** `thought_tag_marker` says how the compatible API marks thoughts in the text; here they have a field of their own. */
const KNOWN = new Set(["cached_content", "safety_settings", "thinking_config", "thought_tag_marker"])

const THINKING = new Map([
  ["include_thoughts", "includeThoughts"],
  ["thinking_budget", "thinkingBudget"],
  ["thinking_level", "thinkingLevel"]
])

const camelCased = (given: JsonObject | undefined): JsonObject | undefined =>
  given === undefined
    ? undefined
    : Object.fromEntries(Object.entries(given).map(([name, value]) => [THINKING.get(name) ?? name, value]))
