/** Reports and requests quota of this gateway. Statements are numbered, so that a cancelled one is not applied later. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import * as Statements from "../ledger/Statements.ts"
import { Fenced, type Node } from "../nodes/Node.ts"
import type { MovedRow, ShareBooks } from "./ShareBooks.ts"

/** Milliseconds until a request is repeated that waits for another gateway's report to a new server. */
export const ASK_AGAIN_MS = 50

export const makeMoves = (sql: PgClient, node: Node["Service"], shares: ShareBooks, now: () => number) => {
  let number = 0

  const declare = Effect.gen(function* () {
    const parameters = [node.id, ++number, shares.declared()]
    const [row] = yield* sql.unsafe<{ known: boolean }>(Statements.declareShares, parameters)
    if (row?.known !== true) return yield* new Fenced()
  })

  /** Reports changes, and requests quota. */
  const move = Effect.gen(function* () {
    const next = shares.next()
    const rows = yield* sql.unsafe<MovedRow>(Statements.moveShares, [node.id, ++number, ...next.texts])
    if (rows.length === 0) return yield* new Fenced()
    shares.done(next, rows, now() + ASK_AGAIN_MS)
  })

  return { declare, move }
}
