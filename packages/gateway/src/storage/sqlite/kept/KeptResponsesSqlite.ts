/** Responses kept for repeated requests, in the store. */
import { Effect, Layer } from "effect"
import { type Erasure, KeptResponses, type NewRecord } from "../../../core/kept/KeptResponses.ts"
import type { Quota } from "../../../core/domain/Quota.ts"
import { DiskReserve } from "../file/DiskReserve.ts"
import { unavailable } from "../file/SqliteErrors.ts"
import { Writer } from "../writer/Writer.ts"
import { type KeptTable, keptTable, PRUNED_AT_ONCE } from "./KeptTable.ts"

export const layer = Layer.effect(
  KeptResponses,
  Effect.gen(function* () {
    const writer = yield* Writer
    const { db } = writer
    const isRevoked = db.prepare("SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NOT NULL")
    // A request may end after its key was revoked.
    const table = keptTable(db, yield* DiskReserve, ({ keyId }) => isRevoked.get(keyId) !== undefined)
    const read = <A>(use: (table: KeptTable) => A) => Effect.try({ try: () => use(table), catch: unavailable })
    /** Overwrites what it deletes with zeros, because pages that are only marked as free would keep the responses. */
    const change = <A>(use: (table: KeptTable) => A) =>
      writer.write(() => {
        db.exec("PRAGMA secure_delete = ON")
        try {
          return use(table)
        } finally {
          db.exec("PRAGMA secure_delete = OFF")
        }
      })
    const repeatedly = Effect.fnUntraced(function* (some: (table: KeptTable) => number) {
      while ((yield* change(some)) === PRUNED_AT_ONCE) yield* Effect.yieldNow
    })

    return {
      claim: Effect.fn("KeptResponses.claim")((id: string, _: string, since: number) =>
        read((table) => table.find(id, since) ?? ({ kind: "first", at: since } as const))
      ),
      release: () => Effect.void,
      keep: Effect.fn("KeptResponses.keep")((id: string, record: NewRecord, at: number, quota: Quota) =>
        change((table) => table.keep(id, record, at, quota))
      ),
      erase: Effect.fn("KeptResponses.erase")((what: Erasure) => repeatedly((table) => table.eraseSome(what))),
      prune: Effect.fn("KeptResponses.prune")(function* (before: number) {
        yield* repeatedly((table) => table.pruneSome(before))
        yield* repeatedly((table) => table.deleteRevoked())
        return (yield* read((table) => table.held())).length > 0
      }),
      held: read((table) => table.held())
    }
  })
)
