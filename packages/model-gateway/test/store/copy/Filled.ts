/** A store in a file with something of everything. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { AuditRepository } from "../../../../gateway/src/core/domain/AuditRepository.ts"
import { KeptResponses } from "../../../../gateway/src/core/kept/KeptResponses.ts"
import { KeyStore } from "../../../../gateway/src/core/keys/KeyStore.ts"
import { LedgerJournal } from "../../../../gateway/src/core/ledger/LedgerJournal.ts"
import { ReceiptArchive } from "../../../../gateway/src/core/receipts/ReceiptArchive.ts"
import { ResponseRepository } from "../../../../gateway/src/core/responses/ResponseRepository.ts"
import * as SqliteStore from "../../../../gateway/src/storage/sqlite/file/SqliteStore.ts"
import {
  HOUR,
  NOW,
  receipt,
  reservation,
  settlement,
  temporaryFile,
  today,
  usage
} from "../../../../gateway/test/storage/Support.ts"

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
      { all: 1e9, perKey: 1e9 }
    )
  )
  yield* Effect.flatMap(KeptResponses, (kept) =>
    kept.keep(
      "a",
      { keyId: record.id, request: "r", answer: { kind: "bytes", headers: {}, body: Uint8Array.from([0, 255]) } },
      NOW,
      { all: 1e9, perKey: 1e9 }
    )
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

export const withKeys = <E>(store: Layer.Layer<Layer.Success<typeof SqliteStore.layerMemory>, E>) =>
  Layer.provideMerge(KeyStore.layer, store)

/** The file, and the secret of its key. */
export const filledFile = Effect.gen(function* () {
  const filename = yield* temporaryFile
  const secret = yield* Effect.scoped(Effect.provide(fill, withKeys(SqliteStore.layer({ filename }))))
  return { filename, secret }
})
