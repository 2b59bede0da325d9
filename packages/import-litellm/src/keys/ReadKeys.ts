/** Rows of LiteLLM's table of keys as keys of this gateway, or everything that is wrong with them. */
import type { ScopeTemplate } from "@model-gateway/gateway/internal/core/domain/Budget"
import { type Entry, type Place, type Problem, RowAccount } from "./KeysAccount.ts"
import type { Columns } from "./columns/Column.ts"
import { keyColumns, nameIt } from "./columns/KeyColumns.ts"
import {
  type Candidate,
  type Disabled,
  type Draft,
  emptyDraft,
  type EndUserCandidate,
  type TeamCandidate
} from "./Draft.ts"
import { type RuleOptions, rulesOf } from "./ModelRules.ts"
import type { Related } from "./Related.ts"
import { budgetsOf, limitsOf } from "./Spent.ts"

/** Its cells that hold something. */
export interface Row {
  readonly at: Place
  readonly cells: ReadonlyMap<string, string>
}

export interface Imports {
  readonly candidates: ReadonlyArray<Candidate>
  readonly teams: ReadonlyArray<TeamCandidate>
  /** For each owner of end users. */
  readonly endUsers: ReadonlyArray<EndUserCandidate>
  /** Rows that are no keys for callers, and why. */
  readonly skipped: ReadonlyArray<{ readonly at: Place; readonly why: string }>
  readonly entries: ReadonlyArray<Entry>
  /** Cells that can't be read: nothing is imported where there are any. */
  readonly problems: ReadonlyArray<Problem>
}

export interface ReadOptions extends RuleOptions {
  /** Where LiteLLM's windows begin: its `litellm_settings.timezone`. */
  readonly timeZone: string
  /** Epoch ms. */
  readonly now: number
  /** Keys that may do more than they could are made active all the same. */
  readonly allowLooser: boolean
  /** The id of the budget that end users have by default: LiteLLM's `litellm_settings.max_end_user_budget_id`. */
  readonly endUserBudget?: string | undefined
}

/** LiteLLM's own pages sign in with keys of this team, each for a day. */
const DASHBOARD = "litellm-dashboard"

export const readKeys = (rows: Iterable<Row>, related: Related, options: ReadOptions): Imports => {
  const problems: Array<Problem> = []
  const entries: Array<Entry> = []
  const candidates: Array<Candidate> = []
  const skipped: Array<Imports["skipped"][number]> = []
  const places = new Map<string, Place>()
  const spentOfKeys = new Map<string, number>()
  for (const row of rows) {
    const draft = readRow(row, keyColumns, "the key is disabled", options)
    const { account, digest } = draft
    if (!row.cells.has("token")) account.wrong("token", "there is none")
    nameKey(draft)
    const before = places.get(digest)
    if (digest !== "" && before !== undefined) account.wrong("token", `the key of ${placeText(before)} once more`)
    places.set(digest, row.at)
    if (draft.ids.get("team_id") === DASHBOARD) {
      skipped.push({ at: row.at, why: "a session of LiteLLM's own pages" })
    } else {
      related.resolve(draft)
      const candidate = candidateOf(draft, options)
      candidates.push(candidate)
      const { team } = draft
      if (team !== null) spentOfKeys.set(team, (spentOfKeys.get(team) ?? 0) + candidate.spent)
      entries.push(...account.entries)
    }
    problems.push(...account.problems)
  }
  const others = related.finish(spentOfKeys)
  const { endUsers, perEndUser } = others
  return {
    candidates: endUsers.length === 0 && perEndUser === null ? candidates : candidates.map(withEndUsers(perEndUser)),
    teams: others.teams,
    endUsers,
    skipped,
    entries: [...entries, ...others.entries],
    problems: [...problems, ...others.problems]
  }
}

export const readRow = (
  { at, cells }: Row,
  columns: Columns,
  disabled: Disabled,
  options: { readonly timeZone: string }
): Draft => {
  const draft = emptyDraft(new RowAccount(at), disabled)
  for (const [name, text] of cells) {
    const column = columns.get(name)
    if (column === undefined) draft.account.leftOut(name, "a column that is not known")
    else column(text, draft, name, options)
  }
  return draft
}

const placeText = (at: Place): string => ("line" in at ? `line ${at.line}` : at.row)

const nameKey = (draft: Draft): void => {
  if (draft.shown === null) return
  if (draft.name === null) nameIt(draft.shown, draft, "key_name")
  else draft.account.notNeeded("key_name", "its alias is its name")
}

/** LiteLLM reads the end user from headers and the body, and so do its keys here. */
const withEndUsers =
  (perEndUser: ScopeTemplate | null) =>
  (candidate: Candidate): Candidate => {
    const endUser = { from: ["header", "field"], required: false, fixed: null } as const
    const { modelRules = [] } = candidate.key.rules ?? {}
    return { ...candidate, key: { ...candidate.key, rules: { modelRules, perEndUser, perSession: null, endUser } } }
  }

const candidateOf = (draft: Draft, options: ReadOptions): Candidate => {
  const { budgets, spent } = budgetsOf(draft, options)
  const { isNothing, limits } = limitsOf(draft)
  const modelRules = rulesOf(draft, options)
  const isLooser = draft.isLooser || draft.account.isLooser
  return {
    at: draft.account.at,
    digest: draft.digest,
    isLooser,
    isDisabled: draft.isBlocked || isNothing || (isLooser && !options.allowLooser),
    spent,
    key: {
      name: draft.name,
      team: draft.team,
      models: draft.models,
      limits,
      budgets,
      ...(modelRules.length === 0 ? {} : { rules: { modelRules, perEndUser: null, perSession: null, endUser: null } }),
      tags: draft.tags,
      metadata: Object.keys(draft.origin).length === 0 ? draft.metadata : { ...draft.metadata, litellm: draft.origin },
      expiresAt: draft.expiresAt
    }
  }
}
