/**
 * Requests with an `Idempotency-Key`: a repeated request gets the response of the first one within a day, at no cost. Only complete
 * responses are kept, so a failed request can be repeated. Running requests of this process are known in memory. Those of other
 * processes hold a claim in the store, until they end or their process dies.
 */
import { hash } from "node:crypto"
import { Clock, Context, Deferred, Effect, Latch, Layer, type Scope } from "effect"
import type { Quota } from "../domain/Quota.ts"
import { IdempotencyConflict, type StoreUnavailable } from "../domain/Errors.ts"
import { CachedResponses, KeptResponses, type KeptAnswer } from "./KeptResponses.ts"

/** How long a response is kept. */
const KEPT_MS = 24 * 60 * 60_000

/** Bytes. Larger responses are not kept. */
export const LARGEST_KEPT = 4 * 1024 * 1024

const MB = 1024 * 1024

/** Limits on the bytes of all kept responses. */
export const IdempotencyQuota = Context.Reference<Quota>("gateway/core/IdempotencyQuota", {
  defaultValue: () => ({ all: 512 * MB, perKey: 256 * MB })
})

const PRUNE_EVERY = "1 hour"

export interface Repeatable {
  /** The id of the caller's key. */
  readonly keyId: string
  /** Two end users never share a response. */
  readonly endUser?: string | undefined
  /** The path of its endpoint, in canonical spelling. */
  readonly endpoint: string
  /** What the caller sent as `Idempotency-Key`. */
  readonly key: string
  /** The hash of the body. */
  readonly request: string
}

export type BegunRequest =
  | { readonly kind: "repeated"; readonly answer: KeptAnswer }
  | {
      readonly kind: "first"
      /**
       * Call it before the end of the response is sent. True: the response is on disk, without its body if that is too large. False: the
       * quota has no room for it, so a repeated request would run again.
       */
      readonly keep: (answer: KeptAnswer) => Effect.Effect<boolean, StoreUnavailable>
      /** The request failed: it may be repeated immediately. */
      readonly release: Effect.Effect<void>
    }

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Deletes the kept and cached responses of a key (or `team:<name>`), or those of one of its stored responses. */
    readonly erase: (keyId: string, responseId?: string) => Effect.Effect<void, StoreUnavailable>
    /** The kept response, or a claim to run the request. The request counts as running until `keep`, `release` or the end of the Scope. */
    readonly begin: (
      wish: Repeatable
    ) => Effect.Effect<BegunRequest, IdempotencyConflict | StoreUnavailable, Scope.Scope>
  }
>()("gateway/core/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const repository = yield* KeptResponses
      const quota = yield* IdempotencyQuota
      const claims = new Map<string, RunningClaim>()

      // Deletes old responses while there are any; without any it sleeps until one is kept.
      const isAny = Latch.makeUnsafe(true)
      const prune = Effect.gen(function* () {
        isAny.closeUnsafe()
        const left = yield* repository.prune((yield* Clock.currentTimeMillis) - KEPT_MS)
        if (left) isAny.openUnsafe()
      }).pipe(Effect.catch(() => isAny.open))
      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(isAny.await, Effect.andThen(prune, Effect.sleep(PRUNE_EVERY))))
      )

      const free = (id: string, claim: RunningClaim) =>
        Effect.sync(() => {
          if (claims.get(id) === claim) claims.delete(id)
          Deferred.doneUnsafe(claim.looked, Effect.void)
        })

      /** Ends a claim without a response. */
      const release = (id: string, claim: RunningClaim) =>
        Effect.suspend(() =>
          claims.get(id) === claim ? Effect.andThen(repository.release(id), free(id, claim)) : Effect.void
        )

      /** The only claim on `id` in this process, unless another request is looking it up. */
      const claimOf = (id: string, request: string) =>
        Effect.acquireRelease(
          Effect.suspend((): Effect.Effect<LocalClaim, IdempotencyConflict> => {
            const other = claims.get(id)
            if (other?.isRunning === true) return conflict(other.request === request ? "in_use" : "reused")
            if (other !== undefined) return Effect.succeed({ ahead: other })
            const claim: RunningClaim = { request, looked: Deferred.makeUnsafe(), isRunning: false }
            claims.set(id, claim)
            return Effect.succeed({ claim })
          }),
          (claimed) => ("claim" in claimed ? release(id, claimed.claim) : Effect.void)
        )

      const begin = Effect.fnUntraced(function* (wish: Repeatable) {
        const { request } = wish
        const id = idOf(wish)
        let claimed = yield* claimOf(id, request)
        while ("ahead" in claimed) {
          yield* Deferred.await(claimed.ahead.looked)
          claimed = yield* claimOf(id, request)
        }
        const { claim } = claimed
        const now = yield* Clock.currentTimeMillis
        const found = yield* repository.claim(id, request, now - KEPT_MS)
        if (found.kind === "running") {
          yield* free(id, claim)
          return yield* conflict(found.request === request ? "in_use" : "reused")
        }
        if (found.kind === "kept") {
          yield* free(id, claim)
          const { answer } = found.record
          if (found.record.request !== request) return yield* conflict("reused")
          if (answer.kind === "too_large") return yield* conflict("answer_too_large")
          return { kind: "repeated", answer } satisfies BegunRequest as BegunRequest
        }
        claim.isRunning = true
        Deferred.doneUnsafe(claim.looked, Effect.void)
        return {
          kind: "first",
          keep: Effect.fnUntraced(function* (answer: KeptAnswer) {
            const kept = answer.body.length > LARGEST_KEPT ? tooLarge : answer
            const record = { keyId: wish.keyId, request, answer: kept }
            const isKept = yield* repository.keep(id, record, yield* Clock.currentTimeMillis, quota)
            isAny.openUnsafe()
            yield* free(id, claim)
            return isKept
          }),
          release: release(id, claim)
        } satisfies BegunRequest as BegunRequest
      })

      const cached = yield* CachedResponses
      const erase = (keyId: string, responseId?: string) =>
        Effect.andThen(repository.erase({ keyId, responseId }), cached.erase({ keyId, responseId }))
      return { begin, erase }
    })
  )
}

/** `ahead`: another request is reading the store. */
type LocalClaim = { readonly claim: RunningClaim } | { readonly ahead: RunningClaim }

interface RunningClaim {
  readonly request: string
  /** Completes when the store was read. */
  readonly looked: Deferred.Deferred<void>
  /** The store has no response, so this request runs. */
  isRunning: boolean
}

const tooLarge: KeptAnswer = { kind: "too_large", headers: {}, body: new Uint8Array() }

const conflict = (why: IdempotencyConflict["why"]) => Effect.fail(new IdempotencyConflict({ why }))

/** None of the parts contains a line feed. */
const idOf = ({ endUser, endpoint, key, keyId }: Repeatable): string =>
  hash("sha256", [keyId, endpoint, key, ...(endUser === undefined ? [] : [endUser])].join("\n"))
