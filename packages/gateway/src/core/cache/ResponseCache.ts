/** Finds and stores responses. A failure of the cache is a miss: no request fails because of it. */
import type { CacheDirectives } from "@model-gateway/protocol"
import { type Clock, Deferred, Effect, Latch, Option, Scope } from "effect"
import type { CacheSettings } from "../domain/Cache.ts"
import type { Caller } from "../keys/Caller.ts"
import { type CacheStore, MADE_BY, RESPONSE_ID } from "../kept/KeptResponses.ts"
import { type CacheEntry, checksumOf, decodeEntry, encodeEntry } from "./CacheEntry.ts"

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
  if (!settings.operations.includes(operation)) return undefined
  const { namespace = settings.namespace, tool_calls = settings.toolCalls, ttl_seconds } = { ...its, ...own }
  return {
    ...settings,
    toolCalls: tool_calls,
    ttlMs: ttl_seconds === undefined ? settings.ttlMs : ttl_seconds * 1_000,
    owner: namespace === "team" && key.team !== null ? `team:${key.team}` : key.id,
    directives
  }
}

export interface CacheHit {
  readonly entry: CacheEntry
  readonly ageMs: number
  readonly isCollapsed: boolean
}

/** `began`: erasures since then forbid to store the response; undefined: the store could not be asked, so nothing is stored. */
export interface CacheMiss {
  readonly id: string
  readonly began: number | undefined
  /** There was an entry, older than the request accepts. */
  readonly isStale: boolean
}

/** Where an entry belongs. `model`: `<provider>/<model>`. `responseId`: of the response in the response store. */
export interface EntryPlace {
  readonly keyId: string
  readonly model: string
  readonly responseId: string | undefined
}

type Found = Effect.Effect<CacheHit | CacheMiss, never, Scope.Scope>

const PRUNE_EVERY = "10 minutes"

/** How often uses of entries are written, and how many entries at most; further uses of that minute are not. */
const TOUCH_EVERY = "1 minute"
const MOST_TOUCHED = 1_000

export class ResponseCache {
  private readonly store: CacheStore
  private readonly clock: Clock.Clock
  /** Equal requests wait for the entry of the first one. Undefined: there is none. */
  private readonly running = new Map<string, Deferred.Deferred<CacheEntry | undefined>>()
  private readonly isAny = Latch.makeUnsafe(true)
  /** Entries that were used since the last time that uses were written. */
  private readonly used = new Set<string>()
  /** Open while the cache is used. */
  private readonly isUsed = Latch.makeUnsafe(false)

  constructor(store: CacheStore, clock: Clock.Clock) {
    this.store = store
    this.clock = clock
  }

  /** Deletes expired entries while there are any. */
  readonly prune: Effect.Effect<never> = Effect.gen({ self: this }, function* () {
    yield* this.isAny.await
    this.isAny.closeUnsafe()
    const isAny = yield* Effect.orElseSucceed(this.store.prune(this.clock.currentTimeMillisUnsafe()), () => true)
    if (isAny) this.isAny.openUnsafe()
    yield* Effect.sleep(PRUNE_EVERY)
  }).pipe(Effect.forever)

  /** Writes which entries were used, and measures the cache, while it is used. */
  readonly touching: Effect.Effect<never> = Effect.gen({ self: this }, function* () {
    yield* this.isUsed.await
    yield* Effect.sleep(TOUCH_EVERY)
    this.isUsed.closeUnsafe()
    yield* this.touch
    const held = yield* Effect.orElseSucceed(this.store.held, () => [])
    const sumOf = (field: "bytes" | "entries") => held.reduce((sum, one) => sum + one[field], 0)
    Object.assign(this.store.vitals, { entries: sumOf("entries"), bytes: sumOf("bytes") })
  }).pipe(Effect.forever)

  private readonly touch = Effect.suspend(() => {
    if (this.used.size === 0) return Effect.void
    const ids = [...this.used]
    this.used.clear()
    return Effect.ignore(this.store.touch(ids))
  })

  find(id: string, use: CacheUse): Found {
    return Effect.suspend(() => {
      const first = use.directives?.noCache === true || use.collapseMs === 0 ? undefined : this.running.get(id)
      if (first === undefined) return this.lookUp(id, use)
      return Effect.flatMap(Effect.timeoutOption(Deferred.await(first), use.collapseMs), (waited) => {
        const hit = this.hit(Option.getOrUndefined(waited), use, true)
        return hit === undefined ? this.lookUp(id, use) : Effect.succeed(hit)
      })
    })
  }

  private lookUp(id: string, use: CacheUse): Found {
    const done = Deferred.makeUnsafe<CacheEntry | undefined>()
    if (!this.running.has(id)) this.running.set(id, done)
    const ended = Effect.sync(() => (this.running.get(id) === done ? this.done(id, undefined) : undefined))
    const claimed = Effect.option(this.store.claim(id, "", this.clock.currentTimeMillisUnsafe()))
    // Without an interruption before the finalizer is there, nobody waits for a first request that is gone.
    return Effect.uninterruptible(
      Effect.flatMap(claimed, (found): Found => {
        const claimed = Option.getOrUndefined(found)
        const record = claimed?.kind === "kept" ? claimed.record : undefined
        const entry = record && decodeEntry(record.answer.body, record.request)
        const hit = use.directives?.noCache === true ? undefined : this.hit(entry, use, false)
        if (hit === undefined) {
          const miss = { id, began: claimed?.at, isStale: entry !== undefined }
          return Effect.as(
            Effect.addFinalizer(() => ended),
            miss
          )
        }
        this.done(id, entry)
        if (this.used.size < MOST_TOUCHED) this.used.add(id)
        this.isUsed.openUnsafe()
        return Effect.succeed(hit)
      })
    )
  }

  private hit(entry: CacheEntry | undefined, { directives, ttlMs }: CacheUse, isCollapsed: boolean) {
    if (entry === undefined) return undefined
    const ageMs = Math.max(0, this.clock.currentTimeMillisUnsafe() - entry.at)
    return ageMs <= Math.min(ttlMs, directives?.maxAgeMs ?? ttlMs) ? { entry, ageMs, isCollapsed } : undefined
  }

  /** Those that wait get it at once. Completes when it is in the store, or could not be stored. */
  keep({ began, id }: CacheMiss, entry: CacheEntry, use: CacheUse, place: EntryPlace): Effect.Effect<void> {
    this.done(id, entry)
    if (began === undefined) return Effect.void
    return Effect.suspend(() => {
      const body = encodeEntry(entry)
      if (body.length > use.largestEntry) return Effect.void
      const { keyId, model, responseId } = place
      const headers = { ...(responseId === undefined ? {} : { [RESPONSE_ID]: responseId }), [MADE_BY]: keyId, model }
      const answer = { kind: "json" as const, headers, body }
      const record = { keyId: use.owner, madeBy: keyId, began, request: checksumOf(body), answer }
      this.isAny.openUnsafe()
      this.isUsed.openUnsafe()
      return Effect.andThen(this.touch, Effect.ignore(this.store.keep(id, record, entry.at + use.ttlMs, use.quota)))
    })
  }

  private done(id: string, entry: CacheEntry | undefined): void {
    const running = this.running.get(id)
    this.running.delete(id)
    if (running !== undefined) Deferred.doneUnsafe(running, Effect.succeed(entry))
  }
}
