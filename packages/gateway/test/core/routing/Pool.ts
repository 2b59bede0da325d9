/** A provider pool that answers what a test says of each deployment, and takes no calls. */
import { Effect, Layer } from "effect"
import type { OperationName } from "../../../src/core/domain/OperationName.ts"
import { ProviderPool } from "../../../src/core/pool/ProviderPool.ts"
import { noLoad } from "../../../src/core/pool/Transport.ts"

export interface Standing {
  readonly operations?: ReadonlySet<OperationName>
  readonly isInRotation?: boolean
  readonly isReady?: boolean
  readonly isHealthy?: boolean
  /** How many keys its provider has, all of them usable. */
  readonly keys?: number
  readonly inFlight?: number
  readonly expectedFirstToken?: number
  readonly throughput?: number
}

export const standings = (of: { readonly [id: string]: Standing }): ProviderPool["Service"] => ({
  status: Effect.succeed([]),
  reset: () => Effect.succeed([]),
  setRotation: () => Effect.die("not here"),
  operations: ({ id }) => of[id]?.operations ?? new Set(["chat"]),
  isInRotation: (id) => of[id]?.isInRotation ?? true,
  isReady: (id) => of[id]?.isReady ?? true,
  whyNotReady: () => "its circuit is open",
  isHealthy: (id) => of[id]?.isHealthy ?? of[id]?.isReady ?? true,
  hasOtherKey: (id, _, tried) => tried.length < (of[id]?.keys ?? 1),
  inFlight: (id) => of[id]?.inFlight ?? 0,
  load: () => noLoad,
  outputRate: () => 0,
  throughput: (id) => of[id]?.throughput ?? 0,
  expectedFirstToken: (id) => of[id]?.expectedFirstToken ?? 0,
  complete: () => Effect.die("not here"),
  stream: () => Effect.die("not here")
})

export const poolLayer = (of: { readonly [id: string]: Standing }) => Layer.succeed(ProviderPool, standings(of))
