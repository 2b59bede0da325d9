/** The store: all persistent state of the core, in one SQLite file or in memory. */
import { Clock, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { Repositories } from "../../Repositories.ts"
import { DiskReserve, FreeBytes, reserveOf } from "./DiskReserve.ts"
import * as Database from "./SqliteDatabase.ts"
import type { StoreOpenError } from "../../records/OpenErrors.ts"
import * as CachedResponsesSqlite from "../kept/CachedResponsesSqlite.ts"
import * as KeptResponsesSqlite from "../kept/KeptResponsesSqlite.ts"
import { sharedRepositories } from "../../records/SharedRepositories.ts"
import * as StatementsSqlite from "../administration/StatementsSqlite.ts"
import * as KeyRepositorySqlite from "../keys/KeyRepositorySqlite.ts"
import * as LedgerJournalSqlite from "../ledger/LedgerJournalSqlite.ts"
import * as ReceiptArchiveSqlite from "../receipts/ReceiptArchiveSqlite.ts"
import { KeepReceipts } from "../../records/receipts/KeepReceipts.ts"
import * as ResponseRepositorySqlite from "../responses/ResponseRepositorySqlite.ts"
import * as TrafficRepositorySqlite from "../traffic/TrafficRepositorySqlite.ts"
import * as StoreHealthSqlite from "./StoreHealthSqlite.ts"
import { hostname } from "node:os"
import { ProductVersion } from "../../../core/domain/About.ts"
import { type NodeRecord, Nodes } from "../../../core/admin/Nodes.ts"
import { Writer } from "../writer/Writer.ts"

/** SQLite's own name for a database in memory; refused as a file name. */
const IN_MEMORY = ":memory:"

export interface StoreOptions extends Database.DatabaseOptions {
  /** Milliseconds to keep receipts; 0 keeps none. Default: 30 days. */
  readonly keepReceiptsMs?: number | undefined
  /** Bytes of free disk below which no responses are written. Default: none. */
  readonly diskReserve?: number | undefined
}

// Only one process uses a file.
const nodes = Layer.effect(
  Nodes,
  Effect.gen(function* () {
    const writer = yield* Writer
    const version = yield* ProductVersion
    const joinedAt = yield* Clock.currentTimeMillis
    const own = (): NodeRecord => ({
      id: 0,
      name: hostname(),
      version,
      joinedAt,
      leaseMs: null,
      heardAt: null,
      lagMs: writer.times.lagMs(),
      sharesHeld: 0,
      state: writer.trouble === undefined ? "working" : "refusing",
      isThis: true
    })
    const list = Effect.sync(() => ({ nodes: [own()], trouble: undefined }))
    return { list, older: Effect.succeed([]), vitals: undefined, sharing: undefined }
  })
)

/** The ports on an open database. */
export const repositories: Layer.Layer<Repositories, StoreUnavailable, Database.SqliteServices> = Layer.mergeAll(
  Layer.provide(sharedRepositories, StatementsSqlite.layer),
  KeyRepositorySqlite.layer,
  LedgerJournalSqlite.layer,
  StoreHealthSqlite.layer,
  nodes,
  ReceiptArchiveSqlite.layer,
  KeptResponsesSqlite.layer,
  CachedResponsesSqlite.layer,
  ResponseRepositorySqlite.layer,
  TrafficRepositorySqlite.layer
)

/** Opens, creates and migrates a store in a file for this process. All that is written before the scope closes is on disk. */
export const layer = (options: StoreOptions): Layer.Layer<Repositories, StoreOpenError | StoreUnavailable> => {
  const isFile = options.filename !== IN_MEMORY
  const store = Layer.provide(repositories, isFile ? Database.layer(options) : Database.layerMemory)
  const { diskReserve = 0, filename, keepReceiptsMs } = options
  const reserved = isFile && diskReserve > 0 ? Layer.provide(store, reserve(filename, diskReserve)) : store
  return keepReceiptsMs === undefined ? reserved : Layer.provide(reserved, Layer.succeed(KeepReceipts, keepReceiptsMs))
}

const reserve = (filename: string, bytes: number) =>
  Layer.effect(
    DiskReserve,
    Effect.map(FreeBytes, (free) => reserveOf(free, filename, bytes))
  )

/** A store in memory that ends with the scope. Writes commit immediately, so that tests see no delay. */
export const layerMemory: Layer.Layer<Repositories, StoreOpenError | StoreUnavailable> = Layer.provide(
  repositories,
  Database.layerMemory
)
