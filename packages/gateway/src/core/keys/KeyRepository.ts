/** A port for keys and teams. A write and its audit entry are durable when the effect completes. */
import { Context, type Effect, type Option, type Stream } from "effect"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"
import type { Visibility } from "../domain/Principal.ts"
import { StoreUnavailable } from "../domain/Errors.ts"
import type { Budget, Limits, PersonalKeyPolicy, ScopeRules } from "../domain/Budget.ts"
import type { Requirement } from "../domain/Choice.ts"

/** Whose a key is. It never changes. */
export interface KeyHolder {
  /** `service`: a team's or nobody's. `personal`: a person's in a team. `workload`: of the subject of a JWT, without a secret. */
  readonly kind: "service" | "personal" | "workload"
  /** `personal`: the id of the person. */
  readonly owner: string | null
  /** `workload`: the rule that made it, and the subject that the rule found. */
  readonly rule: string | null
  readonly subject: string | null
  /** The id of the person or service token that made it. */
  readonly createdBy: string | null
}

export interface KeyRecord {
  /** `key_` + the public part of the secret. */
  readonly id: string
  readonly name: string | null
  readonly team: string | null
  /** Names or globs of the models that the key may use; empty: all. */
  readonly models: ReadonlyArray<string>
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  readonly tags: ReadonlyArray<string>
  readonly metadata: { readonly [name: string]: unknown }
  /** `default`: nobody chose, and `unknownPriceRule` decides. */
  readonly onUnknownPrice: "deny" | "allow" | "default"
  /** What happens under a budget to fields of a request whose cost is not known. */
  readonly unknownFields: "remove" | "pass"
  readonly rules?: ScopeRules | undefined
  /** Tags that every deployment must have that serves the key. */
  readonly require: Requirement
  /** Left out: a service key that the master key or the command line made. */
  readonly holder?: KeyHolder | undefined
  /** Addresses and networks (CIDR) of callers. Left out, or empty: any. */
  readonly allowFrom?: ReadonlyArray<string> | undefined
  /** Its person is disabled or has no role in its team any more: the store keeps it in step with both. */
  readonly isSuspended?: boolean | undefined
  readonly disabled: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
  /** Where a secret of another gateway opens it, until that time if there is one. */
  readonly importedSecret?: { readonly from: "litellm"; readonly validUntil: number | null } | undefined
}

/** HMAC-SHA-256 in hex. `validUntil`: the end of a rotation's grace. `from`: another gateway's digest was hashed. */
export interface SecretHash {
  readonly hash: string
  readonly validUntil: number | null
  readonly from?: "litellm" | undefined
}

export interface StoredKey extends Omit<KeyRecord, "importedSecret"> {
  readonly secrets: ReadonlyArray<SecretHash>
}

export type KeyStatus = "active" | "disabled" | "expired" | "revoked" | "suspended"

export interface KeyFilter {
  readonly visibility: Visibility
  /** 1 to 1000. */
  readonly limit: number
  /** The last key id of the previous page. */
  readonly after: string | undefined
  readonly team: string | undefined
  readonly status: KeyStatus | undefined
  /** The id of the person whose personal keys are wanted. */
  readonly owner?: string | undefined
  /** Keys that were not used since, epoch milliseconds: their last use, or else their creation, was before. */
  readonly unusedSince?: number | undefined
  readonly expiresBefore?: number | undefined
  /** Part of an id or a name; case is ignored. */
  readonly search: string | undefined
  /** The time that decides which keys are expired. */
  readonly now: number
}

export interface TeamRecord {
  readonly name: string
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  readonly rules?: ScopeRules | undefined
  /** Left out: nobody set it. */
  readonly personalKeys?: PersonalKeyPolicy | undefined
  readonly updatedAt: number
}

/** `keys`: not revoked. A team that only keys name has no limits and no budgets. */
export interface TeamWithKeys {
  readonly team: Omit<TeamRecord, "updatedAt"> & { readonly updatedAt: number | null }
  readonly keys: number
}

export const unconfiguredTeam = (name: string): TeamWithKeys["team"] => ({
  name,
  limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
  budgets: [],
  updatedAt: null
})

export interface TeamFilter {
  readonly visibility: Visibility
  /** 1 to 1000. */
  readonly limit: number
  /** The last name of the previous page. */
  readonly after: string | undefined
  /** Part of a name; case is ignored. */
  readonly search: string | undefined
}

/** A key that is not revoked, a team, or an end user at work, with the budgets that it has. */
export interface Budgeted {
  readonly scope: "key" | "team" | "end_user"
  /** The id of the key, the name of the team, or owner and id of the end user as in the name of its scope. */
  readonly id: string
  /** What people call it. */
  readonly name: string | null
  /** The team of the key or end user, or its own name. */
  readonly team: string | null
  readonly budgets: ReadonlyArray<Budget>
}

export interface KeyName {
  readonly id: string
  readonly name: string | null
}

export interface IdPage {
  readonly ids: ReadonlyArray<string>
  readonly hasMore: boolean
  readonly most: number
}

/** Something was made or changed by another process: a key, a team by its name, an end user by its scope, or nobody knows what. */
export type ChangeNotice =
  | { readonly what: "key" | "team" | "end_user"; readonly id: string }
  | { readonly what: "all" }

export class KeyRepository extends Context.Service<
  KeyRepository,
  {
    /** The random 32-byte key for the HMAC of secrets, made once per store. */
    readonly pepper: Effect.Effect<Uint8Array, StoreUnavailable>
    /** `most`: how many keys of its person in its team may not be revoked. False: there are as many, and nothing was written. */
    readonly insert: (key: StoredKey, entry?: NewAuditEntry, most?: number) => Effect.Effect<boolean, StoreUnavailable>
    /** Inserts the key of a rule's subject, unless it exists. False: the rule has `most` keys, and nothing was written. Other processes are not waited for. */
    readonly insertWorkload: (key: StoredKey, most: number) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Overwrites all but `id`, `createdAt`, `lastUsedAt` and `isSuspended`. False: `updatedAt` is not `readAt` any more, and
     * nothing was written.
     */
    readonly update: (
      key: StoredKey,
      entry?: NewAuditEntry,
      readAt?: number
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** Queues the time of the last use for this turn's commit and does not wait. Losing it in a crash is harmless. */
    readonly touch: (id: string, usedAt: number) => Effect.Effect<void>
    readonly find: (id: string) => Effect.Effect<Option.Option<StoredKey>, StoreUnavailable>
    /** A page of the ids of all keys, whatever their status, in order and after a given id. `most`: roughly how many keys there are. */
    readonly ids: (after: string) => Effect.Effect<IdPage, StoreUnavailable>
    /** Of keys of any status, in no order. */
    readonly names: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<KeyName>, StoreUnavailable>
    /** Newest first; inserts don't move the pages. `none` if `after` is not a key. */
    readonly list: (
      filter: KeyFilter
    ) => Effect.Effect<
      Option.Option<{ readonly keys: ReadonlyArray<StoredKey>; readonly hasMore: boolean }>,
      StoreUnavailable
    >
    readonly findTeam: (name: string) => Effect.Effect<Option.Option<TeamRecord>, StoreUnavailable>
    /** Leaves `personalKeys` as they are. */
    readonly putTeam: (team: TeamRecord, entry?: NewAuditEntry) => Effect.Effect<void, StoreUnavailable>
    /** Writes `personalKeys` and nothing else, unless the team is new. */
    readonly putPersonalKeys: (team: TeamRecord, entry?: NewAuditEntry) => Effect.Effect<void, StoreUnavailable>
    /** The ids of all keys of a person, whatever their status. */
    readonly owned: (person: string) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** Those that somebody gave limits or budgets, and those that keys name which are not revoked, by name. */
    readonly teams: (
      filter: TeamFilter
    ) => Effect.Effect<{ readonly teams: ReadonlyArray<TeamWithKeys>; readonly hasMore: boolean }, StoreUnavailable>
    /** Keys that name a team and are not revoked, whether or not the team is configured. */
    readonly keysOf: (team: string) => Effect.Effect<number, StoreUnavailable>
    /** Nothing happens while keys that are not revoked name it, unless `force` is set. */
    readonly deleteTeam: (
      name: string,
      force: boolean,
      entry?: NewAuditEntry
    ) => Effect.Effect<{ readonly isDeleted: boolean; readonly keys: number }, StoreUnavailable>
    /** Keys and teams with budgets, in no order, given to `visit` a few hundred at a time with pauses for other work. */
    readonly budgeted: (
      visit: (some: ReadonlyArray<Budgeted>) => Effect.Effect<void, StoreUnavailable>
    ) => Effect.Effect<void, StoreUnavailable>
    /** Those that are not revoked. */
    readonly count: Effect.Effect<number, StoreUnavailable>
    /** What others change in this store from now on, at most a second late. A notice may repeat; `all` may be about nothing. */
    readonly changes: Stream.Stream<ChangeNotice>
  }
>()("gateway/core/KeyRepository") {}
