/** Rows of teams and users: what they share among their keys is a team here. */
import { nanoToDecimal } from "@model-gateway/gateway/internal/core/domain/Money"
import type { Columns } from "../columns/Column.ts"
import { teamColumns, userColumns } from "../columns/OwnerColumns.ts"
import type { Draft, TeamCandidate } from "../Draft.ts"
import { rulesOf } from "../ModelRules.ts"
import { type ReadOptions, readRow, type Row } from "../ReadKeys.ts"
import { isTeamName, teamName } from "../Related.ts"
import { budgetsOf, limitsOf } from "../Spent.ts"

export interface Owner {
  readonly draft: Draft
  readonly team: TeamCandidate
  /** Nothing passes. */
  readonly isBlocked: boolean
  /** A budget or limits: there is something to share. */
  readonly isShared: boolean
}

/** By their ids. No two have one name. */
export const teamsIn = (rows: ReadonlyArray<Row>, taken: Set<string>, options: ReadOptions) => {
  const aliases = Map.groupBy(rows, aliasOf)
  return ownersIn(rows, "team_id", teamColumns, options, (draft, id, row) => {
    const alias = aliasOf(row)
    const isUsable = isTeamName(alias) && aliases.get(alias)?.length === 1
    const name = unique(isUsable ? alias : teamName(id), taken)
    if (name === id) draft.account.carried("team_id")
    else draft.account.changed("team_id", `the team ${name}`)
    if (name === alias) draft.account.carried("team_alias")
    else if (alias !== "") {
      const why = isTeamName(alias) ? "several teams have that name" : "the name of a team can't be that"
      draft.account.leftOut("team_alias", `${why}: ${name}`)
    }
    return name
  })
}

export const usersIn = (rows: ReadonlyArray<Row>, taken: Set<string>, options: ReadOptions) =>
  ownersIn(rows, "user_id", userColumns, options, (draft, id) => {
    if (draft.shown !== null) draft.account.leftOut("user_alias", "its keys keep the id, in `metadata.litellm`")
    return unique(teamName(`user:${id}`), taken)
  })

const aliasOf = ({ cells }: Row): string => (cells.get("team_alias") ?? "").trim()

const unique = (name: string, taken: Set<string>): string => {
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name.slice(0, 90)}-${n}`
  taken.add(free)
  return free
}

const ownersIn = (
  rows: ReadonlyArray<Row>,
  column: string,
  columns: Columns,
  options: ReadOptions,
  nameOf: (draft: Draft, id: string, row: Row) => string
): ReadonlyMap<string, Owner> =>
  new Map(
    rows.map((row) => {
      const id = (row.cells.get(column) ?? "").trim()
      const draft = readRow(row, columns, "its keys are disabled", options)
      const name = nameOf(draft, id, row)
      const { budgets, spent } = budgetsOf(draft, options)
      const { isNothing, limits } = limitsOf(draft)
      const modelRules = rulesOf(draft, options)
      const hasLimits = Object.values(limits).some((limit) => limit !== undefined)
      return [
        id,
        {
          draft,
          team: { name, limits, budgets, modelRules, spent },
          isBlocked: draft.isBlocked || isNothing,
          isShared: budgets.length > 0 || modelRules.length > 0 || hasLimits
        }
      ]
    })
  )

/** Less would be said of every rounding. */
const WORTH_SAYING = 1_000_000

/** What was spent beside what its keys bring, which counts for the team too: both together are what LiteLLM counted, or more. */
export const besideKeys = ({ draft, team }: Owner, spentOfKeys: number): TeamCandidate => {
  const rest = team.spent - spentOfKeys
  if (team.budgets.length > 0 && rest < -WORTH_SAYING) {
    const more = nanoToDecimal(-rest)
    draft.account.changed("spend", `what its keys have spent counts in full: ${more} USD more than there`)
  }
  return { ...team, spent: Math.max(0, rest) }
}
