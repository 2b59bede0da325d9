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

/** Holds answers only. A request that still runs is not in it, so what a dead process left unfinished blocks nobody. */
export class IdempotencyRepository extends Context.Service<
  IdempotencyRepository,
  {
    /** The record of `id`, unless it was kept before `since` (epoch ms). */
    readonly find: (id: string, since: number) => Effect.Effect<Option.Option<KeptRecord>, StoreUnavailable>
    /** Takes the place of an older record of `id`. On disk when it completes. `at`: epoch ms. */
    readonly keep: (id: string, record: KeptRecord, at: number) => Effect.Effect<void, StoreUnavailable>
    /** Deletes all records from before `before` (epoch ms); whether there are others. */
    readonly prune: (before: number) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("gateway/core/IdempotencyRepository") {
  /** For a gateway that forgets everything when it stops. */
  static readonly layerMemory = Layer.sync(IdempotencyRepository, () => {
    const records = new Map<string, KeptRecord & { readonly at: number }>()
    return {
      find: (id, since) =>
        Effect.sync(() => Option.filter(Option.fromUndefinedOr(records.get(id)), ({ at }) => at >= since)),
      keep: (id, record, at) => Effect.sync(() => void records.set(id, { ...record, at })),
      prune: (before) =>
        Effect.sync(() => {
          for (const [id, { at }] of records) if (at < before) records.delete(id)
          return records.size > 0
        })
    }
  })
}
