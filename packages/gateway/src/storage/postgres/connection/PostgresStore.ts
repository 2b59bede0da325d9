/** The store: all persistent state of the core, in Postgres. */
import { Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { StoreOpenError } from "../../records/OpenErrors.ts"
import { sharedRepositories } from "../../records/SharedRepositories.ts"
import { KeepReceipts } from "../../records/receipts/KeepReceipts.ts"
import type { Repositories } from "../../Repositories.ts"
import * as CachedResponsesPostgres from "../administration/CachedResponsesPostgres.ts"
import * as KeptResponsesPostgres from "../administration/KeptResponsesPostgres.ts"
import * as TrafficRepositoryPostgres from "../administration/TrafficRepositoryPostgres.ts"
import * as GrantsPostgres from "../grants/GrantsPostgres.ts"
import * as StatementsPostgres from "../administration/StatementsPostgres.ts"
import * as KeyRepositoryPostgres from "../keys/KeyRepositoryPostgres.ts"
import * as LedgerJournalPostgres from "../ledger/LedgerJournalPostgres.ts"
import * as NodesPostgres from "../nodes/NodesPostgres.ts"
import * as ReceiptArchivePostgres from "../receipts/ReceiptArchivePostgres.ts"
import * as ResponseRepositoryPostgres from "../responses/ResponseRepositoryPostgres.ts"
import * as Database from "./PostgresDatabase.ts"
import type { PostgresOptions } from "./PostgresOptions.ts"
import { StoreHealth } from "../../../core/domain/StoreHealth.ts"
import { Flusher } from "../ledger/Flusher.ts"
import { LATEST } from "../../migrations/PostgresMigrations.ts"
import { Node } from "../nodes/Node.ts"

// The health of the connection to Postgres.
const storeHealth = Layer.effect(
  StoreHealth,
  Effect.gen(function* () {
    const flusher = yield* Flusher
    const node = yield* Node
    const trouble = () => {
      const trouble = flusher.trouble ?? node.trouble()
      if (trouble === undefined) return undefined
      return {
        message: trouble.message,
        reason: trouble.reason ?? ("refused" as const),
        since: flusher.trouble === undefined ? node.heardAt() : flusher.troubleSince
      }
    }
    return {
      file: () => ({ path: null, bytes: 0, schema: LATEST }),
      trouble,
      lagMs: () => flusher.lagMs(),
      lastCommitMs: () => flusher.lastMs,
      commits: () => flusher.groups
    }
  })
)

/** The ports on an open database. */
export const repositories: Layer.Layer<Repositories, StoreUnavailable, Database.PostgresServices> = Layer.mergeAll(
  Layer.provide(sharedRepositories, StatementsPostgres.layer),
  KeyRepositoryPostgres.layer,
  LedgerJournalPostgres.layer,
  Layer.provideMerge(NodesPostgres.layer, storeHealth),
  ReceiptArchivePostgres.layer,
  KeptResponsesPostgres.layer,
  CachedResponsesPostgres.layer,
  ResponseRepositoryPostgres.layer,
  TrafficRepositoryPostgres.layer,
  GrantsPostgres.layer
)

/** Opens and migrates a store as one of its gateways. Everything written before the scope closes is in the store. */
export const layer = (options: PostgresOptions): Layer.Layer<Repositories, StoreOpenError | StoreUnavailable> => {
  const { keepReceiptsMs, reserve = "wait" } = options
  const store = repositories.pipe(
    Layer.provide(Layer.succeed(LedgerJournalPostgres.Reserving, reserve)),
    Layer.provide(Database.layer(options))
  )
  return keepReceiptsMs === undefined ? store : Layer.provide(store, Layer.succeed(KeepReceipts, keepReceiptsMs))
}
