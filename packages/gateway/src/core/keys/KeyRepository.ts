/** What is remembered of keys and teams, as a port: `storage` implements it. Every write is durable when its effect completes. */
import { Context, type Effect, type Option } from "effect"
import { StoreUnavailable } from "../domain/Errors.ts"
import type { Budget, Limits } from "../domain/Budget.ts"

export interface KeyRecord {
  /** `key_` + the public part of the secret. */
  readonly id: string
  readonly name: string | null
  readonly team: string | null
  /** Names or globs this key may use; empty means all. */
  readonly models: ReadonlyArray<string>
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  readonly tags: ReadonlyArray<string>
  readonly metadata: { readonly [name: string]: unknown }
  /** `default`: nobody chose, and `KeyStore.unknownPriceRule` says what that means. */
  readonly onUnknownPrice: "deny" | "allow" | "default"
  readonly disabled: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

/** HMAC-SHA-256 of a secret, in hex. `validUntil`: the end of a rotation's grace, null while it is current. */
export interface SecretHash {
  readonly hash: string
  readonly validUntil: number | null
}

export interface StoredKey extends KeyRecord {
  readonly secrets: ReadonlyArray<SecretHash>
}

export interface KeyFilter {
  /** 1 to 1000. */
  readonly limit: number
  /** The id of the last key of the page before. */
  readonly after: string | undefined
  readonly team: string | undefined
  readonly status: "active" | "disabled" | "expired" | "revoked" | undefined
  /** Part of an id or a name, ignoring case. */
  readonly search: string | undefined
  /** What "expired" is measured against. */
  readonly now: number
}

export interface TeamRecord {
  readonly name: string
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  readonly updatedAt: number
}

export interface IdPage {
  readonly ids: ReadonlyArray<string>
  readonly hasMore: boolean
  readonly most: number
}

export class KeyRepository extends Context.Service<
  KeyRepository,
  {
    /** The random key of the secrets' HMAC, made once per store: 32 bytes. */
    readonly pepper: Effect.Effect<Uint8Array, StoreUnavailable>
    readonly insert: (key: StoredKey) => Effect.Effect<void, StoreUnavailable>
    /** Overwrites all but `id`, `createdAt` and `lastUsedAt`. */
    readonly update: (key: StoredKey) => Effect.Effect<void, StoreUnavailable>
    /** Queues a note of the last use for this turn's commit, without waiting for it. Its loss in a crash is no harm. */
    readonly touch: (id: string, usedAt: number) => Effect.Effect<void>
    readonly find: (id: string) => Effect.Effect<Option.Option<StoredKey>, StoreUnavailable>
    /** Of all keys, whatever their status: a page of those after an id, in their order. `most`: about how many there are in all. */
    readonly ids: (after: string) => Effect.Effect<IdPage, StoreUnavailable>
    /** Newest first, stable under inserts. `none` when `after` names no key. */
    readonly list: (
      filter: KeyFilter
    ) => Effect.Effect<
      Option.Option<{ readonly keys: ReadonlyArray<StoredKey>; readonly hasMore: boolean }>,
      StoreUnavailable
    >
    readonly findTeam: (name: string) => Effect.Effect<Option.Option<TeamRecord>, StoreUnavailable>
    readonly putTeam: (team: TeamRecord) => Effect.Effect<void, StoreUnavailable>
  }
>()("gateway/core/KeyRepository") {}
