/** Loads keys and teams from the repository into memory, and writes changes of keys to both. */
import { Clock, Deferred, Effect, type Exit, Option } from "effect"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"
import { NotFound, type StoreUnavailable } from "../domain/Errors.ts"
import { type KeyEntry, toRecord } from "./KeyEntry.ts"
import { KeyMemory } from "./KeyMemory.ts"
import { readIds } from "./KnownIds.ts"
import { type ChangeNotice, type KeyRecord, KeyRepository, type StoredKey } from "./KeyRepository.ts"

export const makeLoadedKeys = Effect.gen(function* () {
  const repository = yield* KeyRepository
  const clock = yield* Clock.Clock
  const memory = new KeyMemory()
  const knownIds = yield* readIds(repository)

  const loadTeam = Effect.fnUntraced(function* (name: string) {
    for (;;) {
      const before = memory.generation
      const known = memory.team(name)
      if (known !== undefined) return known
      const record = Option.getOrUndefined(yield* repository.findTeam(name))
      // Something was written during the read, so what was read may be outdated: read again.
      if (memory.generation === before) return memory.rememberTeam(name, record)
    }
  })

  const loadTeamOf = ({ team }: StoredKey) => (team === null ? Effect.void : loadTeam(team))

  const read = Effect.fnUntraced(function* (id: string) {
    for (;;) {
      const before = memory.generation
      const found = yield* repository.find(id)
      if (Option.isSome(found)) yield* loadTeamOf(found.value)
      const known = memory.key(id)
      if (known !== undefined) return known
      if (memory.generation !== before) continue
      if (Option.isNone(found)) return undefined
      return memory.remember(found.value, before, clock.currentTimeMillisUnsafe())
    }
  })

  const loading = new Map<string, Deferred.Deferred<KeyEntry | undefined, StoreUnavailable>>()
  /** However many come with a key that is not in memory, the store is read once. What changes meanwhile is read again. */
  const load = Effect.fnUntraced(function* (id: string) {
    const underWay = loading.get(id)
    if (underWay !== undefined) return yield* Deferred.await(underWay)
    const mine = Deferred.makeUnsafe<KeyEntry | undefined, StoreUnavailable>()
    loading.set(id, mine)
    const told = (exit: Exit.Exit<KeyEntry | undefined, StoreUnavailable>) =>
      Effect.sync(() => {
        loading.delete(id)
        Deferred.doneUnsafe(mine, exit)
      })
    return yield* Effect.uninterruptible(Effect.onExit(read(id), told))
  })

  /** As the store has it: another process may have changed it a moment ago. */
  const stored = Effect.fnUntraced(function* (id: string) {
    const found = Option.getOrUndefined(yield* repository.find(id))
    if (found === undefined) return yield* new NotFound({ what: "key", id })
    const known = memory.key(id)
    return known === undefined ? found : { ...found, lastUsedAt: known.caller.key.lastUsedAt }
  })

  /** The repository first, then memory; only then the caller is answered. */
  const written = Effect.fnUntraced(function* (key: StoredKey, put: Effect.Effect<boolean, StoreUnavailable>) {
    yield* loadTeamOf(key)
    const since = memory.generation
    // A store that fails may have written it all the same.
    const isWritten = yield* Effect.onError(put, () => Effect.sync(() => memory.forget(key.id)))
    if (!isWritten) return undefined
    const entry = memory.remember(key, since, key.updatedAt)
    memory.generation++
    return entry.caller.key
  }, Effect.uninterruptible)

  /** `after` a key as it is stored, again where another process was quicker. */
  const changed = Effect.fnUntraced(function* <E>(
    id: string,
    after: (before: StoredKey, now: number) => Effect.Effect<Partial<StoredKey>, E>,
    note: ((before: KeyRecord, after: KeyRecord) => NewAuditEntry | undefined) | undefined
  ) {
    for (;;) {
      const before = yield* stored(id)
      const now = yield* Clock.currentTimeMillis
      // Each change has another time: by that it is known whether there was one in between.
      const updatedAt = Math.max(now, before.updatedAt + 1)
      const key: StoredKey = { ...before, updatedAt, ...(yield* after(before, now)) }
      const entry = note?.(toRecord(before), toRecord(key))
      const record = yield* written(key, repository.update(key, entry, before.updatedAt))
      if (record !== undefined) return record
    }
  })

  const refreshTeam = Effect.fnUntraced(
    function* (name: string) {
      memory.generation++
      while (memory.team(name) !== undefined) {
        const before = memory.generation
        const record = Option.getOrUndefined(yield* repository.findTeam(name))
        if (memory.generation === before) return void memory.rememberTeam(name, record)
      }
    },
    // The next use reads it, or fails.
    Effect.catch(() => Effect.sync(() => memory.forgetAll()))
  )

  const refresh = Effect.fnUntraced(function* (notice: ChangeNotice) {
    switch (notice.what) {
      case "key":
        knownIds.add(notice.id)
        return memory.forget(notice.id)
      case "team":
        return yield* refreshTeam(notice.id)
      case "end_user":
        return
      case "all":
        memory.forgetAll()
        return yield* knownIds.readAgain
    }
  })

  return { memory, knownIds, loadTeam, load, written, changed, refreshTeam, refresh }
})
