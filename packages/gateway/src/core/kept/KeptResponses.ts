/** Complete responses that a later request may get. A port: `storage` implements it, once for each of its two services. */
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
  /** The hash of the request's body; of a cached response, of its own body. */
  readonly request: string
  readonly answer: KeptAnswer
}

export interface NewRecord extends KeptRecord {
  /** Id of the virtual key that the record belongs to; `team:<name>`: the keys of a team share it. */
  readonly keyId: string
  /** The key whose request made a shared record. */
  readonly madeBy?: string
  /** Its request looked for a record at this time of the store. It is not kept if it was erased since. Left out: it always is. */
  readonly began?: number
}

/** The key that made a shared record, as its headers say it. */
export const MADE_BY = "key"

/** How long a request may run that must not be kept after an erasure. */
export const ERASED_MS = 24 * 60 * 60_000

/** Records that match all that is given; nothing given: all records. */
export interface Erasure {
  /** A key, also of what it made for its team; or `team:<name>`. */
  readonly keyId?: string | undefined
  /** The id of a stored response. */
  readonly responseId?: string | undefined
  /** `<provider>/<model>`, with `*` for any characters. */
  readonly model?: string | undefined
}

/** A pattern of SQL's LIKE for the headers of a record of the model, which end with it. */
export const likeModel = (glob: string): string =>
  `%"model":${JSON.stringify(glob)
    .slice(0, -1)
    .replaceAll(/[\\%_]/g, "\\$&")
    .replaceAll("*", "%")}"}`

export interface HeldByKey {
  readonly keyId: string
  readonly entries: number
  readonly bytes: number
}

/**
 * State of a request. `running`: another process runs it. `first`: the caller runs it, and others see it as running until its response is
 * kept, the claim is released, or this process ends. `at`: the store's time, for `began`.
 */
export type Claimed =
  | { readonly kind: "kept"; readonly record: KeptRecord; readonly at?: number }
  | { readonly kind: "running"; readonly request: string; readonly at?: number }
  | { readonly kind: "first"; readonly at: number }

export interface KeptStore {
  /**
   * The record of `id`, unless its time is before `since` (epoch milliseconds), or a claim on it. Call it for ids that this process has not claimed.
   * `request`: the hash of the body.
   */
  readonly claim: (id: string, request: string, since: number) => Effect.Effect<Claimed, StoreUnavailable>
  /** Releases a claim without a response; later if the store can't be reached. */
  readonly release: (id: string) => Effect.Effect<void>
  /**
   * Replaces an older record of `id`, and ends the claim. True: the record is kept. The oldest records, or those that were touched least
   * recently, of the key with the most bytes or of a key beyond its own quota are deleted to make room. False: the record is larger than the quota, its key is revoked or was
   * erased, or the disk is down to its reserve. `at`: the record's time, epoch milliseconds.
   */
  readonly keep: (id: string, record: NewRecord, at: number, quota: Quota) => Effect.Effect<boolean, StoreUnavailable>
  readonly erase: (what: Erasure) => Effect.Effect<void, StoreUnavailable>
  /** Deletes all records whose time is before `before` (epoch milliseconds) and those of revoked keys; whether there are others. */
  readonly prune: (before: number) => Effect.Effect<boolean, StoreUnavailable>
  readonly held: Effect.Effect<ReadonlyArray<HeldByKey>, StoreUnavailable>
}

/**
 * Responses to requests with an `Idempotency-Key`, on disk; their time is when they were kept. Where one process owns the store, claims
 * are not stored: requests that a dead process left unfinished block no caller.
 */
export class KeptResponses extends Context.Service<KeptResponses, KeptStore>()("gateway/core/KeptResponses") {}

/** For metrics. Of the whole cache: what was held when it was measured last. Of this process: what it deleted, and why. */
export class CacheVitals {
  entries = 0
  bytes = 0
  expired = 0
  room = 0
}

export interface CacheStore extends KeptStore {
  /** Says that records were used. */
  readonly touch: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
  readonly vitals: CacheVitals
}

/** Cached responses, which a crash may lose; their time is when they expire. Claims are of this process alone and not stored. */
export class CachedResponses extends Context.Service<CachedResponses, CacheStore>()("gateway/core/CachedResponses") {}

export const bytesOf = ({ answer: { body, headers } }: KeptRecord): number =>
  body.length + Buffer.byteLength(JSON.stringify(headers))
