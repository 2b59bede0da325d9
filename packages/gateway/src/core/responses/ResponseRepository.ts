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
     * True: on disk. The oldest responses of the largest holder, or of a key beyond its own quota, are deleted to fit into
     * `quota`. Not stored: larger than the quota, of a revoked key, or without space on disk. `itemIds`: of its input and
     * output.
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
    readonly erase: (keyId: string) => Effect.Effect<void, StoreUnavailable>
    /** Deletes what is older than `cutoff` (epoch ms), above `quota` or of revoked keys. Returns the time of the oldest left. */
    readonly prune: (cutoff: number, quota: Quota) => Effect.Effect<number | undefined, StoreUnavailable>
  }
>()("gateway/core/ResponseRepository") {}
