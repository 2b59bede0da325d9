/** Starting a worker, answering what it asks, and closing its books when it is gone. */
import cluster from "node:cluster"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { AbandonedRule } from "../core/domain/AbandonedRule.ts"
import { StoreHealth } from "../core/domain/StoreHealth.ts"
import { Telemetry } from "../core/domain/Telemetry.ts"
import type { Member } from "../core/grants/GrantOwner.ts"
import { type Ask, type Call, type Give, type Given, nothingGiven, type ShareName } from "../core/grants/Grants.ts"
import { Idempotency } from "../core/idempotency/Idempotency.ts"
import { type Budgeted, KeyRepository } from "../core/keys/KeyRepository.ts"
import type { Closing } from "../core/ledger/LedgerOwner.ts"
import { RotationRepository } from "../core/pool/RotationRepository.ts"
import { ReceiptArchive } from "../core/receipts/ReceiptArchive.ts"
import { ReceiptEvents } from "../core/receipts/ReceiptEvents.ts"
import { ResponseRepository } from "../core/responses/ResponseRepository.ts"
import { CannotListen, type HttpServer } from "../http/node/HttpServer.ts"
import { Channel, type Failures } from "./Channel.ts"
import type { Crew, CrewMember, WorkerState } from "./Crew.ts"
import { Books } from "./OwnedStore.ts"
import { WORKER } from "./Own.ts"
import { journalShape, keyShape, receiptShape, responseShape, rotationShape, serve } from "./Ports.ts"
import { type ReceiptLine, receiptOf } from "./ReceiptOverIpc.ts"
import { repeated } from "./Repeated.ts"
import { closingOf, isReservation, reservationOf, type RowLine } from "./RowsOverIpc.ts"
import type { Start } from "./Worker.ts"

/** What a dead worker had written is read within this time. */
const LAST_WORDS = "250 millis"

export interface Hired {
  /** Completes when it listens, or can't. */
  readonly ready: Effect.Effect<HttpServer["Service"], CannotListen>
  /** Completes when it is gone and its books are closed. */
  readonly gone: Effect.Effect<void>
  readonly member: CrewMember
}

/** `startOf`: what a worker is told when it starts. */
export const hiring = Effect.fnUntraced(function* (crew: Crew, startOf: (number: number) => Start) {
  const { grants, journal, ledger } = yield* Books
  const keys = yield* KeyRepository
  const rotation = yield* RotationRepository
  const receipts = yield* ReceiptArchive
  const responses = yield* ResponseRepository
  const events = yield* ReceiptEvents
  const telemetry = yield* Telemetry
  const repeats = yield* Idempotency
  const rule = yield* AbandonedRule
  const health = yield* StoreHealth
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  cluster.setupPrimary({ serialization: "advanced", args: [WORKER] })

  return (number: number): Hired => {
    const worker = cluster.fork()
    const channel = new Channel((said, done) => void (worker.isConnected() ? worker.send(said, done) : done()), run)
    const ready = Deferred.makeUnsafe<HttpServer["Service"], CannotListen>()
    const gone = Deferred.makeUnsafe<void>()
    const shares: Member = {
      call: (call: Call) =>
        channel.call("called", call).pipe(
          Effect.map((answer) => {
            const given = answer as Given
            grants.given(shares, [{ share: call.share, amount: given.amount }])
            return given
          }),
          Effect.orElseSucceed(() => nothingGiven),
          // What it gives is booked, too, where nobody waits for it any more.
          Effect.forkDetach,
          Effect.flatMap(Fiber.join)
        )
    }
    grants.join(shares)
    const own = ledger.journalOf(shares)
    const member: CrewMember = {
      number,
      pid: worker.process.pid ?? 0,
      startedAt: clock.currentTimeMillisUnsafe(),
      sharesHeld: () => grants.heldBy(shares),
      channel,
      kill: Effect.andThen(
        Effect.sync(() => worker.process.kill("SIGKILL")),
        Deferred.await(gone)
      ),
      state: undefined,
      isServing: false,
      silence: 0
    }

    channel.answer("start", () => Effect.succeed(startOf(number)))
    channel.listen("ready", (address: HttpServer["Service"]) => {
      member.isServing = true
      Deferred.doneUnsafe(ready, Effect.succeed(address))
    })
    channel.listen("failed", (message: string) =>
      Deferred.doneUnsafe(ready, Effect.fail(new CannotListen({ message })))
    )
    channel.listen("state", (state: WorkerState) => (member.state = state))

    serve<KeyRepository["Service"], typeof keyShape>(channel, "keys", keys, keyShape)
    channel.answer("keys.find", (id: string) => {
      member.isServing = true
      return keys.find(id)
    })
    channel.answer("keys.budgeted", () =>
      Effect.suspend(() => {
        const all: Array<Budgeted> = []
        return Effect.as(
          keys.budgeted((some) => Effect.sync(() => void all.push(...some))),
          all
        )
      })
    )
    channel.listen("touch", (id: string, at: number) => void run(keys.touch(id, at)))
    serve(channel, "rotation", rotation, rotationShape)
    serve(channel, "receipts", receipts, receiptShape)
    serve(channel, "responses", responses, responseShape)
    serve(channel, "journal", journal, journalShape)

    const taken = (lines: ReadonlyArray<RowLine>) => {
      const closings: Array<readonly [number, Closing]> = []
      for (const line of lines) {
        if (isReservation(line)) {
          const reserved = own.reserve(reservationOf(line, channel.names))
          // Nearly always it is queued by then: no fiber for that.
          if (!Exit.isExit(reserved)) run(Effect.ignore(reserved))
        } else closings.push([line[0], closingOf(line[1], channel.names)])
      }
      return closings
    }
    channel.listen("rows", (lines: ReadonlyArray<RowLine>) => void taken(lines))
    channel.answer("rows", (lines: ReadonlyArray<RowLine>) =>
      Effect.map(ledger.settleAll(shares, taken(lines)), (failures): Failures =>
        failures.length === 0 ? undefined : failures.map((failure) => failure?.message ?? null)
      )
    )
    channel.answer("ask", (asks: ReadonlyArray<Ask>) => {
      crew.questions++
      return grants.ask(shares, asks)
    })
    channel.listen("give", (gives: ReadonlyArray<Give>) => grants.given(shares, gives))
    channel.answer("standing", (names: ReadonlyArray<ShareName>) => ledger.standing(names))

    channel.listen("receipt", (line: ReceiptLine, prompt: string | undefined) =>
      events.ended(receiptOf(line, channel.names), prompt)
    )
    channel.listen("refused", (error: string, status: number) => telemetry.refused(error, status))

    const claims = repeated(channel, repeats, run)

    worker.on("message", (said) => {
      member.silence = 0
      channel.received(said)
    })
    let hasEnded = false
    const ended = () => {
      if (hasEnded) return
      hasEnded = true
      worker.process.kill("SIGKILL")
      channel.close()
      crew.members.delete(member)
      Deferred.doneUnsafe(ready, Effect.fail(new CannotListen({ message: "A worker ended before it was ready." })))
      const bury = Effect.gen(function* () {
        const rows = yield* ledger.buried(shares, clock.currentTimeMillisUnsafe(), rule)
        if (rows > 0)
          yield* Effect.logWarning(`worker ${number} died over ${rows} attempts: they are booked by the rule`)
      })
      const closed = Effect.andThen(
        claims.close,
        bury.pipe(
          Effect.catch(({ message }) => Effect.logError(`The books of worker ${number} are still open: ${message}`))
        )
      )
      run(
        Effect.ensuring(
          closed,
          Effect.sync(() => Deferred.doneUnsafe(gone, Effect.void))
        )
      )
    }
    // The system has no room for another process, or Node's program is gone: there is nothing that could end.
    worker.on("error", ({ message }) => {
      run(Effect.logError(`worker ${number} could not be started: ${message}`))
      if (worker.process.pid === undefined) ended()
    })
    // Everything that it had handed over has been read by then.
    worker.once("disconnect", ended)
    // While a connection is on its way to it, Node does not tell that it is disconnected.
    worker.once("exit", () => void run(Effect.delay(Effect.sync(ended), LAST_WORDS)))
    crew.members.add(member)
    channel.tell("store", health.trouble())
    return { member, ready: Deferred.await(ready), gone: Deferred.await(gone) }
  }
})
