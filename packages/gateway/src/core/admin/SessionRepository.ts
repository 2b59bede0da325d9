/** The sessions of administrators in browsers. A port: `storage` implements it. All times are epoch milliseconds. */
import { Context, type Effect, type Option } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"

/** `admin`: the master key opened it. `user`: a person did, whose roles are read at each request. */
const roles = ["admin", "user"] as const

export type Role = (typeof roles)[number]

export interface SessionRecord {
  /** `sess_…`: names it to people and opens nothing. */
  readonly id: string
  /** SHA-256 in hex of each half. */
  readonly cookieHash: string
  readonly tokenHash: string
  /** Ties it to the master key that opened it, without telling that key. */
  readonly binding: string
  readonly role: Role
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly expiresAt: number
  /** Where it was opened from; "" where that has no address. */
  readonly address: string
  /** The person who signed in; null: the master key opened it. */
  readonly person: string | null
}

export class SessionRepository extends Context.Service<
  SessionRepository,
  {
    readonly add: (session: SessionRecord, entry?: NewAuditEntry) => Effect.Effect<void, StoreUnavailable>
    readonly find: (cookieHash: string) => Effect.Effect<Option.Option<SessionRecord>, StoreUnavailable>
    readonly get: (id: string) => Effect.Effect<Option.Option<SessionRecord>, StoreUnavailable>
    /** Never makes it older, and brings none back. */
    readonly touch: (id: string, at: number) => Effect.Effect<void, StoreUnavailable>
    /** Newest first. */
    readonly list: Effect.Effect<ReadonlyArray<SessionRecord>, StoreUnavailable>
    /** How many of the given ids were there. The entry is of one transaction with them, and none where none was. */
    readonly remove: (ids: ReadonlyArray<string>, entry?: NewAuditEntry) => Effect.Effect<number, StoreUnavailable>
  }
>()("gateway/core/SessionRepository") {}
