/**
 * Changes of keys, teams and deployments, sent to all gateways and acknowledged when in force there. They are numbered in commit
 * order; heartbeats ask for the newest, which replaces lost notifications.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Context, Deferred, Effect, Queue, Schema, type Scope, Stream } from "effect"
import type { SqlError } from "effect/sql"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { StoreChange } from "../../records/Statements.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { LEASE_MARGIN } from "./Join.ts"
import type { Node } from "./Node.ts"

export class Changes extends Context.Service<
  Changes,
  {
    /** The last step in the transaction of a change on `within`. Returns the number of the change. */
    readonly note: (within: PgClient, notice: StoreChange) => Effect.Effect<number, SqlError.SqlError>
    /** Completes when the change is in force on every gateway that may work. */
    readonly inForce: (seq: number) => Effect.Effect<void, StoreUnavailable>
    /** Changes by other gateways from now on. A change is in force here when the next one is taken. */
    readonly join: Effect.Effect<Stream.Stream<StoreChange>, never, Scope.Scope>
  }
>()("gateway/storage/Changes") {}

const Told = Schema.fromJsonString(
  Schema.Struct({ seq: Schema.Int, node: Schema.Int, what: Schema.String, id: Schema.String })
)

type NamedChange = Exclude<StoreChange["what"], "all">

/** A newer version may send changes unknown to this one. */
const isKnown = (what: string): what is NamedChange =>
  what === "key" || what === "team" || what === "end_user" || what === "rotation" || what === "reset"

interface WaitingChange {
  readonly seq: number
  readonly notice: StoreChange
  readonly since: number
}

/** Postgres sends at most 8000 bytes. */
const LONGEST_ID = 2000

/** Milliseconds between checks for missing acknowledgements. */
const FIRST_LOOK = 2
const LAST_LOOK = 50

export const makeChanges = Effect.fnUntraced(function* (sql: PgClient, node: Node["Service"], schema: string) {
  const clock = yield* Clock.Clock
  const channel = `model_gateway_${schema}`.slice(0, 63)
  const members = new Set<Queue.Queue<WaitingChange>>()
  const reading = new Set<Queue.Queue<WaitingChange>>()
  /** Changes that are not in force yet. */
  const waiting = new Map<Queue.Queue<WaitingChange>, Set<WaitingChange>>()
  let received = 0
  let acknowledged = 0
  let expected = 0

  const oldest = (): WaitingChange | undefined => {
    let first: WaitingChange | undefined
    for (const all of waiting.values())
      for (const one of all) if (first === undefined || one.seq < first.seq) first = one
    return first
  }
  /** Every change up to this number is in force. */
  const upTo = () => Math.max(acknowledged, Math.min(received, (oldest()?.seq ?? Infinity) - 1))
  const acknowledge = Effect.suspend(() => {
    const seq = upTo()
    if (seq <= acknowledged) return Effect.void
    acknowledged = seq
    return Effect.ignore(sql`UPDATE nodes SET seen = greatest(seen, ${seq}) WHERE id = ${node.id}`)
  })

  const tell = (seq: number, notice: StoreChange) =>
    Effect.suspend(() => {
      received = Math.max(received, seq)
      const one: WaitingChange = { seq, notice, since: clock.currentTimeMillisUnsafe() }
      for (const member of members) {
        if (reading.has(member)) waiting.get(member)?.add(one)
        Queue.offerUnsafe(member, one)
      }
      return acknowledge
    })

  const heard = (payload: string) =>
    Effect.matchEffect(Schema.decodeEffect(Told)(payload), {
      onFailure: () => Effect.void,
      onSuccess: ({ id, node: from, seq, what }) => {
        if (from === node.id) {
          received = Math.max(received, seq)
          return acknowledge
        }
        return tell(seq, isKnown(what) ? { what, id } : { what: "all" })
      }
    })

  const isListening = yield* Deferred.make<void>()
  let mayHaveMissed = false
  const listen = Effect.gen(function* () {
    const queue = yield* sql.listen(channel)
    if (mayHaveMissed) {
      const [row] = yield* sql<{ seq: number }>`SELECT coalesce(max(seq), 0) AS seq FROM changes`
      if (row !== undefined && row.seq > received) yield* tell(row.seq, { what: "all" })
    }
    mayHaveMissed = true
    yield* Deferred.succeed(isListening, undefined)
    return yield* Effect.forever(Effect.flatMap(Queue.take(queue), ({ payload }) => heard(payload)))
  }).pipe(Effect.scoped)
  const [last] = yield* sql<{ seq: number }>`SELECT coalesce(max(seq), 0) AS seq FROM changes`
  received = acknowledged = last?.seq ?? 0
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.ignore(listen), Effect.sleep(AGAIN)), { disableYield: true })
  )
  yield* Deferred.await(isListening)

  const run = Effect.runForkWith(yield* Effect.context<never>())
  node.onBeat({
    inForce: () => {
      const first = oldest()
      const isLate = first !== undefined && clock.currentTimeMillisUnsafe() - first.since > node.leaseMs
      return isLate ? undefined : upTo()
    },
    isUpTo: (seq) => {
      if (received < seq) run(tell(seq, { what: "all" }))
      return upTo() >= seq
    },
    newest: (seq) => {
      // Changes known to the previous heartbeat should have arrived by now.
      if (received < expected) run(tell(expected, { what: "all" }))
      // Heartbeats may be answered in a different order than they were sent.
      expected = Math.max(expected, seq)
    }
  })

  const note = (within: PgClient, notice: StoreChange) => {
    const { id, what } = notice.what === "all" || notice.id.length > LONGEST_ID ? { what: "all", id: "" } : notice
    return within<{ seq: number }>`WITH turn AS MATERIALIZED (
        SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' changes', 0))
      ), change AS (
        INSERT INTO changes (node, what, id) SELECT ${node.id}, ${what}, ${id} FROM turn RETURNING seq
      ) SELECT seq, pg_notify(${channel},
        json_build_object('seq', seq, 'node', ${node.id}::int, 'what', ${what}::text, 'id', ${id}::text)::text)::text AS told
        FROM change`.pipe(Effect.map(([row]) => row?.seq ?? 0))
  }

  const inForce = Effect.fnUntraced(
    function* (seq: number) {
      const first = new Map<number, { readonly beats: number; readonly at: number }>()
      for (let wait = FIRST_LOOK; ; wait = Math.min(2 * wait, LAST_LOOK)) {
        const late = yield* orUnavailable(
          sql<{ id: number; beats: number; lease_ms: number }>`SELECT id, beats, lease_ms FROM nodes
          WHERE id <> ${node.id} AND seen < ${seq}`
        )
        const now = clock.currentTimeMillisUnsafe()
        const working = late.filter(({ beats, id, lease_ms }) => {
          const known = first.get(id)
          if (known === undefined || known.beats !== beats) first.set(id, { beats, at: now })
          return now - (first.get(id)?.at ?? now) < lease_ms * LEASE_MARGIN
        })
        if (working.length === 0) return
        yield* Effect.sleep(wait)
      }
    },
    Effect.provideService(Clock.Clock, clock)
  )

  const join = Effect.gen(function* () {
    const queue = yield* Queue.unbounded<WaitingChange>()
    members.add(queue)
    waiting.set(queue, new Set())
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        members.delete(queue)
        waiting.delete(queue)
      })
    )
    const done = (one: WaitingChange) =>
      Effect.andThen(
        Effect.sync(() => waiting.get(queue)?.delete(one)),
        acknowledge
      )
    const begin = Effect.sync(() => reading.add(queue))
    const end = Effect.andThen(
      Effect.sync(() => {
        reading.delete(queue)
        waiting.get(queue)?.clear()
      }),
      acknowledge
    )
    return Stream.fromEffect(begin).pipe(
      Stream.flatMap(() => Stream.fromEffectRepeat(Queue.take(queue))),
      Stream.flatMap((one) => Stream.concat(Stream.succeed(one.notice), Stream.fromEffectDrain(done(one)))),
      Stream.ensuring(end)
    )
  })
  return Changes.of({ note, inForce, join })
})

/** The pause before it listens again after a failure. */
const AGAIN = "250 millis"
