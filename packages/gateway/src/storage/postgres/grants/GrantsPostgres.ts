/** Quota leases on one database. Each gateway decides in memory; if its lease is too small it asks Postgres, which recalls others. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Exit, Layer, Request, RequestResolver } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import {
  type QuotaGrant,
  type QuotaRequest,
  Grants,
  type SharedBudget,
  type ShareName,
  type SharedGrants
} from "../../../core/grants/Grants.ts"
import { hasColumn, scopeColumn } from "../../records/Scopes.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { Flusher } from "../ledger/Flusher.ts"
import { windowRow } from "../ledger/PostgresRows.ts"
import * as Statements from "../ledger/Statements.ts"
import { Node } from "../nodes/Node.ts"
import { Calling } from "./GrantCalls.ts"
import type { Granted } from "./ShareBooks.ts"

class StandingRequest extends Request.Class<{ readonly share: ShareName }, SharedBudget, StoreUnavailable> {}

export const layer = Layer.effect(
  Grants,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const flusher = yield* Flusher
    const node = yield* Node
    const book = yield* Calling

    const giveBack = (share: ShareName, amount: number) => {
      flusher.shares.give(share, amount)
      flusher.hurry()
    }

    const question = (ask: QuotaRequest, call: number | undefined) =>
      Effect.callback<Granted, StoreUnavailable>((resume) => flusher.ask({ ask, call, resume }))

    const answered = Effect.fnUntraced(function* (
      ask: QuotaRequest,
      call: number
    ): Effect.fn.Return<QuotaGrant, StoreUnavailable> {
      const first = yield* question(ask, call)
      if (first.holders.length === 0) return first
      const given = yield* book.freeInMs(call, first.holders)
      const need = ask.need - first.amount
      const more = question({ ...ask, need, want: Math.max(need, ask.want - first.amount) }, undefined)
      const second = yield* Effect.tapError(more, () => Effect.sync(() => giveBack(ask.share, first.amount)))
      return { ...second, amount: first.amount + second.amount, freeInMs: Math.min(given, second.freeInMs) }
    })

    const askOne = (ask: QuotaRequest) =>
      Effect.suspend(() => {
        const trouble = flusher.trouble ?? node.trouble()
        if (trouble !== undefined) return Effect.fail(trouble)
        const call = book.begin()
        return Effect.ensuring(
          answered(ask, call),
          Effect.sync(() => book.end(call))
        )
      })

    /** One statement for all that are asked for at once. */
    const standings = RequestResolver.make<StandingRequest>((entries) =>
      sql
        .unsafe<{ spent: string; reserved: string }>(Statements.standing, [
          JSON.stringify(entries.map(({ request }, n) => standingRow(request.share, n)))
        ])
        .pipe(
          Effect.map((rows) => {
            for (const [index, { reserved, spent }] of rows.entries())
              entries[index]!.completeUnsafe(Exit.succeed({ spent: Number(spent), reserved: Number(reserved) }))
          }),
          orUnavailable
        )
    )
    const standing = (shares: ReadonlyArray<ShareName>) =>
      Effect.forEach(shares, (share) => Effect.request(new StandingRequest({ share }), standings), {
        concurrency: "unbounded"
      })

    return {
      isInForce: () => node.trouble() === undefined,
      ask: (asks) => Effect.forEach(asks, askOne, { concurrency: "unbounded" }),
      give: (gives) => {
        for (const { amount, share } of gives) giveBack(share, amount)
      },
      called: flusher.shares.listeners.add,
      standing
    } satisfies SharedGrants as SharedGrants
  })
)

const standingRow = ({ end, kind, scope, start }: ShareName, n: number) => {
  const { column, subject } = hasColumn(scope) ? scopeColumn(scope) : { column: "none", subject: "" }
  const { first, last } = windowRow({ scope, window: kind, start }, n)
  const whose = { key_id: null, team: null, [column]: storable(subject) }
  return { n, scope: storable(scope), ...whose, start, end_: Math.min(end, Number.MAX_SAFE_INTEGER), first, last }
}
