/** Stored responses in the store. */
import { Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Quota } from "../../../core/domain/Quota.ts"
import { type Link, ResponseRepository, type StoredResponse } from "../../../core/responses/ResponseRepository.ts"
import { DiskReserve } from "../file/DiskReserve.ts"
import { firstOf } from "../../records/Statements.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"
import { ResponseWrites } from "./ResponseWrites.ts"

/** The longest time that erased data stays in the log and in the database, until the log is moved. */
const UNTIL_MOVED = "1 minute"

export const layer = Layer.effect(
  ResponseRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const writes = new ResponseWrites(writer.db, yield* DiskReserve)

    const fields = sql`responses.response_id AS id, responses.key_id AS "keyId", parent, created_at AS "createdAt",
      input, body`

    const hasErased = Latch.makeUnsafe(false)
    const erasing = (some: () => boolean) => {
      const isAny = some()
      if (isAny) hasErased.openUnsafe()
      return isAny
    }
    // Until the log is moved, it holds what was written and the database what was erased.
    const move = Effect.sync(() => {
      hasErased.closeUnsafe()
      try {
        if (writer.db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0) return
      } catch {
        // The writer reports faults of the store.
      }
      hasErased.openUnsafe()
    })
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(hasErased.await, Effect.andThen(Effect.sleep(UNTIL_MOVED), move)))
    )

    /** Commits one after another, with other work in between, until there is nothing more to do. */
    const repeatedly = Effect.fnUntraced(function* (some: () => boolean) {
      while (yield* writer.write(() => erasing(some))) yield* Effect.yieldNow
    })

    return {
      save: Effect.fn("ResponseRepository.save")(
        (response: StoredResponse, itemIds: ReadonlyArray<string>, quota: Quota) =>
          writer.write(() => {
            const { hasErased, isStored } = writes.insert(response, itemIds, quota)
            erasing(() => hasErased)
            return isStored
          })
      ),
      find: Effect.fn("ResponseRepository.find")((keyId: string, id: string) =>
        orUnavailable(
          firstOf(sql<StoredResponse>`SELECT ${fields} FROM responses WHERE key_id = ${keyId} AND response_id = ${id}`)
        )
      ),
      // No response is its own ancestor, as a parent is stored first. UNION would end a cycle.
      links: Effect.fn("ResponseRepository.links")((keyId: string, id: string) =>
        sql<Link>`WITH RECURSIVE link (id, parent, "createdAt", bytes) AS (
            SELECT response_id, parent, created_at, bytes FROM responses WHERE key_id = ${keyId} AND response_id = ${id}
            UNION
            SELECT r.response_id, r.parent, r.created_at, r.bytes FROM link
              JOIN responses r ON r.key_id = ${keyId} AND r.response_id = link.parent
          ) SELECT id, parent, "createdAt", bytes FROM link`.pipe(orUnavailable)
      ),
      withItem: Effect.fn("ResponseRepository.withItem")((keyId: string, itemId: string) =>
        orUnavailable(
          firstOf(sql<Link>`SELECT response_id AS id, parent, created_at AS "createdAt", bytes FROM responses WHERE id = (
            SELECT max(response) FROM response_items WHERE key_id = ${keyId} AND item_id = ${itemId}
          )`)
        )
      ),
      remove: Effect.fn("ResponseRepository.remove")((keyId: string, id: string) =>
        writer.write(() => erasing(() => writes.remove(keyId, id)))
      ),
      erase: Effect.fn("ResponseRepository.erase")((keyId: string) => repeatedly(() => writes.eraseSome(keyId))),
      prune: Effect.fn("ResponseRepository.prune")((cutoff: number, quota: Quota) =>
        repeatedly(() => writes.pruneSome(cutoff, quota)).pipe(
          Effect.andThen(
            orUnavailable(sql<{ readonly at: number }>`SELECT created_at AS at FROM responses ORDER BY id LIMIT 1`)
          ),
          Effect.map((rows) => rows[0]?.at)
        )
      )
    }
  })
)
