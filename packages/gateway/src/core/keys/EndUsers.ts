/**
 * End users of the callers' products, and which scopes a request is held against. The template of a key or team holds for an end user
 * from the first request on, so only end users with settings of their own have a record.
 */
import { Clock, Context, Effect, Layer, Option, Semaphore, Stream } from "effect"
import { IdleMap } from "../collections/IdleMap.ts"
import type { NoteOf } from "../domain/AuditRepository.ts"
import { EndUserRefused, NotFound, type StoreUnavailable, type TooManyScopes } from "../domain/Errors.ts"
import type { Caller } from "./Caller.ts"
import { endUserScope, ownerOf, type ResolvedNames, scopesFor } from "./CallerScope.ts"
import { policyOf } from "./PersonalKeys.ts"
import { type EndUserRecord, EndUserRepository } from "./EndUserRepository.ts"
import { readIds } from "./KnownIds.ts"

/** A record that was not used for this long is dropped from memory and read again on its next use. */
const FORGET_AFTER_MS = 600_000

/** Whom a request is for, as far as its caller may say. */
export interface Identity {
  readonly endUser: string | undefined
  readonly session: string | undefined
  /** The name of a known client. */
  readonly client: string | undefined
}

interface Remembered {
  readonly record: EndUserRecord | undefined
  usedAt: number
}

export class EndUsers extends Context.Service<
  EndUsers,
  {
    /** The caller with all scopes of a request; the same object where there are no more than its key and team. */
    readonly resolve: (
      caller: Caller,
      identity: Identity
    ) => Effect.Effect<Caller, EndUserRefused | TooManyScopes | StoreUnavailable>
    readonly get: (owner: string, id: string) => Effect.Effect<EndUserRecord, NotFound | StoreUnavailable>
    /** In force before it returns. */
    readonly put: (
      record: Omit<EndUserRecord, "updatedAt">,
      note?: NoteOf<EndUserRecord>
    ) => Effect.Effect<EndUserRecord, StoreUnavailable>
    readonly delete: (
      owner: string,
      id: string,
      note?: NoteOf<EndUserRecord>
    ) => Effect.Effect<EndUserRecord, NotFound | StoreUnavailable>
    readonly list: EndUserRepository["Service"]["list"]
  }
>()("gateway/core/EndUsers") {
  static readonly layer = Layer.effect(
    EndUsers,
    Effect.gen(function* () {
      const repository = yield* EndUserRepository
      const clock = yield* Clock.Clock
      // The store was opened a moment ago: without it no gateway starts.
      const known = yield* Effect.orDie(readIds(repository))
      /** Grows with every change: what was read before it grew may be outdated. */
      let generation = 0
      const memory = new IdleMap<Remembered>(({ usedAt }, now) => Math.abs(now - usedAt) > FORGET_AFTER_MS)
      yield* Effect.forkScoped(memory.keepSmall(() => clock.currentTimeMillisUnsafe()))

      const read = Effect.fnUntraced(function* (scope: string) {
        for (;;) {
          const before = generation
          const record = Option.getOrUndefined(yield* repository.find(scope))
          if (generation !== before) continue
          const now = clock.currentTimeMillisUnsafe()
          memory.set(scope, { record, usedAt: now }, now)
          return record
        }
      })

      const find = (scope: string): Effect.Effect<EndUserRecord | undefined, StoreUnavailable> => {
        if (!known.mayHold(scope)) return Effect.undefined
        const remembered = memory.get(scope)
        if (remembered === undefined) return read(scope)
        remembered.usedAt = clock.currentTimeMillisUnsafe()
        return Effect.succeed(remembered.record)
      }

      const resolve = (
        caller: Caller,
        { client, endUser: given, session }: Identity
      ): Effect.Effect<Caller, EndUserRefused | TooManyScopes | StoreUnavailable> => {
        const { key, team } = caller
        const isNobody = given === undefined && session === undefined && client === undefined
        const hasRules = key.rules !== undefined || team?.rules !== undefined || policyOf(key, team) !== undefined
        if (isNobody && !hasRules) return Effect.succeed(caller)
        const endUser = key.rules?.endUser?.fixed ?? given
        if (endUser === undefined) {
          const code = "end_user_required"
          const { from, required = false } = key.rules?.endUser ?? {}
          return required
            ? Effect.fail(new EndUserRefused({ code, keyId: key.id, endUser: "", ...(from && { from }) }))
            : resolved(caller, { endUser: undefined, record: undefined, session, client })
        }
        const scope = endUserScope(ownerOf(key), endUser)
        return Effect.flatMap(find(scope), (record): Effect.Effect<Caller, EndUserRefused | TooManyScopes> =>
          record?.blocked === true
            ? Effect.fail(new EndUserRefused({ code: "end_user_blocked", keyId: key.id, endUser }))
            : resolved(caller, { endUser, record, session, client })
        )
      }

      const resolved = (
        { key, team }: Caller,
        named: Pick<ResolvedNames, "endUser" | "record" | "session" | "client">
      ): Effect.Effect<Caller, TooManyScopes> => {
        const more = scopesFor({ key, team, ...named })
        return "_tag" in more ? Effect.fail(more) : Effect.succeed({ key, team, more, endUser: named.endUser })
      }

      const stored = Effect.fnUntraced(function* (owner: string, id: string) {
        const found = yield* repository.find(endUserScope(owner, id))
        return Option.isSome(found) ? found.value : yield* new NotFound({ what: "end user", id })
      })

      const forget = (scope: string) =>
        Effect.sync(() => {
          generation++
          known.add(scope)
          memory.delete(scope)
        })

      const changing = yield* Semaphore.make(1)

      const put = Effect.fn("EndUsers.put")(
        function* (given: Omit<EndUserRecord, "updatedAt">, note?: NoteOf<EndUserRecord>) {
          const record: EndUserRecord = { ...given, updatedAt: yield* Clock.currentTimeMillis }
          const scope = endUserScope(record.owner, record.id)
          const before = note && Option.getOrNull(yield* repository.find(scope))
          yield* Effect.ensuring(repository.put(record, note?.(before ?? null, record)), forget(scope))
          return record
        },
        Effect.uninterruptible,
        Semaphore.withPermit(changing)
      )

      const remove = Effect.fn("EndUsers.delete")(
        function* (owner: string, id: string, note?: NoteOf<EndUserRecord>) {
          const record = yield* stored(owner, id)
          const scope = endUserScope(owner, id)
          yield* Effect.ensuring(repository.delete(scope, note?.(record, null)), forget(scope))
          return record
        },
        Effect.uninterruptible,
        Semaphore.withPermit(changing)
      )

      yield* Effect.forkScoped(
        Stream.runForEach(repository.changes, (notice) => {
          if (notice.what === "end_user") return forget(notice.id)
          if (notice.what !== "all") return Effect.void
          generation++
          memory.clear()
          return known.readAgain
        })
      )
      return { resolve, get: stored, put, delete: remove, list: repository.list }
    })
  )
}
