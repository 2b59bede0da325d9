/** Complete answers to requests with an `Idempotency-Key`. A port: `storage` implements it. */
import { Context, type Effect } from "effect"
import type { Quota } from "../domain/Quota.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"

/** An answer as its caller got it. */
export interface KeptAnswer {
  /** `too_large`: there was an answer, and no more than that is known of it. */
  readonly kind: "json" | "bytes" | "stream" | "too_large"
  /** Names are in lower case. `RESPONSE_ID` is no header of the answer: it names the stored response that the answer is. */
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
}

export const RESPONSE_ID = "x-gateway-response-id"

/** What the headers of such an answer have as JSON. */
export const headerOfResponse = (id: string): string => JSON.stringify({ [RESPONSE_ID]: id }).slice(1, -1)

export interface KeptRecord {
  /** The hash of the request's body. */
  readonly request: string
  readonly answer: KeptAnswer
}

export interface NewRecord extends KeptRecord {
  /** Whose it is: the id of a virtual key. */
  readonly keyId: string
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
    /**
     * Takes the place of an older record of `id`, and ends the claim. On disk when it completes with true. The oldest records of the largest
     * holder, or of a key beyond its own quota, are deleted for it. Not kept is a record that has no room by itself, one of a revoked key,
     * and any while the disk has no more than its reserve. `at`: epoch ms.
     */
    readonly keep: (id: string, record: NewRecord, at: number, quota: Quota) => Effect.Effect<boolean, StoreUnavailable>
    /** Deletes all records of a key, or those of one of its stored responses. */
    readonly erase: (keyId: string, responseId?: string) => Effect.Effect<void, StoreUnavailable>
    /** Deletes all records from before `before` (epoch ms) and those of revoked keys; whether there are others. */
    readonly prune: (before: number) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("gateway/core/IdempotencyRepository") {}

/** Bytes that a record counts as. */
export const bytesOf = ({ answer: { body, headers } }: KeptRecord): number =>
  body.length + Buffer.byteLength(JSON.stringify(headers))
