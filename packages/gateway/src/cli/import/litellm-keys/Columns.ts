/**
 * The columns of LiteLLM's table `LiteLLM_VerificationToken`, and what becomes of each. The columns were read in the schema that LiteLLM
 * 1.106.2 ships (`litellm-proxy-extras` 0.4.110, `schema.prisma`, PyPI, 2026-11-22) and in older ones; what they do, in its `proxy/auth`
 * of the same version.
 *
 * What kept a key from something and has no like here makes the key disabled: nobody may do more by the move.
 */
import { Result, Schema } from "effect"
import { ModelPattern, Name, TeamName } from "@model-gateway/protocol"
import { litellmDigest } from "../../../core/keys/Credential.ts"
import type { Draft } from "./Draft.ts"
import { readMetadata } from "./Metadata.ts"
import { amountOf, windowOf } from "./Budgets.ts"
import { isObject, json, list, number, object, time, truth, whole } from "./Values.ts"

/** Reads a cell that holds something. */
type Column = (text: string, draft: Draft, name: string, options: { readonly timeZone: string }) => void

const read =
  <A>(
    as: (text: string) => Result.Result<A, string>,
    use: (value: A, draft: Draft, name: string, timeZone: string) => void
  ): Column =>
  (text, draft, name, { timeZone }) => {
    const value = as(text)
    if (Result.isSuccess(value)) use(value.success, draft, name, timeZone)
    else draft.account.wrong(name, `it should be ${value.failure}`)
  }

const plain = (text: string) => Result.succeed(text)

const notNeeded =
  (why: string): Column =>
  (_, { account }, name) =>
    account.notNeeded(name, why)

/** Says nothing where the value is empty: `{}`, `[]`. */
const ifAny = (then: (draft: Draft, name: string) => void): Column =>
  read(json, (value, draft, name) => {
    const isEmpty =
      value === null || (isObject(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0)
    if (!isEmpty) then(draft, name)
  })

const ifAnyInList = (then: (draft: Draft, name: string, items: ReadonlyArray<string>) => void): Column =>
  read(list, (items, draft, name) => {
    if (items.length > 0) then(draft, name, items)
  })

const isTeamName: (text: string) => boolean = Schema.is(TeamName)

const HEX = /^[0-9a-f]{64}$/

const limit = (of: keyof Draft["limits"], most: number): Column =>
  read(whole, (value, draft, name) => {
    const { account, limits } = draft
    if (value < 0) return account.wrong(name, `${value} is less than nothing`)
    if (value === 0) {
      draft.isBlocked = true
      return account.changed(name, "0 lets nothing through: the key is disabled")
    }
    limits[of] = Math.min(value, most)
    if (value > most) account.changed(name, `the largest limit there is: ${most}`)
    else account.carried(name)
  })

/** Routes that are all that this gateway serves to keys. */
const EVERY_MODEL_ROUTE = new Set(["llm_api_routes", "openai_routes", "/*", "*"])

const ALL = new Set(["all-proxy-models", "all-team-models", "*"])
const NONE = "no-default-models"

const keepOrigin: Column = (text, draft, name) => {
  draft.origin[name] = text.slice(0, 200)
  draft.account.changed(name, "kept in `metadata.litellm`; budgets and limits of its own are in another table")
}

const administration = "of LiteLLM's administration"

export const columns: ReadonlyMap<string, Column> = new Map<string, Column>([
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
  [
    "team_id",
    read(plain, (text, draft, name) => {
      const team: string = text.trim()
      if (isTeamName(team)) {
        draft.team = team
        return draft.account.carried(name)
      }
      draft.team =
        team
          .replaceAll(/[^\p{L}\p{N}._@+:-]+/gu, "-")
          .replace(/^[^\p{L}\p{N}]+/u, "")
          .slice(0, 100) || "team"
      draft.account.changed(name, `the name of a team can't be that: ${draft.team}`)
    })
  ],
  [
    "models",
    read(list, (items, draft, name) => {
      const names = items.filter((item) => !ALL.has(item) && item !== NONE)
      const odd = names.filter((item) => !Schema.is(ModelPattern)(item))
      draft.models = [...new Set(names.filter((item) => Schema.is(ModelPattern)(item)))].slice(0, 500)
      if (names.length > 0 && draft.models.length === 0)
        return draft.account.forbids(name, "no name here can be a model's")
      if (items.includes(NONE) && names.length === 0) {
        return draft.account.forbids(name, "no-default-models: it may use none, which no key here can say")
      }
      // A list that names everything beside others is everything.
      if (items.some((item) => ALL.has(item))) {
        draft.models = []
        const isTeams = items.includes("all-team-models")
        if (isTeams)
          return draft.account.looser(name, "all-team-models: the team's own list of models is in another table")
      }
      if (odd.length > 0 || names.length > 500) draft.account.changed(name, "names that no model can have are left out")
      else if (items.length > 0) draft.account.carried(name)
    })
  ],
  ["max_parallel_requests", limit("maxParallel", 100_000)],
  ["rpm_limit", limit("rpm", 1_000_000)],
  ["tpm_limit", limit("tpm", 1_000_000_000_000)],
  ["tpd_limit", read(whole, (_, draft, name) => draft.account.looser(name, "there are no limits of tokens a day"))],
  [
    "max_budget",
    read(number, (value, draft, name) => {
      if (value < 0) return draft.account.wrong(name, `${value} is less than nothing`)
      draft.maxBudget = value
    })
  ],
  [
    "budget_duration",
    read(plain, (text, draft, name) => {
      const window = windowOf(text)
      if (Result.isFailure(window)) return draft.account.wrong(name, `it should be ${window.failure}`)
      draft.budgetDuration = text.trim()
    })
  ],
  [
    "budget_reset_at",
    read(time, (value, draft) => {
      draft.budgetResetAt = value
    })
  ],
  [
    "spend",
    read(number, (value, draft, name) => {
      // Refunds of other systems: less than nothing is nothing spent.
      if (value < 0) draft.account.changed(name, "less than nothing counts as nothing")
      draft.spend = Math.max(0, value)
    })
  ],
  [
    "budget_limits",
    read(json, (value, draft, name, timeZone) => {
      if (value === null || (Array.isArray(value) && value.length === 0)) return
      if (!Array.isArray(value)) return draft.account.looser(name, "these budgets have a form that is not known")
      for (const entry of value) {
        const { budget_duration: duration, max_budget: amount } = isObject(entry) ? entry : {}
        const window = typeof duration === "string" ? windowOf(duration) : Result.fail("")
        if (typeof amount !== "number" || amount <= 0 || Result.isFailure(window)) {
          return draft.account.looser(name, "these budgets have a form that is not known")
        }
        draft.moreBudgets.push({ limit: amountOf(amount).limit, window: window.success.window, timeZone })
      }
      draft.account.changed(name, "budgets of the key; what is spent of them is not in this table, so they begin anew")
    })
  ],
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
  ["model_max_budget", ifAny(({ account }, name) => account.looser(name, "there are no budgets for single models"))],
  [
    "budget_fallbacks",
    ifAny(({ account }, name) => account.leftOut(name, "what a full budget falls back to: here it refuses"))
  ],
  ["allowed_cache_controls", ifAnyInList(({ account }, name) => account.leftOut(name, "answers are not cached"))],
  [
    "allowed_routes",
    ifAnyInList(({ account }, name, items) => {
      if (items.some((item) => EVERY_MODEL_ROUTE.has(item))) account.carried(name)
      else account.looser(name, "a key can't be held to single routes")
    })
  ],
  [
    "key_type",
    read(plain, (text, { account }, name) => {
      if (/^(default|llm_api)$/i.test(text.trim())) account.notNeeded(name, "every key here is for models")
      else account.looser(name, `${/^\w{1,20}$/.test(text) ? text : "such a"} key was not for models`)
    })
  ],
  ["policies", ifAnyInList(({ account }, name) => account.leftOut(name, "there are no guardrails"))],
  [
    "access_group_ids",
    ifAnyInList(({ account }, name) => account.leftOut(name, "groups of models are in another table: add their models"))
  ],
  [
    "object_permission_id",
    read(plain, (_, { account }, name) =>
      account.looser(name, "what it forbids is in another table (LiteLLM_ObjectPermissionTable)")
    )
  ],
  [
    "budget_id",
    read(plain, (_, { account }, name) =>
      account.looser(name, "its budget and limits are in another table (LiteLLM_BudgetTable)")
    )
  ],
  ["user_id", keepOrigin],
  ["organization_id", keepOrigin],
  ["project_id", keepOrigin],
  ["agent_id", keepOrigin],
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
  ...[
    "created_at",
    "created_by",
    "updated_at",
    "updated_by",
    "settings_updated_at",
    "last_active",
    "rotation_count",
    "last_rotation_at",
    "key_rotation_at"
  ].map((name) => [name, notNeeded(administration)] as const)
])

/** People's own name for a key. */
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
