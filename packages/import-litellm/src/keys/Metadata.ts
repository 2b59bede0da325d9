/** What LiteLLM keeps in a key's `metadata`: labels of people, and settings that have no column. */
import { Schema } from "effect"
import { MAX_METADATA, Tag } from "@model-gateway/protocol"
import { looksSecret } from "../config/source/SourceSecrets.ts"
import { readModelLimits } from "./columns/ModelColumns.ts"
import type { Draft } from "./Draft.ts"
import type { JsonObject } from "./ColumnValues.ts"

/** Settings that kept a key from something. */
const FORBIDDING = new Map([
  ["tag_rpm_limit", "limits of single tags"],
  ["tag_tpm_limit", "limits of single tags"],
  ["enforced_params", "parameters that a request must have"],
  ["allowed_passthrough_routes", "routes to pass through"],
  ["allowed_vector_store_indexes", "vector stores"]
])

/** Settings of LiteLLM that have no like here. Some hold credentials of others. */
const SETTINGS = new Set([
  "logging",
  "guardrails",
  "disable_global_guardrails",
  "prompts",
  "policies",
  "service_account_id",
  "secret_manager_settings",
  "soft_budget",
  "temp_budget_increase",
  "temp_budget_expiry",
  "rpm_limit_type",
  "tpm_limit_type",
  "callback_settings"
])

const isAnything = (value: unknown): boolean =>
  value !== null && value !== false && (typeof value !== "object" || Object.keys(value).length > 0)

/** No text in it has the look of a key, and no name says that there is one. */
const isHarmless = (name: string, value: unknown): boolean => {
  if (/secret|passw|token|api_?key|credential|authorization/i.test(name)) return false
  if (typeof value === "string") return !looksSecret(value)
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([inner, one]) => isHarmless(inner, one))
}

export const readMetadata = (metadata: JsonObject, draft: Draft, column: string): void => {
  const { account } = draft
  const kept = new Map<string, unknown>()
  for (const [name, value] of Object.entries(metadata)) {
    const at = /^[\w-]{1,40}$/.test(name) ? `${column}.${name}` : column
    if (!isAnything(value)) continue
    const forbids = FORBIDDING.get(name)
    if (readModelLimits(name, value, draft, at)) continue
    if (forbids !== undefined) account.looser(at, `there are no ${forbids} for a key`)
    else if (name === "tags" && Array.isArray(value)) readTags(value, draft, at)
    else if (SETTINGS.has(name)) account.leftOut(at, "a setting of LiteLLM that has no like here")
    else if (isHarmless(name, value)) kept.set(name, value)
    else account.leftOut(at, "it may hold a credential")
  }
  // Room for what says where the key comes from.
  if (JSON.stringify(Object.fromEntries(kept)).length > MAX_METADATA - 1500) {
    return account.leftOut(column, `more than a key can keep: ${MAX_METADATA} characters`)
  }
  draft.metadata = Object.fromEntries(kept)
  if (kept.size > 0) account.carried(column)
}

const MOST_TAGS = 32

const readTags = (values: ReadonlyArray<unknown>, draft: Draft, column: string): void => {
  const tags = [...new Set(values)].filter(Schema.is(Tag)).slice(0, MOST_TAGS)
  draft.tags = tags
  if (tags.length === values.length) draft.account.carried(column)
  else
    draft.account.changed(
      column,
      "tags that are twice there, that hold commas or spaces, and those after the 32nd are left out"
    )
}
