/** Keys and teams that have budgets, page by page. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { StoreUnavailable } from "../../core/domain/Errors.ts"
import type { Budgeted, KeyRepository } from "../../core/keys/KeyRepository.ts"

/** Rows per read. */
const PAGE_ROWS = 500

interface BudgetedRow {
  readonly place: number | string
  readonly id: string
  readonly name: string | null
  readonly team: string | null
  readonly budgets: string
}

export const makeBudgeted = (
  sql: SqlClient.SqlClient,
  orUnavailable: <A>(read: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, StoreUnavailable>
): KeyRepository["Service"]["budgeted"] => {
  const keysAfter = (place: number | string) =>
    sql<BudgetedRow>`SELECT seq AS place, id, name, team, budgets FROM keys
      WHERE seq > ${Number(place)} AND revoked_at IS NULL AND budgets <> '[]' ORDER BY seq LIMIT ${PAGE_ROWS}`

  const teamsAfter = (place: number | string) =>
    sql<BudgetedRow>`SELECT name AS place, name AS id, NULL AS name, name AS team, budgets FROM teams
      WHERE name > ${String(place)} AND budgets <> '[]' ORDER BY name LIMIT ${PAGE_ROWS}`

  return Effect.fn("KeyRepository.budgeted")(function* (visit) {
    for (const [scope, read, first] of [
      ["key", keysAfter, 0],
      ["team", teamsAfter, ""]
    ] as const) {
      let place: number | string | undefined = first
      while (place !== undefined) {
        const rows: ReadonlyArray<BudgetedRow> = yield* orUnavailable(read(place))
        yield* visit(
          rows.map(({ budgets, id, name, team }) => ({ scope, id, name, team, budgets: budgetsIn(budgets) }))
        )
        place = rows.length < PAGE_ROWS ? undefined : rows.at(-1)?.place
        yield* Effect.yieldNow
      }
    }
  })
}

const budgetsIn = (text: string): Budgeted["budgets"] => JSON.parse(text)
