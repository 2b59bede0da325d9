/** Teams in the store, and what has budgets. */
import { Effect, Option } from "effect"
import type { Budgeted, KeyRepository, TeamFilter, TeamRecord } from "../../core/keys/KeyRepository.ts"
import { listedTeam, type ListedTeamRow, type TeamRow, teamFromRow } from "./KeyRows.ts"
import { all, type Statements, visibleTo } from "./Statements.ts"

/** Rows that are read at once. */
const PAGE_ROWS = 500

interface BudgetedRow {
  readonly place: number | string
  readonly id: string
  readonly name: string | null
  readonly team: string | null
  readonly budgets: string
}

const KEYS_AFTER = `SELECT seq AS place, id, name, team, budgets FROM keys
  WHERE seq > ? AND revoked_at IS NULL AND budgets <> '[]' ORDER BY seq LIMIT ${PAGE_ROWS}`
const TEAMS_AFTER = `SELECT name AS place, name AS id, NULL AS name, name AS team, budgets FROM teams
  WHERE name > ? AND budgets <> '[]' ORDER BY name LIMIT ${PAGE_ROWS}`

/** `searched`: the expression for a team's name in lower case. */
export const makeTeamReads = (
  { contains, read }: Statements["Service"],
  searched: string
): Pick<KeyRepository["Service"], "findTeam" | "teams" | "keysOf" | "budgeted" | "count"> => {
  const countKeys = (condition: string, ...values: ReadonlyArray<string>) =>
    Effect.map(
      read<{ readonly count: number }>(
        `SELECT count(*) AS count FROM keys WHERE ${condition} AND revoked_at IS NULL`,
        ...values
      ),
      ([row]) => row?.count ?? 0
    )
  return {
    findTeam: Effect.fn("KeyRepository.findTeam")(function* (name: string) {
      const [row] = yield* read<TeamRow>("SELECT * FROM teams WHERE name = ?", name)
      return row === undefined ? Option.none<TeamRecord>() : Option.some(yield* teamFromRow(row))
    }),
    teams: Effect.fn("KeyRepository.teams")(function* ({ after, limit, search, visibility }: TeamFilter) {
      const [text, ...values] = all([
        visibleTo(visibility, "named.name"),
        after === undefined ? undefined : ["named.name > ?", after],
        search === undefined ? undefined : contains(searched, search)
      ])
      const rows = yield* read<ListedTeamRow>(
        `SELECT named.name, limits, budgets, rules, personal_keys, updated_at,
          (SELECT count(*) FROM keys WHERE team = named.name AND revoked_at IS NULL) AS keys
          FROM (SELECT name FROM teams UNION SELECT team FROM keys WHERE team IS NOT NULL AND revoked_at IS NULL) AS named
          LEFT JOIN teams ON teams.name = named.name WHERE ${text} ORDER BY named.name LIMIT ?`,
        ...values,
        limit + 1
      )
      return { teams: yield* Effect.forEach(rows.slice(0, limit), listedTeam), hasMore: rows.length > limit }
    }),
    keysOf: (team) => countKeys("team = ?", team),
    count: countKeys("TRUE"),
    budgeted: Effect.fn("KeyRepository.budgeted")(function* (visit) {
      for (const [scope, text, first] of [
        ["key", KEYS_AFTER, 0],
        ["team", TEAMS_AFTER, ""]
      ] as const) {
        let place: number | string | undefined = first
        while (place !== undefined) {
          const rows: ReadonlyArray<BudgetedRow> = yield* read<BudgetedRow>(text, place)
          yield* visit(
            rows.map(({ budgets, id, name, team }) => ({ scope, id, name, team, budgets: budgetsIn(budgets) }))
          )
          place = rows.length < PAGE_ROWS ? undefined : rows.at(-1)?.place
          yield* Effect.yieldNow
        }
      }
    })
  }
}

const budgetsIn = (text: string): Budgeted["budgets"] => JSON.parse(text)
