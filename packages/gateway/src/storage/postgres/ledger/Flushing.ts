/**
 * Sends numbered groups to Postgres one at a time; the next fills meanwhile. After a failure it asks for the newest group and
 * sends what is missing, also after a standby took over. A repeated group changes nothing.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { ReservationRow } from "../../../core/ledger/LedgerJournal.ts"
import { isAboutValues, troubleOf, unavailable } from "../connection/PostgresErrors.ts"
import { FIRST_RETRY, LONGEST_RETRY, PATIENCE_MS } from "../connection/Transactions.ts"
import { ASK_AGAIN_MS, makeMoves } from "../grants/Moves.ts"
import { Fenced, fenced, type Node } from "../nodes/Node.ts"
import { FlushQueue, type FlushedGroup, type Opening } from "./Flusher.ts"
import { windowRow } from "./PostgresRows.ts"
import { type SentGroup, SentGroups } from "./SentGroups.ts"
import * as Statements from "./Statements.ts"

/** Milliseconds that background writes may wait for a batch. No provider across a network has responded by then. */
const BACKGROUND_MS = 5

/** Milliseconds that sent groups are kept, for a standby that lags this much. */
const REMEMBERED_MS = 30_000

/** Milliseconds of attempts when the gateway stops with pending writes. */
const LAST_TRIES_MS = 2_500

export const startFlushing = Effect.fnUntraced(function* (sql: PgClient, node: Node["Service"]) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const scope = yield* Effect.scope
  const queue = new FlushQueue(now)
  let number = 0
  const sent = new SentGroups(REMEMBERED_MS)
  let isClosing = false
  const { shares } = queue
  const moves = makeMoves(sql, node, shares, now)

  const send = ({ number, statement, texts }: SentGroup) => {
    const used = statement === Statements.openOnly ? texts.slice(0, 1) : texts
    return Effect.map(
      sql.unsafe<{ applied: number }>(statement, [node.id, number, ...used]),
      ([row]) => row?.applied === 1
    )
  }

  /** After a failure: finds out whether the server has the group, and sends the earlier ones that it lost. */
  const catchUp = Effect.fnUntraced(function* (next: number) {
    const [row] = yield* sql.unsafe<{ flushed: number }>(Statements.flushed, [node.id])
    if (row === undefined) return yield* new Fenced()
    for (const one of sent.all()) {
      if (one.number <= row.flushed || one.number >= next) continue
      yield* send(one)
      queue.resent++
    }
    return row.flushed >= next
  })

  /** Writes one group. Returns false if values in it can't be stored. */
  const write = Effect.fnUntraced(function* (group: FlushedGroup) {
    const began = now()
    const encode = () => {
      const encoded = queue.encode(group)
      const statement = encoded.isOpenOnly ? Statements.openOnly : Statements.flush
      const { ended, texts } = encoded
      return { encoded, next: { number: number + 1, ended, statement, texts, at: began } satisfies SentGroup }
    }
    let { encoded, next } = encode()
    const attempt = Effect.gen(function* () {
      if (shares.isDoubtful) ({ encoded, next } = encode())
      if (shares.isDoubtful && (yield* catchUp(next.number))) return
      if (yield* send(next)) return
      // The first attempt may have succeeded meanwhile.
      if (!(yield* catchUp(next.number))) return yield* new Fenced()
    })
    const isStored = yield* insisting(
      Effect.as(attempt, true).pipe(
        Effect.catchIf(
          (error) => !(error instanceof Fenced) && isAboutValues(error),
          () => Effect.succeed(false)
        )
      ),
      group
    )
    queue.groups++
    queue.lastMs = now() - began
    if (!isStored) return false
    number = next.number
    sent.add(next)
    queue.done(group, encoded)
    return true
  })

  /** Attempts that the store must learn again after other gateways declared this one dead. */
  let owed: ReadonlyArray<ReservationRow> | undefined
  const expelled = (group: FlushedGroup | undefined) =>
    Effect.suspend(() => {
      node.fence()
      shares.isDoubtful = true
      return Effect.as(Effect.logError(`${fenced.message} It rejoins them.`), queue.lost(fenced, group))
    })
  /** A server that took over may not know this gateway's newest group. It lacks those after the newest one that it has recorded. */
  const missing = Effect.gen(function* () {
    const known = sent.all()
    const ends = known.flatMap(({ ended: [one], number }) => (one === undefined ? [] : [{ number, ...one }]))
    const rows = yield* sql.unsafe<{ number: number }>(Statements.newestBooked, [node.id, JSON.stringify(ends)])
    const newest = rows[0]?.number ?? 0
    return known.filter((one) => one.number > newest)
  })
  const rejoin = Effect.fnUntraced(function* (attempts: ReadonlyArray<ReservationRow>) {
    const open = yield* Effect.gen(function* () {
      const groups = yield* missing
      yield* node.rejoin(sql, (groups[0]?.number ?? number + 1) - 1)
      const placed = [...attempts, ...groups.flatMap(({ ended }) => ended)].map(({ at, id }) => ({ at, id }))
      yield* sql.unsafe(Statements.reopen, [node.id, JSON.stringify(placed)])
      for (const one of groups) if (yield* send(one)) queue.resent++
      yield* moves.declare
      return yield* sql.unsafe<{ id: number }>(Statements.openOf, [node.id])
    }).pipe(sql.withTransaction)
    owed = undefined
    queue.rejoined(new Set(open.map(({ id }) => id)))
    node.rejoined()
    yield* Effect.logWarning(`This gateway has rejoined the store: ${open.length} attempts are open.`)
  })

  /** Repeats until it succeeds. Callers wait for a limited time, then get "store unavailable". */
  const insisting = <A>(attempt: Effect.Effect<A, SqlError.SqlError | Fenced>, group: FlushedGroup | undefined) =>
    Effect.gen(function* () {
      const began = now()
      for (let wait = FIRST_RETRY; ; wait = Math.min(2 * wait, LONGEST_RETRY)) {
        const done = yield* Effect.result(owed === undefined ? attempt : Effect.andThen(rejoin(owed), attempt))
        if (done._tag === "Success") {
          if (queue.trouble !== undefined) yield* Effect.logInfo("The store is available again.")
          queue.recovered()
          return done.success
        }
        shares.isDoubtful = true
        const { failure } = done
        if (failure instanceof Fenced) {
          owed ??= yield* expelled(group)
          yield* Effect.sleep(wait)
          continue
        }
        const isNews = queue.trouble === undefined
        if (isClosing || !isNews || now() - began > PATIENCE_MS || queue.isFull) {
          queue.refuse(unavailable(failure), group)
          if (isNews) yield* Effect.logError(`${queue.trouble?.message} New work is refused until that is over.`)
        } else if (wait === FIRST_RETRY) {
          yield* Effect.logWarning(`The store does not respond (${troubleOf(failure)}): waiting for it.`)
        }
        yield* Effect.sleep(wait)
      }
    })

  /** Writes each row alone to find the one that can't be stored, so that it does not block the others. */
  const apart = Effect.fnUntraced(function* ({ closes, opens }: FlushedGroup) {
    for (const [id, open] of opens) {
      const closing = closes.filter((close) => close.row.reservation.id === id)
      if (closing.length > 0) continue
      if (yield* write({ opens: new Map([[id, open]]), closes: [] })) continue
      yield* Effect.logError(notStored(open.row.requestId))
      open.resume?.(Effect.die(new Error(notStored(open.row.requestId))))
    }
    for (const close of closes) {
      const { id, requestId } = close.row.reservation
      const own = opens.get(id)
      if (yield* write({ opens: own === undefined ? new Map() : new Map([[id, own]]), closes: [close] })) continue
      yield* Effect.logError(notStored(requestId))
      close.resume?.(Effect.die(new Error(notStored(requestId))))
    }
  })

  const readWindows = Effect.fnUntraced(function* (windows: ReadonlyArray<Opening>) {
    const rows = JSON.stringify(windows.map(({ charge }, n) => windowRow(charge, n)))
    const read = Effect.result(sql.unsafe<{ spent: string }>(Statements.openWindows, [rows]))
    // A read charges nobody, so it is repeated once, in case the connection was cut.
    const first = yield* read
    const found = first._tag === "Success" ? first : yield* Effect.andThen(Effect.sleep(FIRST_RETRY), read)
    for (const [n, { resume }] of windows.entries()) {
      if (found._tag === "Failure") resume(Effect.fail(unavailable(found.failure)))
      else resume(Effect.succeed(Number(found.success[n]?.spent ?? 0)))
    }
  })

  /** Reports what the server may not have: first recorded cost, then what is left of quota leases. */
  const agree = Effect.gen(function* () {
    if (!shares.isDoubtful) return
    yield* catchUp(Number.POSITIVE_INFINITY)
    yield* moves.declare
    shares.isDoubtful = false
  })

  let unansweredSince: number | undefined
  const move = Effect.gen(function* () {
    yield* insisting(
      Effect.andThen(agree, moves.move).pipe(
        Effect.catchIf(
          (error) => !(error instanceof Fenced) && isAboutValues(error),
          (error) => Effect.sync(() => error instanceof Fenced || shares.refuse(unavailable(error)))
        )
      ),
      undefined
    )
    if (!shares.isAsking) return void (unansweredSince = undefined)
    unansweredSince ??= now()
    if (now() - unansweredSince > PATIENCE_MS) shares.refuse(undeclared)
    yield* Effect.forkIn(
      Effect.andThen(
        Effect.sleep(ASK_AGAIN_MS),
        Effect.sync(() => queue.hurry())
      ),
      scope
    )
  })

  const step = Effect.gen(function* () {
    if (shares.isDoubtful) yield* insisting(agree, undefined)
    if (shares.hasWork(now())) yield* move
    const windows = queue.takeWindows()
    if (windows.length > 0) yield* readWindows(windows)
    const group = queue.takeGroup()
    if (group.opens.size > 0 || group.closes.length > 0) {
      if (!(yield* write(group))) yield* apart(group)
    }
    queue.rest()
  })

  const company = Effect.timeoutOption(queue.urgent.await, BACKGROUND_MS)
  const turn = Effect.andThen(queue.work.await, Effect.andThen(company, Effect.andThen(nextTurn, step)))
  yield* Effect.forkScoped(Effect.forever(turn))
  node.onBeat({ newEngine: () => queue.doubt(), fenced: () => queue.doubt() })

  // Pending writes are retried for a short time at the end. Other gateways charge what is still missing at its worst case.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      isClosing = true
      const drained = Effect.gen(function* () {
        while (queue.waiting > 0 || queue.work.isOpen()) yield* Effect.sleep(1)
      })
      queue.urgent.openUnsafe()
      yield* Effect.timeoutOption(drained, LAST_TRIES_MS)
      if (queue.waiting > 0) {
        yield* Effect.logError(
          `${queue.trouble?.message ?? ""} ${queue.waiting} entries of the ledger could not be written.`
        )
      }
      queue.refuse(closed, undefined)
    }).pipe(Effect.provideService(Clock.Clock, clock), Effect.asVoid)
  )
  return queue
})

/** Writes of one event-loop iteration share a group. */
const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const closed = new StoreUnavailable({ message: "The store is not available: this gateway has stopped." })

const undeclared = new StoreUnavailable({
  message: "The store is not available: not all gateways have reported their limit leases since Postgres started."
})

const notStored = (requestId: string) =>
  `The ledger entries of ${requestId} can't be stored: Postgres refuses their values.`
