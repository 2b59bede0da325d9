/** Rows of LiteLLM's table of keys as keys of this gateway, or everything that is wrong with them. */
import { type Entry, type Place, type Problem, RowAccount } from "./KeysAccount.ts"
import type { Columns } from "./columns/Column.ts"
import { keyColumns, nameIt } from "./columns/KeyColumns.ts"
import { type Candidate, type Disabled, type Draft, emptyDraft, type TeamCandidate } from "./Draft.ts"
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
  /** Rows that are no keys for callers, and why. */
  readonly skipped: ReadonlyArray<{ readonly at: Place; readonly why: string }>
  readonly entries: ReadonlyArray<Entry>
  /** Cells that can't be read: nothing is imported where there are any. */
  readonly problems: ReadonlyArray<Problem>
}

export interface ReadOptions {
  /** Where LiteLLM's windows begin: its `litellm_settings.timezone`. */
  readonly timeZone: string
  /** Epoch ms. */
  readonly now: number
  /** Keys that may do more than they could are made active all the same. */
  readonly allowLooser: boolean
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
  return {
    candidates,
    teams: others.teams,
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

const candidateOf = (draft: Draft, options: ReadOptions): Candidate => {
  const { budgets, spent } = budgetsOf(draft, options)
  const { isNothing, limits } = limitsOf(draft)
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
      tags: draft.tags,
      metadata: Object.keys(draft.origin).length === 0 ? draft.metadata : { ...draft.metadata, litellm: draft.origin },
      expiresAt: draft.expiresAt
    }
  }
}
