/** Opens a store on Postgres: checked, migrated, joined; with a pool for reads and changes, and a connection for the ledger. */
import { hostname } from "node:os"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { placeOf } from "../../../core/domain/StorePlace.ts"
import type { StoreOpenError } from "../../records/OpenErrors.ts"
import { Calling, makeCalling } from "../grants/GrantCalls.ts"
import { Flusher } from "../ledger/Flusher.ts"
import { startFlushing } from "../ledger/Flushing.ts"
import { Changes, makeChanges } from "../nodes/Changes.ts"
import { keepTidy } from "../nodes/Janitor.ts"
import { makeNode, Node } from "../nodes/Node.ts"
import { keepReporting, Reports } from "../nodes/Reports.ts"
import { Sharing, SharingTally } from "../nodes/Sharing.ts"
import { makeClient } from "./Client.ts"
import { defaults, type PostgresOptions } from "./PostgresOptions.ts"
import { Sockets } from "./Sockets.ts"
import { cantBeUsed, prepare } from "./Prepare.ts"

export type PostgresServices =
  | PgClient.PgClient
  | SqlClient.SqlClient
  | Node
  | Changes
  | Flusher
  | Reports
  | Sharing
  | Calling

/** Heartbeats and notifications of all gateways, which reads must not delay. */
const CONTROL_CONNECTIONS = 3

export const layer = (options: PostgresOptions): Layer.Layer<PostgresServices, StoreOpenError> =>
  Layer.effectContext(open(options)).pipe(Layer.provide(Reactivity.layer))

const open = Effect.fn("Store.open")(
  function* (options: PostgresOptions) {
    const { leaseMs = defaults.leaseMs, name = hostname(), schema = defaults.schema } = options
    const sockets = new Sockets()
    const sql = yield* makeClient(options, options.connections ?? defaults.connections, { sockets })
    yield* prepare(sql, options)
    const control = yield* makeClient(options, CONTROL_CONNECTIONS, { sockets })
    const node = yield* makeNode(control, { name, leaseMs, place: placeOf(options.url) })
    yield* cutWhatIsSilent(sockets, node)
    const changes = yield* makeChanges(control, node, schema)
    yield* keepTidy(control)
    const flusher = yield* startFlushing(yield* makeClient(options, 1, { sockets }), node)
    // Another gateway may have changed budgets.
    const forget = Stream.runForEach(yield* changes.join, () => Effect.sync(() => flusher.forgetMarks()))
    yield* Effect.forkScoped(forget, { startImmediately: true })
    const sharing = new SharingTally()
    const { shares } = flusher
    sharing.count({ held: () => shares.size, recalls: () => shares.recalls, questions: () => shares.asked })
    const reports = yield* keepReporting(control, { node, flusher, sharing })
    return Context.make(PgClient.PgClient, sql).pipe(
      Context.add(SqlClient.SqlClient, sql),
      Context.add(Node, node),
      Context.add(Changes, changes),
      Context.add(Flusher, flusher),
      Context.add(Reports, reports),
      Context.add(Sharing, sharing),
      Context.add(Calling, yield* makeCalling(control, node, flusher, schema))
    )
  },
  (effect, options) =>
    Effect.catchIf(effect, SqlError.isSqlError, (error) =>
      Effect.fail(cantBeUsed(placeOf(options.url), options.schema ?? defaults.schema, error))
    )
)

/** Checks per lease. */
const LOOKS = 3

/**
 * After the lease Postgres has been silent for as long: statements on connections that received nothing fail with "store
 * unavailable", and the next one reconnects.
 */
const cutWhatIsSilent = (sockets: Sockets, node: Node["Service"]) => {
  const look = Effect.sync(() => {
    const silent = sockets.silent()
    if (node.leaseAgeMs() < node.leaseMs) return
    for (const socket of silent) socket.destroy()
  })
  return Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(node.leaseMs / LOOKS), look)))
}
