/** Complete responses to requests with an `Idempotency-Key`. A port: `storage` implements it. */
import { Context, type Effect } from "effect"
import type { Quota } from "../domain/Quota.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"

/** A response as its caller got it. */
export interface KeptAnswer {
  /** `too_large`: there was a response, which was not kept. */
  readonly kind: "json" | "bytes" | "stream" | "too_large"
  /** Names are in lower case. `RESPONSE_ID` is not sent: it is the id of the response in the response store. */
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
}

export const RESPONSE_ID = "x-gateway-response-id"

/** The JSON text that the headers of such a response contain. */
export const headerOfResponse = (id: string): string => JSON.stringify({ [RESPONSE_ID]: id }).slice(1, -1)

export interface KeptRecord {
  /** The hash of the request's body. */
  readonly request: string
  readonly answer: KeptAnswer
}

export interface NewRecord extends KeptRecord {
  /** Id of the virtual key that the record belongs to. */
  readonly keyId: string
}

/**
 * State of a request. `running`: another process runs it. `first`: the caller runs it, and others see it as running until its response is
 * kept, the claim is released, or this process ends.
 */
export type Claimed =
  | { readonly kind: "kept"; readonly record: KeptRecord }
  | { readonly kind: "running"; readonly request: string }
  | { readonly kind: "first" }

/** Where one process owns the store, claims are not stored: requests that a dead process left unfinished block no caller. */
export class IdempotencyRepository extends Context.Service<
  IdempotencyRepository,
  {
    /**
     * The record of `id`, unless it was kept before `since` (epoch ms), or a claim on it. Call it for ids that this process has not claimed.
     * `request`: the hash of the body.
     */
    readonly claim: (id: string, request: string, since: number) => Effect.Effect<Claimed, StoreUnavailable>
    /** Releases a claim without a response; later if the store can't be reached. */
    readonly release: (id: string) => Effect.Effect<void>
    /**
     * Replaces an older record of `id`, and ends the claim. True: the record is on disk. The oldest records of the key with the most bytes,
     * or of a key beyond its own quota, are deleted to make room. False: the record is larger than the quota, its key is revoked, or the
     * disk is down to its reserve. `at`: epoch ms.
     */
    readonly keep: (id: string, record: NewRecord, at: number, quota: Quota) => Effect.Effect<boolean, StoreUnavailable>
    /** Deletes all records of a key, or those of one of its stored responses. */
    readonly erase: (keyId: string, responseId?: string) => Effect.Effect<void, StoreUnavailable>
    /** Deletes all records from before `before` (epoch ms) and those of revoked keys; whether there are others. */
    readonly prune: (before: number) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("gateway/core/IdempotencyRepository") {}

export const bytesOf = ({ answer: { body, headers } }: KeptRecord): number =>
  body.length + Buffer.byteLength(JSON.stringify(headers))
