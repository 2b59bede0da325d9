/** Several gateways on one database, as far as limits and budgets go: each with its own connections, its own lease and its own shares. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer } from "effect"
import { KeptResponses } from "../../../src/core/kept/KeptResponses.ts"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { RateLimiter } from "../../../src/core/limits/RateLimiter.ts"
import { Flusher } from "../../../src/storage/postgres/ledger/Flusher.ts"
import * as PostgresStore from "../../../src/storage/postgres/connection/PostgresStore.ts"
import type { PostgresOptions } from "../../../src/storage/postgres/connection/PostgresOptions.ts"
import { Node } from "../../../src/storage/postgres/nodes/Node.ts"
import { ledgersInTurn, limitersInTurn } from "../../core/grants/InTurn.ts"
import { storeDatabase } from "./Databases.ts"
import { databaseAt } from "./Stores.ts"

export interface PostgresNode {
  readonly ledger: SpendLedger["Service"]
  readonly limiter: RateLimiter["Service"]
  readonly journal: LedgerJournal["Service"]
  readonly idempotency: KeptResponses["Service"]
  readonly node: Node["Service"]
  readonly flusher: Flusher["Service"]
  readonly sql: PgClient.PgClient
}

/** One more gateway on the database of a URL, until the scope closes. */
export const joinAt = Effect.fnUntraced(function* (url: string, options: Partial<PostgresOptions> = {}) {
  const database = yield* Layer.build(Layer.fresh(databaseAt(url, options)))
  const services = yield* Layer.build(
    Layer.fresh(Layer.mergeAll(SpendLedger.layer, RateLimiter.layerMemory)).pipe(
      Layer.provideMerge(Layer.fresh(PostgresStore.repositories)),
      Layer.provide(Layer.succeedContext(database))
    )
  )
  return {
    ledger: Context.get(services, SpendLedger),
    limiter: Context.get(services, RateLimiter),
    journal: Context.get(services, LedgerJournal),
    idempotency: Context.get(services, KeptResponses),
    node: Context.get(database, Node),
    flusher: Context.get(database, Flusher),
    sql: Context.get(database, PgClient.PgClient)
  } satisfies PostgresNode as PostgresNode
})

const nodesAt = (count: number) => Effect.flatMap(storeDatabase, (url) => Effect.replicateEffect(joinAt(url), count))

/** Every gateway of so many takes its turn. */
export const limiterOn = (count: number) =>
  Layer.effect(
    RateLimiter,
    Effect.map(nodesAt(count), (nodes) => limitersInTurn(nodes.map(({ limiter }) => limiter)))
  )

export const ledgerOn = (count: number) =>
  Layer.effect(
    SpendLedger,
    Effect.map(nodesAt(count), (nodes) => ledgersInTurn(nodes.map(({ ledger }) => ledger)))
  )
