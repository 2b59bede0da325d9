/** What a worker has in place of a store: the owner's, over the channel. */
import { Context, Deferred, Effect, Latch, Layer, Queue, Stream } from "effect"
import { IdempotencyConflict, StoreUnavailable } from "../core/domain/Errors.ts"
import { StoreHealth } from "../core/domain/StoreHealth.ts"
import { Telemetry } from "../core/domain/Telemetry.ts"
import { Grants, type Ask, type Answer, type Call, type ShareName, type Standing } from "../core/grants/Grants.ts"
import { Listeners } from "../core/grants/GrantsMemory.ts"
import { type Begun, Idempotency } from "../core/idempotency/Idempotency.ts"
import type { KeptAnswer } from "../core/idempotency/IdempotencyRepository.ts"
import { type Budgeted, type ChangeNotice, KeyRepository } from "../core/keys/KeyRepository.ts"
import { LedgerJournal, settling } from "../core/ledger/LedgerJournal.ts"
import { RotationRepository } from "../core/pool/RotationRepository.ts"
import { ReceiptArchive } from "../core/receipts/ReceiptArchive.ts"
import { ResponseRepository } from "../core/responses/ResponseRepository.ts"
import { type Channel, InWords } from "./Channel.ts"
import { journalShape, keyShape, receiptShape, remote, responseShape, rotationShape } from "./Ports.ts"
import { reservationLine, settlementLine } from "./RowsOverIpc.ts"

/** Whether an attempt's row has left this process before its provider is asked. */
export type Reserve = "wait" | "behind"

export const layer = (channel: Channel, reserve: Reserve) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const store = storeHealth(channel)
      return Context.make(KeyRepository, yield* keyRepository(channel)).pipe(
        Context.add(LedgerJournal, journal(channel, store, reserve)),
        Context.add(Grants, grants(channel)),
        Context.add(StoreHealth, store),
        Context.add(Idempotency, idempotency(channel)),
        Context.add(
          ResponseRepository,
          remote<ResponseRepository["Service"], typeof responseShape>(channel, "responses", responseShape)
        ),
        Context.add(RotationRepository, {
          ...remote<RotationRepository["Service"], typeof rotationShape>(channel, "rotation", rotationShape),
          // The owner has written it before it tells its workers.
          setDisabled: () => Effect.void,
          // The owner tells each of its workers.
          reset: () => Effect.void,
          changes: Stream.empty
        }),
        Context.add(ReceiptArchive, {
          ...remote<ReceiptArchive["Service"], typeof receiptShape>(channel, "receipts", receiptShape),
          // The owner adds those that it is told of.
          add: () => {}
        }),
        Context.add(Telemetry, {
          refused: (error, status) => channel.tell("refused", error, status),
          prometheus: () => ""
        })
      )
    })
  )

/** A notice is answered when it is in force here: whoever follows `changes` asks for the next one after that. */
const keyRepository = Effect.fnUntraced(function* (channel: Channel) {
  const notices = yield* Queue.unbounded<{
    readonly notice: ChangeNotice
    readonly inForce: Deferred.Deferred<void>
  }>()
  channel.answer("changed", (notice: ChangeNotice) =>
    Effect.suspend(() => {
      const inForce = Deferred.makeUnsafe<void>()
      Queue.offerUnsafe(notices, { notice, inForce })
      return Deferred.await(inForce)
    })
  )
  let last: Deferred.Deferred<void> | undefined
  const next = Effect.suspend(() => {
    if (last !== undefined) Deferred.doneUnsafe(last, Effect.void)
    return Effect.map(Queue.take(notices), ({ inForce, notice }) => {
      last = inForce
      return notice
    })
  })
  const repository: KeyRepository["Service"] = {
    ...remote<KeyRepository["Service"], typeof keyShape>(channel, "keys", keyShape),
    touch: (id, usedAt) => Effect.sync(() => channel.tell("touch", id, usedAt)),
    budgeted: (visit) => Effect.flatMap(channel.call("keys.budgeted"), (all) => visit(all as ReadonlyArray<Budgeted>)),
    changes: Stream.flatMap(Stream.forever(Stream.succeed(next)), Stream.fromEffect)
  }
  return repository
})

const journal = (channel: Channel, store: StoreHealth["Service"], reserve: Reserve): LedgerJournal["Service"] => ({
  ...remote<LedgerJournal["Service"], typeof journalShape>(channel, "journal", journalShape),
  lastId: Effect.succeed(0),
  abandonOpen: () => Effect.succeed(0),
  abandon: () => Effect.void,
  reserve: (row) =>
    Effect.suspend(() => {
      const trouble = store.trouble()
      if (trouble !== undefined) return Effect.fail(new StoreUnavailable({ message: trouble.message }))
      channel.gather("rows", new InWords((name) => reservationLine(row, name)))
      return reserve === "wait" ? channel.handedOver : Effect.void
    }),
  ...settling((row) => channel.gathered("rows", new InWords((name) => [row.reservation.id, settlementLine(row, name)])))
})

const grants = (channel: Channel) => {
  const listeners = new Listeners()
  channel.answer("called", (call: Call) => Effect.sync(() => listeners.answer(call)))
  return {
    isInForce: () => true,
    ask: (asks: ReadonlyArray<Ask>) =>
      Effect.map(channel.call("ask", asks), (answers) => answers as ReadonlyArray<Answer>),
    give: (gives: unknown) => channel.tell("give", gives),
    called: listeners.add,
    standing: (shares: ReadonlyArray<ShareName>) =>
      Effect.map(channel.call("standing", shares), (standings) => standings as ReadonlyArray<Standing>)
  }
}

/** As the owner last told. */
const storeHealth = (channel: Channel): StoreHealth["Service"] => {
  let trouble: ReturnType<StoreHealth["Service"]["trouble"]>
  const inTrouble = Latch.makeUnsafe(false)
  channel.listen("store", (told: typeof trouble) => {
    trouble = told
    if (told === undefined) inTrouble.closeUnsafe()
    else inTrouble.openUnsafe()
  })
  return {
    trouble: () => trouble,
    troubled: inTrouble.await,
    file: () => ({ path: null, bytes: 0, schema: 0 }),
    lagMs: () => 0,
    lastCommitMs: () => 0,
    commits: () => 0
  }
}

/** Which requests run is known to the owner: a repeated one may come to another worker. */
const idempotency = (channel: Channel): Idempotency["Service"] => ({
  erase: (keyId, responseId) => Effect.asVoid(channel.call("idempotency.erase", keyId, responseId)),
  begin: (wish) =>
    Effect.acquireRelease(
      Effect.map(channel.call("idempotency.begin", wish), (found) => found as OwnersAnswer),
      (found) => Effect.sync(() => found.kind === "first" && channel.tell("idempotency.release", found.claim))
    ).pipe(
      Effect.flatMap((found): Effect.Effect<Begun, IdempotencyConflict> => {
        if (found.kind === "conflict") return Effect.fail(new IdempotencyConflict({ why: found.why }))
        if (found.kind === "repeated") return Effect.succeed({ ...found, answer: withBytes(found.answer) })
        const { claim } = found
        return Effect.succeed({
          kind: "first",
          keep: (answer) => Effect.map(channel.call("idempotency.keep", claim, answer), (isKept) => isKept === true),
          release: Effect.sync(() => channel.tell("idempotency.release", claim))
        })
      })
    )
})

export type OwnersAnswer =
  | { readonly kind: "conflict"; readonly why: IdempotencyConflict["why"] }
  | { readonly kind: "repeated"; readonly answer: KeptAnswer }
  | { readonly kind: "first"; readonly claim: number }

const withBytes = (answer: KeptAnswer): KeptAnswer => ({ ...answer, body: new Uint8Array(answer.body) })
