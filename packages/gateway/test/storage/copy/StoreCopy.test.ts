/** A store in a file, copied to Postgres: what was there is there, and goes on working. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { AuditRepository } from "../../../src/core/audit/AuditRepository.ts"
import { IdempotencyRepository } from "../../../src/core/idempotency/IdempotencyRepository.ts"
import { KeyRepository } from "../../../src/core/keys/KeyRepository.ts"
import { KeyStore } from "../../../src/core/keys/KeyStore.ts"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import { ReceiptArchive } from "../../../src/core/receipts/ReceiptArchive.ts"
import { ResponseRepository } from "../../../src/core/responses/ResponseRepository.ts"
import { copyStore } from "../../../src/storage/copy/StoreCopy.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import * as ReadOnly from "../../../src/storage/postgres/connection/ReadOnly.ts"
import { inspection } from "../../../src/storage/postgres/ledger/Verify.ts"
import { administer, freshDatabase, isSkipped, rowsIn } from "../../support/postgres/Databases.ts"
import { storeAt } from "../../support/postgres/Stores.ts"
import { everything, HOUR, NOW, receipt, reservation, settlement, temporaryFile, today, usage } from "../Support.ts"

/** Something of everything. The secret of its key. */
const fill = Effect.gen(function* () {
  const keys = yield* KeyStore
  const { record, secret } = yield* keys.create({
    name: "old\0",
    budgets: [{ limit: 5_000, window: "day", timeZone: "UTC" }]
  })
  yield* keys.putTeam("red", { limits: { rpm: 3, tpm: undefined, maxParallel: undefined }, budgets: [] })
  const journal = yield* LedgerJournal
  for (const [id, at] of [NOW, NOW + HOUR, NOW + 40 * 24 * HOUR].entries()) {
    const row = reservation({ id: id + 1, at, keyId: record.id, isAuto: id === 0 })
    yield* journal.reserve(row)
    yield* journal.settle(
      settlement(row, {
        cost: 100,
        estimated: id === 1,
        usage: { ...usage, images: id },
        charges: [today(`key:${record.id}`, at)]
      })
    )
  }
  yield* journal.reserve(reservation({ id: 9, keyId: record.id, requestId: "req_open", reserved: 77 }))
  yield* journal.settle(settlement(reservation({ id: 10 }), { cost: 1, serviceTier: "flex" }))
  const archive = yield* ReceiptArchive
  archive.add(receipt({ requestId: "req_a", at: Date.now() }), { featureSet: null, body: '{"text":"hi"}' })
  assert.isTrue(Option.isSome(yield* archive.rate("req_a", 0.5)))
  yield* Effect.flatMap(ResponseRepository, (responses) =>
    responses.save(
      { id: "resp_a", keyId: record.id, parent: null, createdAt: NOW, input: "[]", body: "{}" },
      ["msg_a"],
      1e9
    )
  )
  yield* Effect.flatMap(IdempotencyRepository, (kept) =>
    kept.keep("a", { request: "r", answer: { kind: "bytes", headers: {}, body: Uint8Array.from([0, 255]) } }, NOW)
  )
  yield* Effect.flatMap(AuditRepository, ({ add }) =>
    add({
      at: NOW,
      actor: { kind: "master_key", id: "", address: "" },
      action: "x",
      target: "y",
      before: null,
      after: 1
    })
  )
  return secret
})

const withKeys = <E>(store: Layer.Layer<Layer.Success<typeof SqliteStore.layerMemory>, E>) =>
  Layer.provideMerge(KeyStore.layer, store)

describe.skipIf(isSkipped)("store copy", () => {
  it.live("brings over all of it: keys go on working, sums stay, what is open is booked", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const secret = yield* Effect.scoped(Effect.provide(fill, withKeys(SqliteStore.layer({ filename }))))
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
        const kept = yield* Effect.flatMap(IdempotencyRepository, ({ find }) => find("a", 0))
        assert.deepStrictEqual([...Option.getOrThrow(kept).answer.body], [0, 255])
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
