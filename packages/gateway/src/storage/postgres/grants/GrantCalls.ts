/** How gateways call quota back from each other, and how they respond: Postgres notifications, on one channel per gateway. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Context, Effect, Queue, Schema } from "effect"
import { CALL_WAIT_MS } from "../../../core/grants/Grants.ts"
import type { FlushQueue } from "../ledger/Flusher.ts"
import type { Node } from "../nodes/Node.ts"

const Called = Schema.Struct({
  call: Schema.Int,
  from: Schema.Int,
  scope: Schema.String,
  kind: Schema.String,
  start: Schema.Int,
  need: Schema.Finite,
  // Missing from gateways of an older version.
  overdrawn: Schema.optionalKey(Schema.Boolean)
})
const Answered = Schema.Struct({ answer: Schema.Int, from: Schema.Int, freeInMs: Schema.NullOr(Schema.Finite) })
const Heard = Schema.fromJsonString(Schema.Union([Called, Answered]))

/** As in `move_shares`. */
const channelOf = (node: number, schema: string): string => `model_gateway_${node}_${schema}`.slice(0, 63)

/** Calls that this gateway made, and the gateways that responded. */
export class Calling extends Context.Service<Calling, CallBook>()("gateway/storage/Calling") {}

export class CallBook {
  private readonly answers = new Map<number, Map<number, number>>()
  private readonly waiting = new Map<number, () => void>()
  private readonly clock: Clock.Clock
  private last = 0

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** The number of a new call. Responses may arrive before it is known who will respond. */
  begin(): number {
    const call = ++this.last
    this.answers.set(call, new Map())
    return call
  }

  end(call: number): void {
    this.answers.delete(call)
    this.waiting.delete(call)
  }

  answered({ answer, freeInMs, from }: typeof Answered.Type): void {
    this.answers.get(answer)?.set(from, freeInMs ?? Number.POSITIVE_INFINITY)
    this.waiting.get(answer)?.()
  }

  /** Milliseconds until a holder has quota free; 0 if one gave it. A silent holder keeps its quota. */
  readonly freeInMs = (call: number, holders: ReadonlyArray<number>): Effect.Effect<number> => {
    const known = () => this.answers.get(call)
    const all = Effect.callback<void>((resume) => {
      const look = () => {
        if (holders.every((holder) => known()?.has(holder))) resume(Effect.void)
      }
      this.waiting.set(call, look)
      look()
    })
    return Effect.timeoutOption(all, CALL_WAIT_MS).pipe(
      Effect.map(() =>
        holders.reduce(
          (least, holder) => Math.min(least, known()?.get(holder) ?? CALL_WAIT_MS),
          Number.POSITIVE_INFINITY
        )
      ),
      Effect.provideService(Clock.Clock, this.clock)
    )
  }
}

/** The pause before it listens again after a failure. */
const AGAIN = "100 millis"

/** Completes when it listens, and continues until the scope closes. */
export const makeCalling = Effect.fnUntraced(function* (
  sql: PgClient,
  node: Node["Service"],
  flusher: FlushQueue,
  schema: string
) {
  const book = new CallBook(yield* Clock.Clock)
  const { shares } = flusher
  const { listeners } = shares

  const called = ({ call, from, kind, need, overdrawn = false, scope, start }: typeof Called.Type) => {
    // Leases are found without the end of their window.
    const share = { scope, kind, start, end: 0 }
    const { amount, freeInMs } = listeners.answer({
      share,
      need,
      goesFirst: from < node.id,
      isOverdrawn: overdrawn
    })
    shares.give(share, amount)
    shares.tell({ node: from, call, freeInMs })
    flusher.hurry()
  }
  const heard = (payload: string) =>
    Effect.match(Schema.decodeEffect(Heard)(payload), {
      onFailure: () => {},
      onSuccess: (one) => ("answer" in one ? book.answered(one) : called(one))
    })
  const following = (queue: Queue.Dequeue<{ readonly payload: string }, unknown>) =>
    Effect.forever(Effect.flatMap(Queue.take(queue), ({ payload }) => heard(payload)))

  const giveFree = (isOverdrawn: boolean) => {
    for (const { kind, scope, start } of shares.rates()) {
      const share = { scope, kind, start, end: 0 }
      const call = { share, need: Number.POSITIVE_INFINITY, goesFirst: false, isOverdrawn }
      shares.give(share, listeners.answer(call).amount)
    }
    flusher.hurry()
  }

  const channel = channelOf(node.id, schema)
  const first = yield* sql.listen(channel)
  // The server may have been replaced, and nobody repeats which limits were overdrawn meanwhile: assume all.
  const again = Effect.gen(function* () {
    const queue = yield* sql.listen(channel)
    giveFree(true)
    flusher.doubt()
    return yield* following(queue)
  })
  yield* Effect.forkScoped(
    Effect.andThen(
      Effect.ignore(following(first)),
      Effect.forever(Effect.andThen(Effect.ignore(Effect.scoped(again)), Effect.sleep(AGAIN)), { disableYield: true })
    )
  )
  // Other gateways can use at once what this one did not use of the last minute.
  yield* Effect.addFinalizer(() => Effect.sync(() => giveFree(false)))
  return book
})
