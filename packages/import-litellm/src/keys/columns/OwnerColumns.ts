/**
 * The columns of LiteLLM's tables of teams, users, budgets and end users, and what becomes of each: read in the schema that LiteLLM 1.106.2 ships
 * (`litellm-proxy-extras` 0.4.110, `schema.prisma`, PyPI, 2026-11-22) and in all its migrations; what they do, in its `proxy/auth` and
 * `proxy/utils.py` of the same version.
 */
import type { Draft } from "../Draft.ts"
import { object, truth } from "../ColumnValues.ts"
import {
  administration,
  allNotNeeded,
  type Column,
  type Columns,
  ifAny,
  ifAnyInList,
  leftOut,
  names,
  notNeeded,
  plain,
  read
} from "./Column.ts"
import { nameIt } from "./KeyColumns.ts"
import { readModelLimits } from "./ModelColumns.ts"
import { budgetLimits, budgets, limits, models, spend } from "./Spending.ts"

/** A team keeps no metadata here. Some of LiteLLM's own forbids. */
const FORBIDDING = new Map([
  ["tag_rpm_limit", "there are no limits of single tags for a team"],
  ["tag_tpm_limit", "there are no limits of single tags for a team"],
  ["enforced_params", "there are no parameters that a request must have"]
])

/** What a member may spend who has no budget of their own in the team. */
export const MEMBERS_BUDGET = "team_member_budget_id"

const metadata: readonly [string, Column] = [
  "metadata",
  read(object, (value, draft, name) => {
    const { account, ids } = draft
    for (const [inner, one] of Object.entries(value)) {
      if (inner === MEMBERS_BUDGET && typeof one === "string") ids.set(inner, one)
      const at = /^[\w-]{1,40}$/.test(inner) ? `${name}.${inner}` : name
      const isNothing = one === null || one === false || (typeof one === "object" && Object.keys(one).length === 0)
      const forbids = FORBIDDING.get(inner)
      if (isNothing || readModelLimits(inner, one, draft, at)) continue
      if (forbids !== undefined) account.looser(at, forbids)
      else account.leftOut(at, "teams keep no metadata")
    }
  })
]

const blocked: readonly [string, Column] = [
  "blocked",
  read(truth, (value, draft, name) => {
    if (!value) return
    draft.isBlocked = true
    draft.account.changed(name, draft.disabled)
  })
]

const named: Column = read(plain, (text, draft) => {
  draft.shown = text.trim()
})

const modelSpend: readonly [string, Column] = [
  "model_spend",
  ifAny(({ account }, name) => account.notNeeded(name, "spend by model is counted anew"))
]

const softBudget = notNeeded("alerts are configured: `alerts` in gateway.yaml")

const anyLeftOut = (why: string): Column => ifAny(({ account }: Draft, name) => account.leftOut(name, why))
const anyOfListLeftOut = (why: string): Column => ifAnyInList(({ account }: Draft, name) => account.leftOut(name, why))

export const teamColumns: Columns = new Map([
  ["team_id", names],
  ["team_alias", named],
  models,
  ...limits,
  ...budgets,
  spend,
  budgetLimits,
  blocked,
  metadata,
  ["object_permission_id", names],
  ["organization_id", names],
  modelSpend,
  ["soft_budget", softBudget],
  ["model_id", leftOut("names of a team's own: write them under `models` in gateway.yaml")],
  ["router_settings", anyLeftOut("routing is configured for names in gateway.yaml")],
  ["members_with_roles", anyLeftOut("people do not sign in here: there are no members")],
  ["admins", anyOfListLeftOut("people do not sign in here: there are no members")],
  ["members", anyOfListLeftOut("people do not sign in here: there are no members")],
  ["team_member_permissions", anyOfListLeftOut("people do not sign in here: there are no members")],
  ["default_team_member_models", anyOfListLeftOut("people do not sign in here: there are no members")],
  ["access_group_ids", anyOfListLeftOut("groups of models are in another table: add their models")],
  ["policies", anyOfListLeftOut("write its policies under `guardrails` in gateway.yaml")],
  [
    "allow_team_guardrail_config",
    read(truth, (value, { account }, name) =>
      value ? account.leftOut(name, "write its policies under `guardrails` in gateway.yaml") : undefined
    )
  ],
  ...allNotNeeded(administration, "created_at", "updated_at")
])

const people = "people do not sign in here"

export const userColumns: Columns = new Map([
  ["user_id", names],
  ["user_alias", named],
  models,
  ...limits,
  ...budgets,
  spend,
  [
    "metadata",
    read(object, (value, draft, name) => {
      for (const [inner, one] of Object.entries(value)) {
        if (!readModelLimits(inner, one, draft, `${name}.${inner}`))
          draft.account.leftOut(name, "teams keep no metadata")
      }
    })
  ],
  ["object_permission_id", names],
  ["organization_id", leftOut("LiteLLM holds no key of theirs to it")],
  modelSpend,
  ["user_role", leftOut(people)],
  ["user_email", leftOut(people)],
  ["sso_user_id", leftOut(people)],
  ["team_id", leftOut("people are no members of teams here: keys are")],
  ["teams", anyOfListLeftOut("people are no members of teams here: keys are")],
  ["allowed_cache_controls", anyOfListLeftOut("responses are not cached")],
  ["policies", anyOfListLeftOut("write its policies under `guardrails` in gateway.yaml")],
  ...allNotNeeded(people, "password", "password_reset_required", "last_breach_check_at"),
  ...allNotNeeded(administration, "created_at", "updated_at")
])

/** What LiteLLM takes from a budget for a key is `max_budget` with its time, and limits; the rest is for others. */
const noKeys = notNeeded("LiteLLM holds no key to it")

export const budgetColumns: Columns = new Map([
  ["budget_id", names],
  ...limits.filter(([name]) => name !== "max_parallel_requests"),
  ...budgets,
  ["max_parallel_requests", noKeys],
  ["soft_budget", softBudget],
  ["allowed_models", ifAnyInList(({ account }, name) => account.notNeeded(name, "LiteLLM holds no key to it"))],
  ["temp_budget_increase", leftOut("a budget grows for a time only by `model-gateway keys update`")],
  ["temp_budget_expiry", noKeys],
  ...allNotNeeded(administration, "created_at", "created_by", "updated_at", "updated_by")
])

const endUser = "there is no such setting of an end user"

export const endUserColumns: Columns = new Map([
  ["user_id", names],
  ["alias", read(plain, (text, draft, name) => nameIt(text, draft, name))],
  spend,
  [
    "blocked",
    read(truth, (value, draft, name) => {
      draft.isBlocked ||= value
      if (value) draft.account.carried(name)
    })
  ],
  ["budget_id", names],
  ["allowed_model_region", leftOut(`${endUser}: \`require\` of a key is for its deployments`)],
  ["default_model", leftOut(endUser)],
  ["object_permission_id", leftOut(endUser)]
])

/** Never read: whether there is a value is all that is asked. */
export const secretColumns: ReadonlySet<string> = new Set(["password"])
