/** `/admin/requests/stream`: receipts as server-sent events. */
import { Clock, Duration, Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { Principals } from "../../../core/admin/Principals.ts"
import { CurrentPrincipal, type Principal } from "../../../core/domain/Principal.ts"
import { AdminSessions } from "../../../core/admin/AdminSessions.ts"
import { receiptId } from "../../../core/domain/RequestIds.ts"
import { LiveReceipts, MOST_READERS, type LiveReader } from "../../../core/receipts/LiveReceipts.ts"
import type { Receipt } from "../../../core/receipts/Receipt.ts"
import { ReceiptArchive } from "../../../core/receipts/ReceiptArchive.ts"
import type { ReceiptConditions } from "../../../core/receipts/ReceiptFilter.ts"
import { TooManyStreams } from "../../errors/RequestErrors.ts"
import { Readiness } from "../../shared/Readiness.ts"
import { wireReceipt } from "../../records/ReceiptRecords.ts"

/** Milliseconds without an event until a comment says that the stream lives, and between two looks whether it may go on. */
const KEEP_ALIVE_MS = 15_000
const LOOK_MS = 1_000

/** Receipts that a reader who comes back is given at most. */
const MOST_MISSED = 1000

export const makeRequestStream = Effect.gen(function* () {
  const archive = yield* ReceiptArchive
  const live = yield* LiveReceipts
  const sessions = yield* AdminSessions
  const principals = yield* Principals
  const readiness = yield* Readiness

  const mayGoOn = (principal: Principal) =>
    Effect.suspend(() => {
      if (readiness.isDraining()) return Effect.succeed(false)
      // A store that can't be asked ends nobody's session.
      const { session } = principal
      const isOpen = session === null ? Effect.succeed(true) : sessions.isOpen(session)
      return Effect.orElseSucceed(
        Effect.flatMap(isOpen, (open) => (open ? principals.isUnchanged(principal) : Effect.succeed(false))),
        () => true
      )
    })

  /** What ended since the reader's last receipt, oldest first. */
  const missed = Effect.fnUntraced(function* (conditions: ReceiptConditions, last: string) {
    const page = yield* archive.list({ ...conditions, limit: MOST_MISSED, after: undefined })
    const found = Option.match(page, { onNone: () => [], onSome: ({ receipts }) => receipts })
    const at = found.findIndex(({ requestId }) => requestId === last || receiptId(requestId) === last)
    const since = (at < 0 ? found : found.slice(0, at)).toReversed()
    return at < 0 ? [dropped(null), ...since.map(received)] : since.map(received)
  })

  /** The next events; undefined: it may not go on. */
  const next = Effect.fnUntraced(function* (
    reader: LiveReader,
    principal: Principal,
    known: ReadonlySet<string>,
    pace: Pace
  ) {
    const began = yield* Clock.currentTimeMillis
    while (yield* mayGoOn(principal)) {
      const isReady = yield* Effect.timeoutOption(reader.ready, Duration.millis(LOOK_MS))
      if (Option.isSome(isReady)) {
        // The request that ended woke this fiber in its own turn: what is to be said of it must not hold it up.
        yield* Effect.yieldNow
        yield* pace.wait
        const { dropped: count, receipts } = reader.take()
        pace.passed(receipts.length)
        const events = receipts.filter(({ requestId }) => !known.has(requestId)).map(received)
        return [...events, ...(count === 0 ? [] : [dropped(count)])].join("")
      }
      if ((yield* Clock.currentTimeMillis) - began >= KEEP_ALIVE_MS) return ": keep-alive\n\n"
    }
    return undefined
  })

  /** `perSecond`: of more than this the rest is only counted, so that a busy gateway is not busy with who watches it. */
  return Effect.fnUntraced(function* (
    conditions: ReceiptConditions,
    last: string | undefined,
    perSecond: number | undefined
  ) {
    const principal = yield* CurrentPrincipal
    // Until the response is over, which is when the Scope of the request closes.
    const reader = yield* live.read(conditions, perSecond)
    if (reader === undefined) return yield* new TooManyStreams({ most: MOST_READERS })
    const pace = new Pace(perSecond)
    // It listens already: what ends while the archive is read comes twice, and is told once.
    const before = last === undefined ? [] : yield* missed(conditions, last)
    const known = new Set(before.map((event) => /^id: rcpt_(\S+)/.exec(event)?.[1] ?? "").map((id) => `req_${id}`))
    const after = Stream.unfold(undefined, () =>
      Effect.map(next(reader, principal, known, pace), (text) =>
        text === undefined ? undefined : ([text, undefined] as const)
      )
    )
    // Says at once that the stream is open.
    return Stream.concat(Stream.make(": open\n\n", ...before), after)
  })
})

/** So many a second on average, and no more than that at once. */
class Pace {
  private readonly perSecond: number | undefined
  private restMs = 0

  constructor(perSecond: number | undefined) {
    this.perSecond = perSecond
  }

  get wait(): Effect.Effect<void> {
    return this.restMs === 0 ? Effect.void : Effect.sleep(Duration.millis(this.restMs))
  }

  passed(count: number): void {
    this.restMs = this.perSecond === undefined ? 0 : (count * 1000) / this.perSecond
  }
}

export const eventStream = (events: Stream.Stream<string>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(Stream.encodeText(events), {
    headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" }
  })

const received = (receipt: Receipt): string =>
  `id: ${receiptId(receipt.requestId)}\nevent: receipt\ndata: ${JSON.stringify(wireReceipt(receipt))}\n\n`

const dropped = (count: number | null): string => `event: dropped\ndata: ${JSON.stringify({ count })}\n\n`
