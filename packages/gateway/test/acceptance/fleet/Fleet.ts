/** Gateways on one store, as processes of their own: one on a SQLite file, or several on one Postgres. */
import type { Effect } from "effect"
import type { DidNotStart } from "../../support/GatewayProcess.ts"
import type { LedgerRow } from "../../support/RunningGateway.ts"
import type { VerifiedLedger } from "../../support/VerifiedLedger.ts"

/** An attempt in the books; `reserved` while it is open. */
export type Booked = Pick<LedgerRow, "tags" | "key_id" | "status" | "reserved" | "cost" | "estimated">

export interface Fleet {
  /** Processes that give out parts of one limit; 1: one has all of it. */
  readonly parts: number
  /** Whatever a provider is asked is in the store before: it is in the books whoever dies. */
  readonly booksFirst: boolean
  /** Starts those that do not run; where requests may go. */
  readonly start: Effect.Effect<ReadonlyArray<string>, DidNotStart>
  /** All attempts, in the order in which they were made. */
  readonly books: Effect.Effect<ReadonlyArray<Booked>>
  /** The same once all are at rest, which nobody asks any more: what is open then stays open. */
  readonly atRest: Effect.Effect<ReadonlyArray<Booked>>
  /** How many attempts are open. */
  readonly open: Effect.Effect<number>
  /** What `model-gateway ledger verify` says of the books. */
  readonly verified: Effect.Effect<VerifiedLedger>
  /** What is done to them in so many rounds of load, with what chance draws for a round: a whole number below `parts`. */
  readonly blows: (draws: ReadonlyArray<number>) => ReadonlyArray<Blow>
  /** What those that run have said. */
  readonly said: () => string
}

/** Of one round of load. */
export interface Blow {
  readonly kind: "gateway" | "node" | "engine" | "failover"
  /** In the middle: the load goes on. What it came to, where that is worth a word. */
  readonly during?: Effect.Effect<string | undefined>
  /** The load ends with it. */
  readonly after: Effect.Effect<void>
}

/** What a gateway has said, without a line for each request. */
export const told = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) => !line.includes(" message=request "))
    .join("\n")
