/** A store in a file, copied to Postgres: what was there is there, and goes on working. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { AuditRepository } from "../../../../gateway/src/core/domain/AuditRepository.ts"
import { KeptResponses } from "../../../../gateway/src/core/kept/KeptResponses.ts"
import { KeyRepository } from "../../../../gateway/src/core/keys/KeyRepository.ts"
import { KeyStore } from "../../../../gateway/src/core/keys/KeyStore.ts"
import { LedgerJournal } from "../../../../gateway/src/core/ledger/LedgerJournal.ts"
import { ReceiptArchive } from "../../../../gateway/src/core/receipts/ReceiptArchive.ts"
import { copyStore } from "../../../src/store/copy/StoreCopy.ts"
import { compareStores } from "../../../src/store/copy/StoreVerify.ts"
import * as SqliteStore from "../../../../gateway/src/storage/sqlite/file/SqliteStore.ts"
import * as ReadOnly from "../../../src/store/reading/PostgresReadOnly.ts"
import { inspection } from "../../../src/store/reading/PostgresVerify.ts"
import { freshDatabase, isSkipped } from "../../../../gateway/test/support/postgres/Databases.ts"
import { administer, rowsIn } from "../../../../gateway/test/support/postgres/Queries.ts"
import { storeAt } from "../../../../gateway/test/support/postgres/Stores.ts"
import { everything, HOUR, NOW, temporaryFile, today } from "../../../../gateway/test/storage/Support.ts"
import { filledFile, withKeys } from "./Filled.ts"

describe.skipIf(isSkipped)("store copy", () => {
  it.live("brings over all of it: keys go on working, sums stay, what is open is booked", () =>
    Effect.gen(function* () {
      const { filename, secret } = yield* filledFile
      const url = yield* freshDatabase
      const target = { url: Redacted.make(url) }
      const { cost, rows } = yield* copyStore(filename, target)
      assert.deepInclude(Object.fromEntries(rows), {
        keys: 1,
        teams: 1,
        ledger: 4,
        attempts_open: 1,
        receipts: 1,
        feedback: 1,
        kept_prompts: 1,
        responses: 1,
        kept_answers: 1
      })
      assert.strictEqual(cost, 301n)
      const sound = yield* Effect.provide(inspection, Layer.fresh(ReadOnly.layer(target)))
      assert.deepStrictEqual(sound.differences, [])
      const months = yield* rowsIn(
        url,
        "SELECT tablename FROM pg_tables WHERE tablename IN ('ledger_2026_03', 'ledger_2026_04') ORDER BY 1"
      )
      assert.lengthOf(months, 2)
      yield* Effect.gen(function* () {
        const keys = yield* KeyStore
        const { key } = yield* keys.authenticate(secret)
        assert.strictEqual(key.budgets.length, 1)
        assert.strictEqual((yield* keys.team("red")).limits.rpm, 3)
        const journal = yield* LedgerJournal
        assert.strictEqual(yield* journal.openWindow(today(`key:${key.id}`)), 200)
        assert.strictEqual(yield* journal.abandonOpen(NOW + 2 * HOUR, "book"), 1)
        const [sum] = yield* journal.spend(everything)
        assert.deepInclude(sum, {
          cost: 378,
          requests: 5,
          failedRequests: 1,
          autoRequests: 1,
          autoCost: 100,
          autoBaseline: 0,
          units: { images: 3 }
        })
        const archive = yield* ReceiptArchive
        assert.strictEqual(Option.getOrThrow(yield* archive.find("req_a")).feedback?.score, 0.5)
        const kept = yield* Effect.flatMap(KeptResponses, ({ claim }) => claim("a", "", 0))
        assert.deepStrictEqual(kept.kind === "kept" && [...kept.record.answer.body], [0, 255])
        // Numbers go on after those that were copied.
        yield* keys.create({})
        yield* Effect.flatMap(AuditRepository, ({ add }) =>
          add({
            at: NOW,
            actor: { kind: "master_key", id: "", address: "" },
            action: "x",
            target: "z",
            before: null,
            after: 1
          })
        )
        assert.strictEqual(yield* Effect.flatMap(KeyRepository, ({ count }) => count), 2)
      }).pipe(Effect.provide(withKeys(storeAt(url))))
    })
  )

  it.live("gives the store the name that the configuration says, and nothing differs by that", () =>
    Effect.gen(function* () {
      const { filename } = yield* filledFile
      const target = { url: Redacted.make(yield* freshDatabase), cluster: "production" }
      yield* copyStore(filename, target)
      const { tables } = yield* compareStores(filename, target)
      assert.deepStrictEqual(
        tables.filter(({ different, inFile, inPostgres }) => different > 0 || inFile !== inPostgres),
        []
      )
      const other = { ...target, cluster: "staging" }
      assert.include((yield* Effect.flip(compareStores(filename, other))).message, "of the cluster production")
      assert.include((yield* Effect.flip(copyStore(filename, other))).message, "of the cluster production")
    })
  )

  it.live(
    "refuses a target that is not empty, a file that is none, and a store that is in use, and writes nothing",
    () =>
      Effect.gen(function* () {
        const filename = yield* temporaryFile
        const url = yield* freshDatabase
        const target = { url: Redacted.make(url) }
        const refusal = Effect.map(Effect.flip(copyStore(filename, target)), ({ message }) => message)
        assert.include(yield* refusal, "no such file")
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(SqliteStore.layer({ filename }))
            assert.include(yield* refusal, "is in use by process")
          })
        )
        yield* copyStore(filename, target)
        assert.match(yield* refusal, /is not empty: copy to another database/)
        yield* administer(url, "DELETE FROM model_gateway.meta")
        yield* copyStore(filename, target)
      })
  )
})
