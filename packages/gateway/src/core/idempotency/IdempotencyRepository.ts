/** Complete answers to requests with an `Idempotency-Key`. A port: `storage` implements it. */
import { Context, Effect, Layer, Option } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"

/** An answer as its caller got it. */
export interface KeptAnswer {
  /** `too_large`: there was an answer, and no more than that is known of it. */
  readonly kind: "json" | "bytes" | "stream" | "too_large"
  /** Names are in lower case. */
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
}

export interface KeptRecord {
  /** The hash of the request's body. */
  readonly request: string
  readonly answer: KeptAnswer
}

/**
 * What there is of a request. `running`: another process makes its answer. `first`: whoever asked makes it, and others are told so until it is
 * kept or given up, or until this process is gone.
 */
export type Claimed =
  | { readonly kind: "kept"; readonly record: KeptRecord }
  | { readonly kind: "running"; readonly request: string }
  | { readonly kind: "first" }

/** Where one process owns the store, which requests run is not in it: what a dead process left unfinished blocks nobody. */
export class IdempotencyRepository extends Context.Service<
  IdempotencyRepository,
  {
    /**
     * The record of `id`, unless it was kept before `since` (epoch ms), or the claim on it. A process asks for one it has not claimed.
     * `request`: the hash of the body.
     */
    readonly claim: (id: string, request: string, since: number) => Effect.Effect<Claimed, StoreUnavailable>
    /** Gives a claim up without an answer. Where the store can't be reached it is given up later. */
    readonly release: (id: string) => Effect.Effect<void>
    /** Takes the place of an older record of `id`, and ends the claim. On disk when it completes. `at`: epoch ms. */
    readonly keep: (id: string, record: KeptRecord, at: number) => Effect.Effect<void, StoreUnavailable>
    /** Deletes all records from before `before` (epoch ms); whether there are others. */
    readonly prune: (before: number) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("gateway/core/IdempotencyRepository") {
  /** For a gateway that forgets everything when it stops. */
  static readonly layerMemory = Layer.sync(IdempotencyRepository, () => {
    const records = new Map<string, KeptRecord & { readonly at: number }>()
    return {
      claim: (id, _, since) =>
        Effect.sync(() => claimOfOne(Option.filter(Option.fromUndefinedOr(records.get(id)), ({ at }) => at >= since))),
      release: () => Effect.void,
      keep: (id, record, at) => Effect.sync(() => void records.set(id, { ...record, at })),
      prune: (before) =>
        Effect.sync(() => {
          for (const [id, { at }] of records) if (at < before) records.delete(id)
          return records.size > 0
        })
    }
  })
}

/** Where nobody else could run it. */
export const claimOfOne = (record: Option.Option<KeptRecord>): Claimed =>
  Option.isSome(record) ? { kind: "kept", record: record.value } : { kind: "first" }
