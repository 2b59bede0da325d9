/**
 * What the rules need remembered, as ports: `storage` implements them. Every write is durable when its effect completes, and
 * joins the other writes of the same turn of the event loop in one transaction.
 */
import { Context, Schema, type Effect, type Option } from "effect"
import type { NanoUsd } from "./Money.ts"
import type { Usage } from "./Usage.ts"

/** The gateway's own store can't be written or read: disk full, read-only, locked, corrupted. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  message: Schema.String
}) {}

/** Times are epoch milliseconds everywhere. */
export const windows = ["hour", "day", "week", "month", "total"] as const
export type Window = (typeof windows)[number]

export interface Budget {
  readonly limit: NanoUsd
  readonly window: Window
  /** IANA name, e.g. `UTC`, `Europe/Berlin`: where hour, day, week and month begin. */
  readonly timeZone: string
}

/** Per minute, per minute, at once; undefined is unlimited. */
export interface Limits {
  readonly rpm: number | undefined
  readonly tpm: number | undefined
  readonly maxParallel: number | undefined
}

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

/** Deployments that an administrator took out of rotation. */
export class RotationRepository extends Context.Service<
  RotationRepository,
  {
    readonly disabled: Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /** All or nothing. */
    readonly setDisabled: (
      deployments: ReadonlyArray<string>,
      disabled: boolean
    ) => Effect.Effect<void, StoreUnavailable>
  }
>()("gateway/core/RotationRepository") {}

/** A ledger row when it is opened: the worst case of one attempt, held until it settles. */
export interface ReservationRow {
  /** Unique and ascending, given by the ledger. */
  readonly id: number
  readonly requestId: string
  /** 0 for the first attempt. */
  readonly attempt: number
  readonly at: number
  readonly keyId: string
  readonly team: string | null
  readonly provider: string
  readonly model: string
  readonly deployment: string
  /** Canonical: sorted, unique, joined by commas; "" without tags. */
  readonly tags: string
  readonly reserved: NanoUsd
  /** Both null when the price is unknown. */
  readonly priceSource: string | null
  readonly priceVersion: string | null
  /** The caller asked for `auto`: what that saved is booked beside what it cost. */
  readonly isAuto: boolean
}

/** The amount one budget window grows by. `scope`: `key:<id>` or `team:<name>`; `window`: e.g. `day@Europe/Berlin`. */
export interface WindowCharge {
  readonly scope: string
  readonly window: string
  /** Start of the window, epoch ms; 0 for `total`. */
  readonly start: number
}

/** How a ledger row closes. Settling twice changes nothing. */
export interface SettlementRow {
  readonly reservation: ReservationRow
  readonly settledAt: number
  readonly cost: NanoUsd
  /** What `auto` is compared with, see `Baseline`; 0 where the caller named the model. */
  readonly baseline: NanoUsd
  readonly usage: Usage
  /** The usage was counted here, not by the provider. */
  readonly estimated: boolean
  /** The service tier, where it is not the standard one. */
  readonly serviceTier?: string | undefined
  /** Something that was used has no price: `cost` is without it. */
  readonly isUnpriced?: boolean | undefined
  readonly status: "settled" | "void"
  /** What this row counts as in `requests` and `failed_requests`: attempts that another followed count as nothing. */
  readonly counts: "request" | "failed_request" | "nothing"
  /** Every budget window that grows by `cost`; the reservation's time is in all of them. */
  readonly charges: ReadonlyArray<WindowCharge>
}

export const spendDimensions = ["key", "team", "model", "provider", "tag", "hour", "day", "month"] as const
export type SpendDimension = (typeof spendDimensions)[number]

export interface SpendQuery {
  /** Inclusive and exclusive, epoch ms. */
  readonly from: number
  readonly to: number
  readonly timeZone: string
  readonly key: string | undefined
  readonly team: string | undefined
  readonly model: string | undefined
  readonly provider: string | undefined
  readonly groupBy: ReadonlyArray<SpendDimension>
  /** At most so many rows, the dearest; all of them when undefined. */
  readonly limit?: number | undefined
}

/** `group` has the value of each dimension asked for, in order; null where there is none (a key without a team). */
export interface SpendRow {
  readonly group: ReadonlyArray<string | null>
  readonly cost: NanoUsd
  readonly estimatedCost: NanoUsd
  readonly requests: number
  readonly failedRequests: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** Requests that asked for `auto`, failed ones included, what they cost, and what their answers would have at the baseline. */
  readonly autoRequests: number
  readonly autoCost: NanoUsd
  readonly autoBaseline: NanoUsd
  readonly lastAt: number
  /** Fees, images and what else is no token, as far as there is some. */
  readonly units?: Partial<Usage>
}

export const abandonedRules = ["book", "void"] as const

/**
 * What becomes of a reservation whose request is gone without a trace: its worst case is booked, as the provider may well have been
 * paid, or nothing is.
 */
export type AbandonedRule = (typeof abandonedRules)[number]

export const AbandonedRule = Context.Reference<AbandonedRule>("gateway/core/AbandonedRule", {
  defaultValue: () => "book"
})

export class LedgerJournal extends Context.Service<
  LedgerJournal,
  {
    /** The highest row id ever used; 0 in a new store. */
    readonly lastId: Effect.Effect<number, StoreUnavailable>
    /** Queues the row for this turn's commit without waiting for it; the commit comes long before an upstream can answer. */
    readonly reserve: (row: ReservationRow) => Effect.Effect<void, StoreUnavailable>
    /**
     * Row, rollup and budget windows in one transaction; completes when it is on disk. While the store is in trouble it completes
     * once it is kept to be written later, provided that its reservation is on disk: a crash would book that.
     */
    readonly settle: (row: SettlementRow) => Effect.Effect<void, StoreUnavailable>
    /**
     * Closes the rows that a process which no longer runs left open: each costs its worst case, as an estimate, or nothing, by the
     * rule; with status `abandoned`, counted as a failed request; `auto` saved nothing with it. Rollups follow; the budget
     * windows of their scopes are dropped, so that `openWindow` computes them anew; each request gets a receipt, since nobody else
     * will tell of it. How many rows there were.
     */
    readonly abandonOpen: (settledAt: number, rule: AbandonedRule) => Effect.Effect<number, StoreUnavailable>
    /**
     * What a budget window has grown to. Its row is made on the first call, from the costs of all settled rows of the scope since
     * the window's start. It takes its place in the queue of writes: settlements queued before are in the answer, those queued
     * after add to it.
     */
    readonly openWindow: (window: WindowCharge) => Effect.Effect<NanoUsd, StoreUnavailable>
    /** Dearest first. */
    readonly spend: (query: SpendQuery) => Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable>
  }
>()("gateway/core/LedgerJournal") {}
