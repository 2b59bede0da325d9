/**
 * Virtual keys and teams. A key is read from the repository on first use and kept in memory. A change is written first, and is
 * in force before the call returns; a change of another process when the repository reports it.
 */
import { isDeepStrictEqual } from "node:util"
import { Clock, Context, Effect, Layer, Option, PubSub, Semaphore, Stream } from "effect"
import type { NoteOf } from "../domain/AuditRepository.ts"
import { LruMap } from "../collections/LruMap.ts"
import type { PersonalKeyPolicy } from "../domain/Budget.ts"
import * as Credential from "./Credential.ts"
import {
  InvalidField,
  NotFound,
  TokenRefused,
  Unauthorized,
  type StoreUnavailable,
  TeamInUse
} from "../domain/Errors.ts"
import type { TokenRule } from "../domain/Settings.ts"
import type { Caller } from "./Caller.ts"
import { type KeyEntry, toRecord } from "./KeyEntry.ts"
import {
  type KeyFilter,
  type KeyRecord,
  KeyRepository,
  type KeyStatus,
  type StoredKey,
  type TeamRecord,
  unconfiguredTeam
} from "./KeyRepository.ts"
import { makeLoadedKeys } from "./LoadedKeys.ts"
import { freshKey, type KeySettings, type NewKey } from "./NewKey.ts"
import { policyOf } from "./PersonalKeys.ts"

/** The fields that can change; those left out stay as they are. */
export type KeyChange = Partial<KeySettings & { readonly disabled: boolean }>

/** The status of a key at a time (epoch milliseconds). A personal key whose team does not allow them is suspended, too. */
export const statusOf = ({ key, team }: Pick<Caller, "key" | "team">, now: number): KeyStatus =>
  key.revokedAt !== null
    ? "revoked"
    : key.expiresAt !== null && key.expiresAt <= now
      ? "expired"
      : key.disabled
        ? "disabled"
        : key.isSuspended === true || (key.holder?.kind === "personal" && policyOf(key, team)?.enabled !== true)
          ? "suspended"
          : "active"

export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** The caller with this credential, without a fiber switch for known keys and without a look-up for malformed ones. */
    readonly authenticate: (credential: string) => Effect.Effect<Caller, Unauthorized | StoreUnavailable>
    /** The caller with this key, without a credential. A known key completes without a fiber switch. */
    readonly admit: (id: string) => Effect.Effect<Caller, Unauthorized | StoreUnavailable>
    /** The id of the key that a rule has for a subject, which is made where there is none. Its settings are those of the rule. */
    readonly workload: (rule: TokenRule, subject: string) => Effect.Effect<string, TokenRefused | StoreUnavailable>
    /** The record and its secret, which is shown only once. */
    readonly create: (key: NewKey, note?: NoteOf<KeyRecord>) => Effect.Effect<Issued, StoreUnavailable>
    /** None: the person has `most` keys in the team already. */
    readonly createPersonal: (
      key: NewKey,
      most: number,
      note?: NoteOf<KeyRecord>
    ) => Effect.Effect<Option.Option<Issued>, StoreUnavailable>
    readonly get: (id: string) => Effect.Effect<KeyRecord, NotFound | StoreUnavailable>
    readonly list: (
      filter: Omit<KeyFilter, "now">
    ) => Effect.Effect<
      { readonly keys: ReadonlyArray<KeyRecord>; readonly hasMore: boolean },
      InvalidField | StoreUnavailable
    >
    readonly update: (
      id: string,
      change: KeyChange,
      note?: NoteOf<KeyRecord>
    ) => Effect.Effect<KeyRecord, NotFound | InvalidField | StoreUnavailable>
    /** Takes effect before it returns. Revoking twice is harmless. */
    readonly revoke: (id: string, note?: NoteOf<KeyRecord>) => Effect.Effect<KeyRecord, NotFound | StoreUnavailable>
    /** Gives the key a new secret; its old ones work for another `graceSeconds`. */
    readonly rotate: (
      id: string,
      graceSeconds: number,
      note?: NoteOf<KeyRecord>
    ) => Effect.Effect<Issued, NotFound | InvalidField | StoreUnavailable>
    /** A team that nobody configured has no limits and no budgets. */
    readonly team: (name: string) => Effect.Effect<TeamRecord, NotFound | StoreUnavailable>
    /** Runs a change of people that suspends or resumes keys, whose ids it returns. Both are in force before this returns. */
    readonly follow: (
      change: Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    ) => Effect.Effect<void, StoreUnavailable>
    /** The people whose personal keys are used, each key once a minute at most. */
    readonly uses: Stream.Stream<string>
    readonly owned: KeyRepository["Service"]["owned"]
    readonly names: KeyRepository["Service"]["names"]
    readonly teams: KeyRepository["Service"]["teams"]
    readonly keysOf: KeyRepository["Service"]["keysOf"]
    /** In force before it returns. With `force` its keys go on without it. */
    readonly deleteTeam: (
      name: string,
      force: boolean,
      note?: NoteOf<TeamRecord>
    ) => Effect.Effect<TeamRecord, NotFound | TeamInUse | StoreUnavailable>
    readonly budgeted: KeyRepository["Service"]["budgeted"]
    readonly count: KeyRepository["Service"]["count"]
    readonly putTeam: (
      name: string,
      team: Pick<TeamRecord, "limits" | "budgets" | "rules">,
      note?: NoteOf<TeamRecord>
    ) => Effect.Effect<TeamRecord, StoreUnavailable>
    readonly putPersonalKeys: (
      name: string,
      policy: PersonalKeyPolicy,
      note?: NoteOf<TeamRecord>
    ) => Effect.Effect<TeamRecord, StoreUnavailable>
  }
>()("gateway/core/KeyStore") {
  static readonly layer = Layer.effect(
    KeyStore,
    Effect.gen(function* () {
      const repository = yield* KeyRepository
      const pepper = yield* repository.pepper
      const clock = yield* Clock.Clock
      const { changed, knownIds, load, loadTeam, memory, refresh, refreshTeam, written } = yield* makeLoadedKeys
      /** The hash of a credential costs more than all limit checks. Every change of a key replaces its entry. */
      const verified = new LruMap<VerifiedCredential>(MOST_VERIFIED)
      const uses = yield* PubSub.sliding<string>(USES_KEPT)

      const admit = (id: string) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const entry = memory.key(id)
          if (entry !== undefined) return admitted(entry, now)
          return Effect.flatMap(load(id), (found) =>
            found === undefined ? Effect.fail(new Unauthorized({ code: "invalid_api_key" })) : admitted(found, now)
          )
        })

      const authenticate = (credential: string) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const known = verified.get(credential, now)
          const isValid = known !== undefined && (known.validUntil === null || known.validUntil > now)
          return isValid && memory.key(known.entry.caller.key.id) === known.entry
            ? admitted(known.entry, now)
            : Effect.flatMap(verify(credential, now), (entry) => admitted(entry, now))
        })

      const verify = Effect.fnUntraced(function* (credential: string, now: number) {
        const presented = Credential.read(pepper, credential)
        if (presented === undefined) return yield* new Unauthorized({ code: "invalid_api_key" })
        const { from, keyId, text } = presented
        const entry = memory.key(keyId) ?? (knownIds.mayHold(keyId) ? yield* load(keyId) : undefined)
        const secret = entry && Credential.matching(pepper, text, entry.secrets, now, from)
        if (entry === undefined || secret === undefined) return yield* new Unauthorized({ code: "invalid_api_key" })
        verified.keep(credential, { entry, validUntil: secret.validUntil }, now)
        return entry
      })

      const admitted = (entry: KeyEntry, now: number): Effect.Effect<Caller, Unauthorized> => {
        const caller = entry.use(now)
        const { key } = caller
        const status = statusOf(caller, now)
        if (status !== "active") {
          const { id, name, team } = key
          return Effect.fail(new Unauthorized({ code: `${status}_api_key`, key: { id, name, team } }))
        }
        if (Math.abs(now - (key.lastUsedAt ?? 0)) <= TOUCH_EVERY_MS) return Effect.succeed(caller)
        entry.touch(now)
        if (typeof key.holder?.owner === "string") PubSub.publishUnsafe(uses, key.holder.owner)
        return Effect.as(repository.touch(key.id, now), entry.caller)
      }

      // One change at a time: otherwise a PATCH that began before a DELETE could bring the key back.
      const changing = yield* Semaphore.make(1)

      const issue = Effect.fn("KeyStore.create")(function* (key: NewKey, note?: NoteOf<KeyRecord>, most?: number) {
        const now = yield* Clock.currentTimeMillis
        const credential = Credential.generate()
        const record: StoredKey = {
          ...freshKey(credential.keyId, now, key),
          secrets: [{ hash: Credential.hash(pepper, credential.text), validUntil: null }]
        }
        knownIds.add(record.id)
        const inserted = yield* written(record, repository.insert(record, note?.(null, toRecord(record)), most))
        // Its person may have been disabled meanwhile: the first use reads what the store has.
        if (most !== undefined) memory.forget(record.id)
        return Option.map(Option.fromUndefinedOr(inserted), (one) => ({ record: one, secret: credential.text }))
      })

      const workload = Effect.fn("KeyStore.workload")(function* (rule: TokenRule, subject: string) {
        const { key: settings, maxSubjects, name } = rule
        const id = Credential.idFrom(pepper, `jwt:${name}:${subject}`)
        const known = (memory.key(id) ?? (yield* load(id)))?.caller.key
        if (known === undefined) {
          const holder = { kind: "workload", owner: null, rule: name, subject, createdBy: null } as const
          const given = { ...settings, name: subject.slice(0, 200).toWellFormed(), holder }
          const made = { ...freshKey(id, yield* Clock.currentTimeMillis, given), secrets: [] }
          if (yield* repository.insertWorkload(made, maxSubjects)) return id
          const [issuer = ""] = name.split("/")
          return yield* new TokenRefused({ code: "too_many_jwt_subjects", issuer, rule: name })
        }
        const { budgets, limits, models, tags, team } = known
        if (!isDeepStrictEqual({ budgets, limits, models, tags, team }, settings) && known.revokedAt === null) {
          const follow = changing.withPermit(changed(id, () => Effect.succeed(settings), undefined))
          yield* Effect.catchTag(follow, "NotFound", () => Effect.void)
        }
        return id
      })

      const follow = Effect.fn("KeyStore.follow")(function* (
        change: Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
      ) {
        // A store that fails may have written it all the same.
        const ids = yield* Effect.onError(change, () => Effect.sync(() => memory.forgetAll()))
        for (const id of ids) memory.forget(id)
      }, Effect.uninterruptible)

      const get = Effect.fn("KeyStore.get")(function* (id: string) {
        const entry = memory.key(id) ?? (yield* load(id)) ?? (yield* new NotFound({ what: "key", id }))
        return entry.caller.key
      })

      const list = Effect.fn("KeyStore.list")(function* (filter: Omit<KeyFilter, "now">) {
        const now = yield* Clock.currentTimeMillis
        const page = yield* repository.list({ ...filter, now })
        if (Option.isNone(page)) {
          return yield* new InvalidField({ param: "after", message: `\`after\` names no key: ${filter.after}` })
        }
        return {
          keys: page.value.keys.map((key) => memory.key(key.id)?.caller.key ?? toRecord(key)),
          hasMore: page.value.hasMore
        }
      })

      const update = Effect.fn("KeyStore.update")(function* (id: string, change: KeyChange, note?: NoteOf<KeyRecord>) {
        const given = Object.fromEntries(
          Object.entries(change).filter(([, value]) => value !== undefined)
        ) as Partial<StoredKey>
        const after = ({ holder, revokedAt }: StoredKey) => {
          if (revokedAt !== null) return Effect.fail(isRevoked(id, "it can't be changed"))
          const param = holder?.kind === "workload" ? ruledFields.find((field) => field in given) : undefined
          if (param === undefined) return Effect.succeed(given)
          const message = `The rule ${holder?.rule} sets \`${param}\` of ${id}. Change it in the configuration.`
          return Effect.fail(new InvalidField({ param, message }))
        }
        return yield* changed(id, after, note)
      }, Semaphore.withPermit(changing))

      const revoke = Effect.fn("KeyStore.revoke")(function* (id: string, note?: NoteOf<KeyRecord>) {
        // One that is revoked already may not be so everywhere yet: that is waited for, too, and noted once.
        const noted = (before: KeyRecord, after: KeyRecord) =>
          before.revokedAt === null ? note?.(before, after) : undefined
        const after = ({ revokedAt, updatedAt }: StoredKey, now: number): Effect.Effect<Partial<StoredKey>> =>
          Effect.succeed(revokedAt === null ? { revokedAt: now } : { updatedAt })
        return yield* changed(id, after, noted)
      }, Semaphore.withPermit(changing))

      const rotate = Effect.fn("KeyStore.rotate")(function* (
        id: string,
        graceSeconds: number,
        note?: NoteOf<KeyRecord>
      ) {
        const credential = Credential.generateFor(id)
        const after = ({ holder, revokedAt, secrets }: StoredKey, now: number) => {
          if (holder?.kind === "workload") {
            const message = `${id} belongs to the subject of a JWT and has no secret. Create another key instead.`
            return Effect.fail(new InvalidField({ param: "id", message }))
          }
          if (revokedAt !== null) return Effect.fail(isRevoked(id, "create a new key instead"))
          const graceEnd = now + graceSeconds * 1000
          const old = secrets
            .map((secret) => ({ ...secret, validUntil: Math.min(secret.validUntil ?? graceEnd, graceEnd) }))
            .filter((secret) => secret.validUntil > now)
          return Effect.succeed({ secrets: [{ hash: Credential.hash(pepper, credential), validUntil: null }, ...old] })
        }
        return { record: yield* changed(id, after, note), secret: credential }
      }, Semaphore.withPermit(changing))

      const team = Effect.fn("KeyStore.team")(function* (name: string) {
        const { record } = yield* loadTeam(name)
        return record ?? (yield* new NotFound({ what: "team", id: name }))
      })

      const putTeam = Effect.fn("KeyStore.putTeam")(
        function* (
          name: string,
          { budgets, limits, rules }: Pick<TeamRecord, "limits" | "budgets" | "rules">,
          note?: NoteOf<TeamRecord>
        ) {
          const now = yield* Clock.currentTimeMillis
          const record: TeamRecord = { name, limits, budgets, rules, updatedAt: now }
          const before = note && Option.getOrNull(yield* repository.findTeam(name))
          yield* Effect.ensuring(repository.putTeam(record, note?.(before ?? null, record)), refreshTeam(name))
          return record
        },
        Effect.uninterruptible,
        Semaphore.withPermit(changing)
      )

      const putPersonalKeys = Effect.fn("KeyStore.putPersonalKeys")(
        function* (name: string, personalKeys: PersonalKeyPolicy, note?: NoteOf<TeamRecord>) {
          const now = yield* Clock.currentTimeMillis
          const before = Option.getOrNull(yield* repository.findTeam(name))
          const record: TeamRecord = { ...unconfiguredTeam(name), ...before, personalKeys, updatedAt: now }
          yield* Effect.ensuring(repository.putPersonalKeys(record, note?.(before, record)), refreshTeam(name))
          return record
        },
        Effect.uninterruptible,
        Semaphore.withPermit(changing)
      )

      const deleteTeam = Effect.fn("KeyStore.deleteTeam")(
        function* (name: string, force: boolean, note?: NoteOf<TeamRecord>) {
          const record = yield* team(name)
          const deleted = repository.deleteTeam(name, force, note?.(record, null))
          const { isDeleted, keys } = yield* Effect.ensuring(deleted, refreshTeam(name))
          if (!isDeleted && keys > 0 && !force) return yield* new TeamInUse({ team: name, keys })
          return record
        },
        Effect.uninterruptible,
        Semaphore.withPermit(changing)
      )

      yield* Effect.forkScoped(Stream.runForEach(repository.changes, refresh))
      return {
        authenticate,
        admit,
        workload,
        create: (key, note) => Effect.map(issue(key, note), Option.getOrThrow),
        createPersonal: (key, most, note) => issue(key, note, most),
        get,
        list,
        update,
        revoke,
        rotate,
        team,
        follow,
        uses: Stream.fromPubSub(uses),
        owned: repository.owned,
        names: repository.names,
        teams: repository.teams,
        keysOf: repository.keysOf,
        deleteTeam,
        budgeted: repository.budgeted,
        count: repository.count,
        putTeam,
        putPersonalKeys
      }
    })
  )
}

const isRevoked = (id: string, instead: string) =>
  new InvalidField({ param: "id", message: `${id} is revoked: ${instead}` })

export interface Issued {
  readonly record: KeyRecord
  readonly secret: string
}

/** Of a workload's key they follow the rule. */
const ruledFields = ["team", "models", "tags", "limits", "budgets"] as const

interface VerifiedCredential {
  readonly entry: KeyEntry
  readonly validUntil: number | null
}

/** About 200 bytes each. */
const MOST_VERIFIED = 10_000

/** Uses by people that nobody has read yet. */
const USES_KEPT = 1000

/** `last_used_at` is written at most this often for a key: it is only for people to read. */
const TOUCH_EVERY_MS = 60_000
