/**
 * Virtual keys and teams. The hot path reads memory only: a key is read from the repository on its first use and then kept. A
 * change is written to the repository first, and is in force in memory before the call returns.
 */
import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import * as Credential from "./Credential.ts"
import { InvalidField, NotFound, Unauthorized, type StoreUnavailable } from "../domain/Errors.ts"
import { IdleMap } from "../collections/IdleMap.ts"
import { KeyEntry } from "./KeyEntry.ts"
import type { Team, Caller } from "./Caller.ts"
import { readIds } from "./KnownIds.ts"
import { Interner } from "../collections/Interner.ts"
import type { Budget, Limits } from "../domain/Budget.ts"
import { type KeyFilter, type KeyRecord, KeyRepository, type StoredKey, type TeamRecord } from "./KeyRepository.ts"
import { VerifiedCredentials } from "./VerifiedCredentials.ts"

/** The fields of a new key; each has a default. */
export interface NewKey {
  readonly name: string | null
  readonly team: string | null
  readonly models: ReadonlyArray<string>
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  readonly tags: ReadonlyArray<string>
  readonly metadata: { readonly [name: string]: unknown }
  readonly onUnknownPrice: KeyRecord["onUnknownPrice"] | undefined
  readonly expiresAt: number | null
}

/** The fields that can change; those left out stay as they are. */
export type KeyChange = Partial<NewKey & { readonly disabled: boolean }>

type KeyStatus = "active" | "disabled" | "expired" | "revoked"

/** The status of a key at a time (epoch ms). */
export const statusOf = (key: KeyRecord, now: number): KeyStatus =>
  key.revokedAt !== null
    ? "revoked"
    : key.expiresAt !== null && key.expiresAt <= now
      ? "expired"
      : key.disabled
        ? "disabled"
        : "active"

export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** The caller with this credential. Malformed ones, wrong checksums and unknown ids are refused without a look-up. */
    readonly authenticate: (credential: string) => Effect.Effect<Caller, Unauthorized | StoreUnavailable>
    /** The record and its secret, which is shown only once. */
    readonly create: (key: NewKey) => Effect.Effect<Issued, StoreUnavailable>
    readonly get: (id: string) => Effect.Effect<KeyRecord, NotFound | StoreUnavailable>
    readonly list: (
      filter: Omit<KeyFilter, "now">
    ) => Effect.Effect<
      { readonly keys: ReadonlyArray<KeyRecord>; readonly hasMore: boolean },
      InvalidField | StoreUnavailable
    >
    readonly update: (
      id: string,
      change: KeyChange
    ) => Effect.Effect<KeyRecord, NotFound | InvalidField | StoreUnavailable>
    /** Takes effect before it returns. Revoking twice is harmless. */
    readonly revoke: (id: string) => Effect.Effect<KeyRecord, NotFound | StoreUnavailable>
    /** Gives the key a new secret; its old ones work for another `graceSeconds`. */
    readonly rotate: (
      id: string,
      graceSeconds: number
    ) => Effect.Effect<Issued, NotFound | InvalidField | StoreUnavailable>
    /** A team that nobody configured has no limits and no budgets. */
    readonly team: (name: string) => Effect.Effect<TeamRecord, NotFound | StoreUnavailable>
    readonly putTeam: (
      name: string,
      team: Pick<TeamRecord, "limits" | "budgets">
    ) => Effect.Effect<TeamRecord, StoreUnavailable>
  }
>()("gateway/core/KeyStore") {
  static readonly layer = Layer.effect(
    KeyStore,
    Effect.gen(function* () {
      const repository = yield* KeyRepository
      const pepper = yield* repository.pepper
      const clock = yield* Clock.Clock
      const entries = new IdleMap<KeyEntry>((entry, now) => entry.isIdle(now))
      const verified = new VerifiedCredentials<KeyEntry>()
      const teams = new Map<string, Team>()
      const shared = new Interner()
      const knownIds = yield* readIds(repository)

      const loadTeam = Effect.fnUntraced(function* (name: string) {
        const known = teams.get(name)
        if (known !== undefined) return known
        const record = Option.getOrUndefined(yield* repository.findTeam(name))
        // If a `putTeam` wrote meanwhile, its record is newer.
        const newer = teams.get(name)
        if (newer !== undefined) return newer
        const team = { record }
        teams.set(name, team)
        return team
      })

      const loadTeamOf = ({ team }: StoredKey) => (team === null ? Effect.void : loadTeam(team))

      /** One synchronous step, so that no write comes between the check and the change. */
      const remember = (stored: StoredKey, now: number): KeyEntry => {
        const lastUsedAt = entries.get(stored.id)?.caller.key.lastUsedAt ?? stored.lastUsedAt
        const team = stored.team === null ? undefined : teams.get(stored.team)
        const entry = new KeyEntry(stored, lastUsedAt, team, shared, now)
        entries.set(stored.id, entry, now)
        return entry
      }

      let generation = 0
      const load = Effect.fnUntraced(function* (id: string) {
        const before = generation
        const found = yield* repository.find(id)
        if (Option.isSome(found)) yield* loadTeamOf(found.value)
        const known = entries.get(id)
        if (known !== undefined) return known
        if (Option.isNone(found)) return undefined
        // Something was written during the read, so what was read may be outdated: read again.
        if (generation !== before) return yield* load(id)
        return remember(found.value, yield* Clock.currentTimeMillis)
      }) as (id: string) => Effect.Effect<KeyEntry | undefined, StoreUnavailable>

      const known = Effect.fnUntraced(function* (id: string) {
        return entries.get(id) ?? (yield* load(id)) ?? (yield* new NotFound({ what: "key", id }))
      })

      /** The repository first, then memory; only then the caller is answered. */
      const write = Effect.fnUntraced(function* (key: StoredKey) {
        yield* loadTeamOf(key)
        yield* repository.update(key)
        generation++
        return remember(key, key.updatedAt).caller.key
      }, Effect.uninterruptible)

      const authenticate = (credential: string) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const entry = verified.find(credential, now)
          return entry !== undefined && entries.get(entry.caller.key.id) === entry
            ? admitted(entry, now)
            : Effect.flatMap(verify(credential, now), (entry) => admitted(entry, now))
        })

      const verify = Effect.fnUntraced(function* (credential: string, now: number) {
        const parsed = Credential.parse(credential)
        if (parsed === undefined) return yield* new Unauthorized({ code: "invalid_api_key" })
        const { keyId } = parsed
        const entry = entries.get(keyId) ?? (knownIds.mayHold(keyId) ? yield* load(keyId) : undefined)
        const secret = entry && Credential.matching(pepper, credential, entry.secrets, now)
        if (entry === undefined || secret === undefined) return yield* new Unauthorized({ code: "invalid_api_key" })
        verified.remember(credential, entry, secret)
        return entry
      })

      const admitted = (entry: KeyEntry, now: number): Effect.Effect<Caller, Unauthorized> => {
        const { key } = entry.caller
        const status = statusOf(key, now)
        if (status !== "active") return Effect.fail(new Unauthorized({ code: `${status}_api_key` }))
        const caller = entry.use(now)
        if (Math.abs(now - (key.lastUsedAt ?? 0)) <= TOUCH_EVERY_MS) return Effect.succeed(caller)
        entry.touch(now)
        return Effect.as(repository.touch(key.id, now), entry.caller)
      }

      // One change at a time: otherwise a PATCH that began before a DELETE could bring the key back.
      const changing = yield* Semaphore.make(1)

      const create = Effect.fn("KeyStore.create")(function* (key: NewKey) {
        const now = yield* Clock.currentTimeMillis
        const credential = Credential.generate()
        const record: StoredKey = {
          ...key,
          id: credential.keyId,
          onUnknownPrice: key.onUnknownPrice ?? "default",
          disabled: false,
          createdAt: now,
          updatedAt: now,
          revokedAt: null,
          lastUsedAt: null,
          secrets: [{ hash: Credential.hash(pepper, credential.text), validUntil: null }]
        }
        yield* loadTeamOf(record)
        knownIds.add(record.id)
        yield* repository.insert(record)
        generation++
        return { record: remember(record, now).caller.key, secret: credential.text }
      }, Effect.uninterruptible)

      const list = Effect.fn("KeyStore.list")(function* (filter: Omit<KeyFilter, "now">) {
        const now = yield* Clock.currentTimeMillis
        const page = yield* repository.list({ ...filter, now })
        if (Option.isNone(page)) {
          return yield* new InvalidField({ param: "after", message: `\`after\` names no key: ${filter.after}` })
        }
        return {
          keys: page.value.keys.map((key) => entries.get(key.id)?.caller.key ?? toRecord(key)),
          hasMore: page.value.hasMore
        }
      })

      const update = Effect.fn("KeyStore.update")(function* (id: string, change: KeyChange) {
        const before = (yield* known(id)).stored
        if (before.revokedAt !== null) {
          return yield* new InvalidField({ param: "id", message: `${id} is revoked: it can't be changed any more` })
        }
        const now = yield* Clock.currentTimeMillis
        const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as KeyChange
        return yield* write({ ...before, ...(given as Partial<StoredKey>), updatedAt: now })
      }, changing.withPermit)

      const revoke = Effect.fn("KeyStore.revoke")(function* (id: string) {
        const entry = yield* known(id)
        const before = entry.stored
        if (before.revokedAt !== null) return entry.caller.key
        const now = yield* Clock.currentTimeMillis
        return yield* write({ ...before, revokedAt: now, updatedAt: now })
      }, changing.withPermit)

      const rotate = Effect.fn("KeyStore.rotate")(function* (id: string, graceSeconds: number) {
        const before = (yield* known(id)).stored
        if (before.revokedAt !== null) {
          return yield* new InvalidField({ param: "id", message: `${id} is revoked: make a new key instead` })
        }
        const now = yield* Clock.currentTimeMillis
        const graceEnd = now + graceSeconds * 1000
        const credential = Credential.generateFor(id)
        const old = before.secrets
          .map((secret) => ({ hash: secret.hash, validUntil: Math.min(secret.validUntil ?? graceEnd, graceEnd) }))
          .filter((secret) => secret.validUntil > now)
        const secrets = [{ hash: Credential.hash(pepper, credential), validUntil: null }, ...old]
        const record = yield* write({ ...before, secrets, updatedAt: now })
        return { record, secret: credential }
      }, changing.withPermit)

      const team = Effect.fn("KeyStore.team")(function* (name: string) {
        const { record } = yield* loadTeam(name)
        return record ?? (yield* new NotFound({ what: "team", id: name }))
      })

      const putTeam = Effect.fn("KeyStore.putTeam")(function* (
        name: string,
        given: Pick<TeamRecord, "limits" | "budgets">
      ) {
        const now = yield* Clock.currentTimeMillis
        const record: TeamRecord = { name, limits: given.limits, budgets: given.budgets, updatedAt: now }
        yield* repository.putTeam(record)
        const team = teams.get(name)
        if (team === undefined) teams.set(name, { record })
        else team.record = record
        return record
      }, Effect.uninterruptible)

      return {
        authenticate,
        create,
        get: Effect.fn("KeyStore.get")(function* (id: string) {
          return (yield* known(id)).caller.key
        }),
        list,
        update,
        revoke,
        rotate,
        team,
        putTeam
      }
    })
  )
}

/** A key with its secret, which is never shown again. */
export interface Issued {
  readonly record: KeyRecord
  readonly secret: string
}

/** `last_used_at` is written at most this often for a key: it is only for people to read. */
const TOUCH_EVERY_MS = 60_000

const toRecord = ({ secrets: _, ...record }: StoredKey): KeyRecord => record
