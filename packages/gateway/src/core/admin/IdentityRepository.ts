/** People, their roles, and service tokens. A port: `storage` implements it. All times are epoch milliseconds. */
import { Context, type Effect, type Option } from "effect"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { GlobalRole, Roles, TeamRole, Visibility } from "../domain/Principal.ts"

export interface Assignment {
  /** "": the role holds in the whole gateway. */
  readonly team: string
  readonly role: GlobalRole | TeamRole
  /** `manual`, or `idp:` and the name of the identity provider. */
  readonly source: string
}

export interface PersonRecord {
  /** `user_…` */
  readonly id: string
  /** The identity provider, as the configuration names it. */
  readonly provider: string
  /** Together they are one person; both are "" once the person is erased. */
  readonly issuer: string
  readonly subject: string
  readonly name: string | null
  readonly email: string | null
  readonly status: "active" | "disabled" | "erased"
  readonly createdAt: number
  readonly lastSeenAt: number
  /** Of the identity provider, sealed; null: it gave none. */
  readonly refreshToken: string | null
  /** When the provider last said that the person may sign in. */
  readonly revalidatedAt: number
}

export interface Person extends PersonRecord {
  readonly assignments: ReadonlyArray<Assignment>
}

/** One credential of a program, with one role. */
export interface ServiceTokenRecord {
  /** `tok_…` */
  readonly id: string
  /** SHA-256 of the secret in hex. */
  readonly hash: string
  readonly name: string
  readonly role: GlobalRole | TeamRole
  /** "": the role holds in the whole gateway. */
  readonly team: string
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt: number | null
}

/** A machine that waits until a person decides. */
export interface DeviceCode {
  /** SHA-256 of the code that the machine has, in hex. */
  readonly hash: string
  /** Digest of the code that the person types. */
  readonly userCode: string
  /** What the program says that it is. */
  readonly client: string
  readonly address: string
  readonly state: "pending" | "approved" | "denied"
  /** Who decided; "": nobody yet. */
  readonly person: string
  readonly createdAt: number
  readonly expiresAt: number
  /** When the machine last asked. */
  readonly polledAt: number
}

/** A machine on which a person is signed in. Hashes are SHA-256 in hex. */
export interface MachineSignIn {
  /** `sign_…` */
  readonly id: string
  readonly person: string
  readonly client: string
  readonly address: string
  readonly accessHash: string
  readonly accessUntil: number
  readonly refreshHash: string
  /** The refresh token before this one. */
  readonly previousHash: string
  readonly previousUntil: number
  readonly createdAt: number
  readonly lastUsedAt: number
}

export interface PersonFilter {
  readonly visibility: Visibility
  /** 1 to 1000. */
  readonly limit: number
  /** The last id of the previous page. */
  readonly after: string | undefined
  /** Only people with a role in it. */
  readonly team: string | undefined
  /** Part of the id, the name or the e-mail; case is ignored. */
  readonly search: string | undefined
}

/** Changes of people and their roles return the ids of the personal keys that they suspended or resumed: `KeyStore.follow` takes them. */
export class IdentityRepository extends Context.Service<
  IdentityRepository,
  {
    readonly person: (id: string) => Effect.Effect<Option.Option<Person>, StoreUnavailable>
    readonly personOf: (issuer: string, subject: string) => Effect.Effect<Option.Option<Person>, StoreUnavailable>
    /** By id. */
    readonly people: (
      filter: PersonFilter
    ) => Effect.Effect<{ readonly people: ReadonlyArray<Person>; readonly hasMore: boolean }, StoreUnavailable>
    /** Present names of people and service tokens, by id; those without one are left out. */
    readonly names: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>, StoreUnavailable>
    /** Writes the person, and replaces all roles from `source`. Concurrent first sign-ins return the same person. */
    readonly save: (
      person: PersonRecord,
      source: string,
      assignments: ReadonlyArray<Omit<Assignment, "source">>,
      entry?: NewAuditEntry
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** Gives a role by hand, or takes it away. `team`: "" for the whole gateway. */
    readonly assign: (
      id: string,
      team: string,
      role: GlobalRole | TeamRole | null,
      entry?: NewAuditEntry
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    readonly setStatus: (
      id: string,
      status: "active" | "disabled",
      entry?: NewAuditEntry
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** Only the id stays, with the status `erased`; sessions and roles go. */
    readonly erase: (id: string, entry?: NewAuditEntry) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** True for one of all that call it with the same `revalidatedAt` until the time `until`. */
    readonly claimRevalidation: (
      person: PersonRecord,
      now: number,
      until: number
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** A code that opens one session of the person, in the browser with that cookie, until it expires. */
    readonly addCode: (
      hash: string,
      cookieHash: string,
      person: string,
      expiresAt: number
    ) => Effect.Effect<void, StoreUnavailable>
    /** The person of a code. There is none a second time. */
    readonly takeCode: (
      hash: string,
      cookieHash: string,
      now: number
    ) => Effect.Effect<Option.Option<string>, StoreUnavailable>
    /** False: 20 of the last minute are from this address, or 1,000 wait in all. Removes those whose time is over. */
    readonly addDevice: (code: DeviceCode) => Effect.Effect<boolean, StoreUnavailable>
    readonly device: (
      column: "hash" | "user_code",
      value: string
    ) => Effect.Effect<Option.Option<DeviceCode>, StoreUnavailable>
    readonly polled: (hash: string, at: number) => Effect.Effect<void, StoreUnavailable>
    /** False: it was decided before. */
    readonly decideDevice: (
      hash: string,
      person: string,
      state: "approved" | "denied",
      entry: NewAuditEntry
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** False: it is gone. */
    readonly takeDevice: (hash: string) => Effect.Effect<boolean, StoreUnavailable>
    /** Only the newest 10 of a person stay. */
    readonly addSignIn: (signIn: MachineSignIn) => Effect.Effect<void, StoreUnavailable>
    readonly signIn: (id: string) => Effect.Effect<Option.Option<MachineSignIn>, StoreUnavailable>
    /** Newest first. */
    readonly signIns: (person: string) => Effect.Effect<ReadonlyArray<MachineSignIn>, StoreUnavailable>
    /** False: another call replaced its tokens. */
    readonly replaceSignIn: (before: MachineSignIn, after: MachineSignIn) => Effect.Effect<boolean, StoreUnavailable>
    readonly touchSignIn: (id: string, at: number) => Effect.Effect<void, StoreUnavailable>
    readonly removeSignIn: (id: string, entry?: NewAuditEntry) => Effect.Effect<void, StoreUnavailable>
    /** All of a person: how many there were. */
    readonly removeSignIns: (person: string) => Effect.Effect<number, StoreUnavailable>
    readonly addToken: (token: ServiceTokenRecord, entry?: NewAuditEntry) => Effect.Effect<void, StoreUnavailable>
    readonly token: (id: string) => Effect.Effect<Option.Option<ServiceTokenRecord>, StoreUnavailable>
    /** By id. */
    readonly tokens: (visibility: Visibility) => Effect.Effect<ReadonlyArray<ServiceTokenRecord>, StoreUnavailable>
    /** False: there was none. */
    readonly removeToken: (id: string, entry?: NewAuditEntry) => Effect.Effect<boolean, StoreUnavailable>
    readonly touchToken: (id: string, at: number) => Effect.Effect<void, StoreUnavailable>
  }
>()("gateway/core/IdentityRepository") {}

/** What several assignments come to: the highest role counts, globally and in each team. */
export const rolesOf = (assignments: ReadonlyArray<Assignment>): Roles => {
  let role: GlobalRole | null = null
  const teams = new Map<string, TeamRole>()
  for (const one of assignments) {
    if (one.team !== "") {
      if (one.role !== "viewer" && teams.get(one.team) !== "admin") teams.set(one.team, one.role)
    } else if (one.role !== "member" && role !== "admin") role = one.role
  }
  return { role, teams }
}
