/** An exported table as keys of this gateway, or everything that is wrong with it. */
import { Result } from "effect"
import type { Budget } from "../../../core/domain/Budget.ts"
import { MAX_BUDGET_USD, usdToNano } from "../../../core/domain/Money.ts"
import { type Entry, type Problem, RowAccount } from "./Account.ts"
import { amountOf, windowOf } from "./Budgets.ts"
import { columns, nameIt } from "./Columns.ts"
import { type Cell, type CsvRow, parseCsv } from "./Csv.ts"
import { type Candidate, type Draft, emptyDraft } from "./Draft.ts"
import { isNothing } from "./Values.ts"

export interface Table {
  readonly candidates: ReadonlyArray<Candidate>
  /** Lines of rows that are no keys for callers, and why. */
  readonly skipped: ReadonlyArray<{ readonly line: number; readonly why: string }>
  readonly entries: ReadonlyArray<Entry>
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

export const readTable = (text: string, options: ReadOptions): Result.Result<Table, ReadonlyArray<Problem>> => {
  const parsed = parseCsv(text.replace(/^\uFEFF/, ""))
  if (Result.isFailure(parsed)) return Result.fail([parsed.failure])
  const [header, ...rows] = parsed.success
  const wrong = header === undefined ? [{ line: 1, column: 1, message: "there is no line" }] : wrongHeader(header)
  if (header === undefined || wrong.length > 0) return Result.fail(wrong)

  const names = header.map(({ text }) => text.trim())
  const problems: Array<Problem> = []
  const entries: Array<Entry> = []
  const candidates: Array<Candidate> = []
  const skipped: Array<Table["skipped"][number]> = []
  const lines = new Map<string, number>()
  for (const row of rows) {
    const draft = readRow(row, names, options)
    const { account, digest, line } = draft
    const before = lines.get(digest)
    if (digest !== "" && before !== undefined) account.wrong("token", `the key of line ${before} once more`)
    lines.set(digest, line)
    problems.push(...account.problems)
    if (draft.team === DASHBOARD) skipped.push({ line, why: "a session of LiteLLM's own pages" })
    else {
      candidates.push(candidateOf(draft, options))
      entries.push(...account.entries)
    }
  }
  return problems.length > 0 ? Result.fail(problems) : Result.succeed({ candidates, skipped, entries })
}

const wrongHeader = (header: CsvRow): ReadonlyArray<Problem> => {
  const names = header.map(({ text }) => text.trim())
  const at = (cell: Cell) => ({ line: cell.line, column: cell.column })
  const twice = header.filter(({ text }, index) => names.indexOf(text.trim()) !== index)
  if (!names.includes("token")) {
    const [first] = header
    const hint = names.length === 1 && /[;\t]/.test(names[0] ?? "") ? "; separate the cells with commas" : ""
    return [
      {
        line: first?.line ?? 1,
        column: 1,
        message: `the first line should name the columns of LiteLLM_VerificationToken, and \`token\` is not among them${hint}`
      }
    ]
  }
  return twice.map((cell) => ({ ...at(cell), message: `the column ${cell.text.trim()} is there twice` }))
}

const readRow = (row: CsvRow, names: ReadonlyArray<string>, options: ReadOptions): Draft => {
  const line = row[0]?.line ?? 0
  const account = new RowAccount(line)
  const draft = emptyDraft(line, account)
  if (row.length !== names.length) {
    account.wrong("token", `${row.length} cells in a table of ${names.length} columns`)
    return draft
  }
  for (const [index, name] of names.entries()) {
    const cell = row[index]
    if (cell === undefined || isNothing(cell)) {
      if (name === "token") account.wrong(name, "there is none")
      continue
    }
    const column = columns.get(name)
    if (column === undefined) account.leftOut(name, "a column that is not known")
    else column(cell.text, draft, name, options)
  }
  if (draft.shown !== null) {
    if (draft.name === null) nameIt(draft.shown, draft, "key_name")
    else account.notNeeded("key_name", "its alias is its name")
  }
  return draft
}

const candidateOf = (draft: Draft, options: ReadOptions): Candidate => {
  const { budgets, spent } = budgetsOf(draft, options)
  const isLooser = draft.account.isLooser
  return {
    line: draft.line,
    digest: draft.digest,
    isLooser,
    isDisabled: draft.isBlocked || (isLooser && !options.allowLooser),
    spent,
    key: {
      name: draft.name,
      team: draft.team,
      models: draft.models,
      limits: draft.limits,
      budgets,
      tags: draft.tags,
      metadata: Object.keys(draft.origin).length === 0 ? draft.metadata : { ...draft.metadata, litellm: draft.origin },
      expiresAt: draft.expiresAt
    }
  }
}

/** The budget of the row and those of `budget_limits`; of one window the smaller amount holds. */
const budgetsOf = (draft: Draft, options: ReadOptions) => {
  const { account, budgetDuration, budgetResetAt, maxBudget, moreBudgets, spend } = draft
  const all = [...moreBudgets]
  const amount = maxBudget === undefined ? undefined : amountOf(maxBudget)
  let spent = 0
  if (amount === undefined) {
    if (budgetDuration !== undefined) account.notNeeded("budget_duration", "there is no amount for it")
    if (spend > 0) account.notNeeded("spend", "no budget counts it")
  } else if (amount.limit === 0) {
    draft.isBlocked = true
    account.changed("max_budget", "it lets nothing be spent: the key is disabled")
    if (budgetDuration !== undefined) account.notNeeded("budget_duration", "there is no amount for it")
    if (spend > 0) account.notNeeded("spend", "no budget counts it")
  } else {
    const { change, limit } = amount
    const mapped = budgetDuration === undefined ? undefined : windowOf(budgetDuration)
    const found =
      mapped !== undefined && Result.isSuccess(mapped) ? mapped.success : { window: "total" as const, change: "" }
    all.push({ limit, window: found.window, timeZone: found.window === "total" ? "UTC" : options.timeZone })
    say(account, "max_budget", change)
    if (budgetDuration !== undefined) say(account, "budget_duration", found.change)
    const isOver = budgetResetAt !== undefined && budgetResetAt <= options.now
    if (spend > 0 && isOver) account.notNeeded("spend", "the window that it was spent in is over")
    else if (spend > 0) {
      spent = usdToNano(Math.min(spend, MAX_BUDGET_USD))
      account.carried("spend")
    }
  }
  if (budgetResetAt !== undefined) account.notNeeded("budget_reset_at", "windows follow from the clock")
  const smallest = new Map<string, Budget>()
  for (const budget of all) {
    const before = smallest.get(budget.window)
    if (before === undefined || budget.limit < before.limit) smallest.set(budget.window, budget)
  }
  return { budgets: [...smallest.values()], spent }
}

const say = (account: RowAccount, column: string, change: string): void =>
  change === "" ? account.carried(column) : account.changed(column, change)
