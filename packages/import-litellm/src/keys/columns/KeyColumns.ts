/**
 * The columns of LiteLLM's table `LiteLLM_VerificationToken`, and what becomes of each. The columns were read in the schema that LiteLLM
 * 1.106.2 ships (`litellm-proxy-extras` 0.4.110, `schema.prisma`, PyPI, 2026-11-22) and in older ones; what they do, in its `proxy/auth`
 * of the same version.
 *
 * What kept a key from something and has no like here makes the key disabled: nobody may do more by the move.
 */
import { Schema } from "effect"
import { Name } from "@model-gateway/protocol"
import { litellmDigest } from "@model-gateway/gateway/internal/core/keys/Credential"
import type { Draft } from "../Draft.ts"
import { readMetadata } from "../Metadata.ts"
import { object, time, truth } from "../ColumnValues.ts"
import {
  administration,
  allNotNeeded,
  type Columns,
  ifAny,
  ifAnyInList,
  names,
  notNeeded,
  plain,
  read
} from "./Column.ts"
import { budgetLimits, budgets, limits, models, spend } from "./Spending.ts"

const HEX = /^[0-9a-f]{64}$/

/** Routes that are all that this gateway serves to keys. */
const EVERY_MODEL_ROUTE = new Set(["llm_api_routes", "openai_routes", "/*", "*"])

export const keyColumns: Columns = new Map([
  [
    "token",
    read(plain, (text, draft, name) => {
      const given = text.trim()
      if (HEX.test(given)) draft.digest = given
      // Old versions kept the key itself.
      else if (given.startsWith("sk-")) draft.digest = litellmDigest(given)
      else return draft.account.wrong(name, "it should be the SHA-256 of a key, 64 hex digits in lower case")
      draft.account.carried(name)
    })
  ],
  ["key_alias", read(plain, (text, draft, name) => nameIt(text, draft, name))],
  [
    "key_name",
    read(plain, (text, draft) => {
      draft.shown = text.trim()
    })
  ],
  models,
  ...limits,
  ...budgets,
  spend,
  budgetLimits,
  [
    "expires",
    read(time, (value, draft, name) => {
      draft.expiresAt = value
      draft.account.carried(name)
    })
  ],
  [
    "blocked",
    read(truth, (value, draft, name) => {
      draft.isBlocked ||= value
      if (value) draft.account.carried(name)
    })
  ],
  ["metadata", read(object, readMetadata)],
  [
    "aliases",
    ifAny(({ account }, name) =>
      account.leftOut(name, "names of a key's own: write them under `models` in gateway.yaml")
    )
  ],
  ["config", ifAny(({ account }, name) => account.leftOut(name, "a configuration of the key's own"))],
  [
    "router_settings",
    ifAny(({ account }, name) => account.leftOut(name, "routing is configured for names in gateway.yaml"))
  ],
  ["permissions", ifAny(({ account }, name) => account.leftOut(name, "permissions of LiteLLM's features"))],
  [
    "budget_fallbacks",
    ifAny(({ account }, name) => account.leftOut(name, "what a full budget falls back to: here it refuses"))
  ],
  ["allowed_cache_controls", ifAnyInList(({ account }, name) => account.leftOut(name, "responses are not cached"))],
  [
    "allowed_routes",
    ifAnyInList(({ account }, name, items) => {
      if (items.some((item) => EVERY_MODEL_ROUTE.has(item))) account.carried(name)
      else account.looser(name, "a key can't be limited to single routes")
    })
  ],
  [
    "key_type",
    read(plain, (text, { account }, name) => {
      if (/^(default|llm_api)$/i.test(text.trim())) account.notNeeded(name, "every key here is for models")
      else account.looser(name, `${/^\w{1,20}$/.test(text) ? text : "such a"} key was not for models`)
    })
  ],
  [
    "policies",
    ifAnyInList(({ account }, name) => account.leftOut(name, "write its policies under `guardrails` in gateway.yaml"))
  ],
  [
    "access_group_ids",
    ifAnyInList(({ account }, name) => account.leftOut(name, "groups of models are in another table: add their models"))
  ],
  ["object_permission_id", names],
  ["team_id", names],
  ["budget_id", names],
  ["user_id", names],
  ["organization_id", names],
  ["project_id", names],
  ["agent_id", names],
  ["total_spend", notNeeded("spend before the present budget counts for nothing here")],
  ["model_spend", ifAny(({ account }, name) => account.notNeeded(name, "spend by model is counted anew"))],
  [
    "soft_budget_cooldown",
    read(truth, (value, { account }, name) =>
      value ? account.notNeeded(name, "alerts are configured: `alerts` in gateway.yaml") : undefined
    )
  ],
  [
    "auto_rotate",
    read(truth, (value, { account }, name) =>
      value ? account.leftOut(name, "keys do not rotate by themselves: `model-gateway keys rotate`") : undefined
    )
  ],
  ["rotation_interval", notNeeded("keys do not rotate by themselves")],
  ...allNotNeeded(
    administration,
    "created_at",
    "created_by",
    "updated_at",
    "updated_by",
    "settings_updated_at",
    "last_active",
    "rotation_count",
    "last_rotation_at",
    "key_rotation_at"
  )
])

/** People's own name for a key or an end user. */
export const nameIt = (text: string, draft: Draft, column: string): void => {
  const name = text
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, 200)
    .trim()
  draft.name = Schema.is(Name)(name) ? name : null
  if (draft.name === text) draft.account.carried(column)
  else draft.account.changed(column, draft.name === null ? "no name is left of it" : "shortened to what a name can be")
}
