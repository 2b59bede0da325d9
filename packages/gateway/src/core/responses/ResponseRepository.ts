/** Stored responses. A port: `storage` implements it. */
import { Context, type Effect, type Option } from "effect"
import type { Quota } from "../domain/Quota.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"

export interface StoredResponse {
  /** Unique for its key. */
  readonly id: string
  readonly keyId: string
  /** The response that its request continued (`previous_response_id`); while it runs in the background, `node:` and who runs it. */
  readonly parent: string | null
  /** It replaces the response with its id. */
  readonly isAgain?: boolean
  /** Epoch ms. */
  readonly createdAt: number
  /** JSON: the items of its own request, without those of its parents. Each has an id. */
  readonly input: string
  /** JSON: the response object as the caller got it. */
  readonly body: string
}

/** What is known of a response without reading it. */
export interface Link {
  readonly id: string
  readonly parent: string | null
  readonly createdAt: number
  /** UTF-8 bytes of `input` and `body`. */
  readonly bytes: number
}

export class ResponseRepository extends Context.Service<
  ResponseRepository,
  {
    /**
     * On disk when it completes with true. The oldest responses of the largest holder, or of a key beyond its own quota, are deleted until
     * everything fits into `quota`. Not stored are a response larger than the quota, one of a revoked key, and any while the disk has
     * no more than its reserve. `itemIds`: of the items in its input and its output.
     */
    readonly save: (
      response: StoredResponse,
      itemIds: ReadonlyArray<string>,
      quota: Quota
    ) => Effect.Effect<boolean, StoreUnavailable>
    readonly find: (keyId: string, id: string) => Effect.Effect<Option.Option<StoredResponse>, StoreUnavailable>
    /** The response and those before it, newest first. It ends with the first one, or before one that is not stored. */
    readonly links: (keyId: string, id: string) => Effect.Effect<ReadonlyArray<Link>, StoreUnavailable>
    /** The newest response that holds an item with this id, in its input or its output. */
    readonly withItem: (keyId: string, itemId: string) => Effect.Effect<Option.Option<Link>, StoreUnavailable>
    /** Whether there was one. Its content is overwritten. */
    readonly remove: (keyId: string, id: string) => Effect.Effect<boolean, StoreUnavailable>
    /** All of a key's. */
    readonly erase: (keyId: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * Deletes all that were made before `cutoff` (epoch milliseconds), what is above `quota`, and what revoked keys have left. When the
     * oldest of the rest was made; undefined where nothing is left.
     */
    readonly prune: (cutoff: number, quota: Quota) => Effect.Effect<number | undefined, StoreUnavailable>
  }
>()("gateway/core/ResponseRepository") {}
