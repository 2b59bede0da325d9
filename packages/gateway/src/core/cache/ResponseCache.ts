/** Finds and stores responses. Whatever fails in the cache is a miss: no request fails by it. */
import { type Clock, Deferred, Effect, Latch, Option, Scope } from "effect"
import type { CacheSettings } from "../domain/Cache.ts"
import type { Caller } from "../keys/Caller.ts"
import { type KeptStore, MADE_BY, RESPONSE_ID } from "../kept/KeptResponses.ts"
import { type CacheEntry, checksumOf, decodeEntry, encodeEntry } from "./CacheEntry.ts"

/** What the headers of a request say of the cache. */
export interface CacheDirectives {
  readonly isOn: boolean
  readonly noCache: boolean
  readonly noStore: boolean
  readonly maxAgeMs: number | undefined
}

/** What holds for one request. */
export interface CacheUse extends CacheSettings {
  /** The id of a key, or `team:<name>`. */
  readonly owner: string
  readonly directives: CacheDirectives | undefined
}

/** Undefined: the request does not use the cache. */
export const cacheUse = (
  settings: CacheSettings,
  { key, team }: Caller,
  operation: string,
  directives: CacheDirectives | undefined
): CacheUse | undefined => {
  const own = key.rules?.cache
  const its = team?.rules?.cache
  const mode = settings.mode === "never" ? "off" : (own?.mode ?? its?.mode ?? settings.mode)
  if (mode === "off" || (mode === "on_request" && directives?.isOn !== true)) return undefined
  if (!settings.operations.has(operation)) return undefined
  const all = { ...settings, ...its, ...own }
  const isShared = all.namespace === "team" && key.team !== null
  return { ...all, mode, owner: isShared ? `team:${key.team}` : key.id, directives }
}

export interface CacheHit {
  readonly entry: CacheEntry
  readonly ageMs: number
  readonly isCollapsed: boolean
}

/** `began`: since when erasures forbid to store the response; undefined: the store could not be asked, so nothing is stored. */
export interface CacheMiss {
  readonly id: string
  readonly began: number | undefined
  /** There was an entry, older than the request accepts. */
  readonly isStale: boolean
}

export interface NewEntry {
  readonly entry: CacheEntry
  readonly use: CacheUse
  readonly miss: CacheMiss
  readonly keyId: string
  /** `<provider>/<model>`. */
  readonly model: string
  /** The id of the response in the response store. */
  readonly responseId: string | undefined
}

const PRUNE_EVERY = "10 minutes"

export class ResponseCache {
  private readonly store: KeptStore
  private readonly clock: Clock.Clock
  /** Equal requests wait for the entry of the first one. Undefined: there is none. */
  private readonly running = new Map<string, Deferred.Deferred<CacheEntry | undefined>>()
  private readonly isAny = Latch.makeUnsafe(true)

  constructor(store: KeptStore, clock: Clock.Clock) {
    this.store = store
    this.clock = clock
  }

  /** Deletes expired entries while there are any. */
  readonly prune: Effect.Effect<never> = Effect.suspend(() =>
    this.isAny.await.pipe(
      Effect.andThen(Effect.sync(() => this.isAny.closeUnsafe())),
      Effect.andThen(Effect.suspend(() => this.store.prune(this.clock.currentTimeMillisUnsafe()))),
      Effect.orElseSucceed(() => true),
      Effect.map((left) => void (left && this.isAny.openUnsafe())),
      Effect.andThen(Effect.sleep(PRUNE_EVERY))
    )
  ).pipe(Effect.forever)

  find(id: string, use: CacheUse): Effect.Effect<CacheHit | CacheMiss, never, Scope.Scope> {
    return Effect.suspend(() => {
      const first = this.running.get(id)
      if (first === undefined || use.directives?.noCache === true) return this.lookUp(id, use)
      const waited =
        use.collapseMs === 0 ? Effect.succeedNone : Effect.timeoutOption(Deferred.await(first), use.collapseMs)
      return Effect.flatMap(waited, (found) => {
        const entry = Option.getOrUndefined(found)
        const hit = entry && this.hit(entry, use, true)
        return hit === undefined ? this.lookUp(id, use) : Effect.succeed(hit)
      })
    })
  }

  private lookUp(id: string, use: CacheUse): Effect.Effect<CacheHit | CacheMiss, never, Scope.Scope> {
    const now = this.clock.currentTimeMillisUnsafe()
    const done = Deferred.makeUnsafe<CacheEntry | undefined>()
    if (!this.running.has(id)) this.running.set(id, done)
    const looked = Effect.map(Effect.option(this.store.claim(id, "", now)), (found): CacheHit | CacheMiss => {
      const claimed = Option.getOrUndefined(found)
      if (claimed?.kind !== "kept")
        return { id, began: claimed?.kind === "first" ? claimed.at : undefined, isStale: false }
      const { answer, request } = claimed.record
      const entry = decodeEntry(answer.body, request)
      const hit = entry === undefined || use.directives?.noCache === true ? undefined : this.hit(entry, use, false)
      if (hit === undefined) return { id, began: claimed.at ?? now, isStale: entry !== undefined }
      this.done(id, hit.entry)
      return hit
    })
    return Effect.andThen(
      Effect.flatMap(Effect.scope, (scope) =>
        Scope.addFinalizer(
          scope,
          Effect.sync(() => {
            if (this.running.get(id) === done) this.done(id, undefined)
          })
        )
      ),
      looked
    )
  }

  private hit(entry: CacheEntry, { directives, ttlMs }: CacheUse, isCollapsed: boolean): CacheHit | undefined {
    const ageMs = Math.max(0, this.clock.currentTimeMillisUnsafe() - entry.at)
    const isFresh = ageMs <= Math.min(ttlMs, directives?.maxAgeMs ?? ttlMs)
    return isFresh ? { entry, ageMs, isCollapsed } : undefined
  }

  /** Those that wait get it at once. Completes when it is in the store, or could not be stored. */
  keep({ entry, keyId, miss, model, responseId, use }: NewEntry): Effect.Effect<void> {
    const { began, id } = miss
    this.done(id, entry)
    if (began === undefined) return Effect.void
    return Effect.suspend(() => {
      const body = encodeEntry(entry)
      if (body.length > use.largestEntry) return Effect.void
      const headers = { ...(responseId === undefined ? {} : { [RESPONSE_ID]: responseId }), [MADE_BY]: keyId, model }
      const record = { keyId: use.owner, madeBy: keyId, began, request: checksumOf(body) }
      const answer = { kind: "json" as const, headers, body }
      this.isAny.openUnsafe()
      return Effect.ignore(this.store.keep(id, { ...record, answer }, entry.at + use.ttlMs, use.quota))
    })
  }

  private done(id: string, entry: CacheEntry | undefined): void {
    const running = this.running.get(id)
    if (running === undefined) return
    this.running.delete(id)
    Deferred.doneUnsafe(running, Effect.succeed(entry))
  }
}
