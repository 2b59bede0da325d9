/** Responses kept for repeated requests, in the store. */
import { Clock, Effect, Layer } from "effect"
import { type Erasure, KeptResponses } from "../../../core/kept/KeptResponses.ts"
import { DiskReserve } from "../file/DiskReserve.ts"
import { unavailable } from "../file/SqliteErrors.ts"
import { withoutTraces } from "../writer/WriteOperation.ts"
import { Writer } from "../writer/Writer.ts"
import { type KeptTable, keptStore, keptTable } from "./KeptTable.ts"

export const layer = Layer.effect(
  KeptResponses,
  Effect.gen(function* () {
    const writer = yield* Writer
    const clock = yield* Clock.Clock
    const { db } = writer
    const revoked = db.prepare("SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NOT NULL")
    const table = keptTable(db, yield* DiskReserve, (keyId) => revoked.get(keyId) !== undefined)
    const read = <A>(step: (table: KeptTable) => A) => Effect.try({ try: () => step(table), catch: unavailable })
    const change = <A>(step: (table: KeptTable) => A) => writer.write(() => withoutTraces(db, () => step(table)))
    const store = keptStore(read, change, () => clock.currentTimeMillisUnsafe())
    const revokedGone = store.repeatedly((table) => table.deleteRevoked())
    const erase = (what: Erasure) => store.repeatedly((table) => table.eraseSome(what))
    return { ...store, erase, prune: (before: number) => Effect.andThen(revokedGone, store.prune(before)) }
  })
)
