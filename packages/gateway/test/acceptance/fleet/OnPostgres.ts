/** Several gateways on one Postgres, which is theirs alone: they may be killed one by one, and so may the server. */
import { Effect, Schema, Scope } from "effect"
import { type PostgresServer, startServer } from "../../../../../scripts/postgres/Server.ts"
import type { GatewayProcess } from "../../support/GatewayProcess.ts"
import { eventually } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { clusterWith } from "../../support/postgres/Gateways.ts"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { switchTo } from "../../support/postgres/Switch.ts"
import { verifiedLedger } from "../../support/VerifiedLedger.ts"
import { type Blow, type Fleet, told } from "./Fleet.ts"

export interface OnPostgresOptions {
  /** A folder with `initdb` and `postgres`; with `withStandby`, `pg_basebackup`, too. */
  readonly bin: string
  readonly nodes: number
  /** Of the server, such as `fsync=off`. */
  readonly settings: ReadonlyArray<string>
  /** The engine that is killed does not come back: its asynchronous standby, which lacks what was committed last, takes its place. */
  readonly withStandby?: boolean
  /** How often the engine is killed beside the gateways. */
  readonly engines?: number
  /** Of the gateways; as it is where nothing is said, where it is left out. */
  readonly lease?: string
  /** More fields of their `server`. */
  readonly server?: string
}

export interface Nodes extends Fleet {
  /** To one of them, by its place from 0. */
  readonly signal: (place: number, signal: "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
}

/** So many gateways are killed for each engine, where nothing else is said. */
const NODES_AN_ENGINE = 10

/** Milliseconds that a standby is behind when it takes over, at least. */
const BEHIND_MS = 150

/** `yaml`: providers, deployments, and whatever else their configuration says. */
export const onPostgres = Effect.fnUntraced(function* (options: OnPostgresOptions, yaml: string) {
  const { bin, lease = "10s", nodes, server: more = "", settings, withStandby = false } = options
  const scope = yield* Effect.scope
  const server = (standbyOf?: number) =>
    Effect.acquireRelease(
      Effect.promise(() => startServer({ bin, settings, ...(standbyOf === undefined ? {} : { standbyOf }) })),
      (started) => Effect.promise(() => started.remove())
    ).pipe(Effect.provideService(Scope.Scope, scope))
  let primary = yield* server()
  let standby = withStandby ? yield* server(primary.port) : undefined
  const address = yield* switchTo(primary.port)
  const database = `postgres://gateway@127.0.0.1:${address.port}/postgres`
  const { args, extra, start } = yield* clusterWith({ database, lease, server: more, yaml })

  const running: Array<GatewayProcess<string> | undefined> = Array.from({ length: nodes })
  const startNode = (place: number) =>
    Effect.suspend(() => {
      const there = running[place]
      if (there !== undefined) return Effect.succeed(there.ready)
      return Effect.provideService(start, Scope.Scope, scope).pipe(
        // On a machine that has much else to do its lease may be over by now.
        Effect.tap(({ ready }) =>
          eventually(call(ready, { method: "GET", path: "/readyz" }), ({ status }) => status === 200)
        ),
        Effect.map((started) => {
          running[place] = started
          return started.ready
        })
      )
    })
  const places = Array.from(running.keys())

  const books = Effect.suspend(() => rowsIn(primary.url(), attempts)).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Attempts)),
    Effect.orDie
  )
  const open = Effect.map(
    Effect.suspend(() => rowsIn(primary.url(), "SELECT count(*)::int AS open FROM model_gateway.attempts_open")),
    ([row]) => Number(row?.["open"])
  )
  const killNode = (place: number) =>
    Effect.suspend(() => {
      const dying = running[place]
      running[place] = undefined
      return dying === undefined ? Effect.void : Effect.asVoid(dying.end("SIGKILL"))
    })

  /** Half of the times as a power cut does it. */
  let engines = 0
  const restart = Effect.promise(async () => {
    const how = engines++ % 2 === 0 ? "stopAtOnce" : "kill"
    await primary[how]()
    await primary.start()
  })

  /** What the standby lacked when it took over. */
  const failOver = Effect.gen(function* () {
    if (standby === undefined) return undefined
    const next: PostgresServer = standby
    const dying = primary
    yield* administer(next.url(), "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
    yield* eventually(rowsIn(next.url(), "SELECT pid FROM pg_stat_wal_receiver"), ({ length }) => length === 0)
    yield* Effect.sleep(BEHIND_MS)
    const [confirmed] = yield* rowsIn(dying.url(), settled)
    yield* Effect.promise(() => dying.kill())
    yield* rowsIn(next.url(), "SELECT pg_promote(true)")
    const [kept] = yield* rowsIn(next.url(), settled)
    primary = next
    address.turnTo(next.port)
    return `${Number(confirmed?.["rows"]) - Number(kept?.["rows"])} rows that were committed were not on the standby`
  })
  const newStandby = Effect.map(
    Effect.suspend(() => server(primary.port)),
    (made) => void (standby = made)
  )

  const ofNode = (place: number): Blow => ({
    kind: "node",
    during: Effect.as(killNode(place), undefined),
    after: Effect.void
  })
  const ofEngine: Blow = withStandby
    ? { kind: "failover", during: failOver, after: newStandby }
    : { kind: "engine", during: Effect.as(restart, undefined), after: Effect.void }

  return {
    parts: nodes,
    booksFirst: true,
    start: Effect.forEach(places, startNode, { concurrency: "unbounded" }),
    books,
    atRest: Effect.andThen(
      eventually(open, (count) => count === 0),
      books
    ),
    open,
    verified: Effect.suspend(() => verifiedLedger(args, extra.environment)),
    blows: (draws) => {
      const engines = options.engines ?? Math.max(1, Math.round(draws.length / NODES_AN_ENGINE))
      const before = (round: number) => Math.floor((round * engines) / draws.length)
      return draws.flatMap((place, round) => [
        ofNode(place),
        ...Array.from({ length: before(round + 1) - before(round) }, () => ofEngine)
      ])
    },
    said: () =>
      running
        .map((one, place) => `gateway ${place + 1}:\n${one === undefined ? "killed" : told(one.stderr())}`)
        .join("\n"),
    signal: (place, signal) => Effect.sync(() => running[place]?.signal(signal))
  } satisfies Nodes as Nodes
})

const settled = "SELECT count(*)::int AS rows FROM model_gateway.ledger"

const attempts = `SELECT tags, key_id, status, reserved::float8 AS reserved, cost::float8 AS cost, estimated::int AS estimated, at, node, id
  FROM model_gateway.ledger
  UNION ALL SELECT tags, key_id, 'reserved', reserved::float8, 0, 0, at, node, id FROM model_gateway.attempts_open
  ORDER BY at, node, id`

const Attempts = Schema.Array(
  Schema.Struct({
    tags: Schema.String,
    key_id: Schema.String,
    status: Schema.Literals(["reserved", "settled", "void", "abandoned"]),
    reserved: Schema.Finite,
    cost: Schema.Finite,
    estimated: Schema.Finite
  })
)
