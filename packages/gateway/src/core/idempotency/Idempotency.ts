/**
 * Requests with an `Idempotency-Key`: the same request within a day gets the first one's answer and costs nothing. Only complete
 * answers are kept, so a failed request can be repeated. Which requests run here is known in memory; those of other processes on the
 * store are claimed there, until their process is gone.
 */
import { hash } from "node:crypto"
import { Clock, Context, Deferred, Effect, Latch, Layer, type Scope } from "effect"
import type { Quota } from "../domain/Quota.ts"
import { IdempotencyConflict, type StoreUnavailable } from "../domain/Errors.ts"
import { IdempotencyRepository, type KeptAnswer } from "./IdempotencyRepository.ts"

/** How long an answer is kept. */
const KEPT_MS = 24 * 60 * 60_000

/** Bytes of an answer that are kept. */
export const LARGEST_KEPT = 4 * 1024 * 1024

const MB = 1024 * 1024

/** How much of all answers is kept. */
export const IdempotencyQuota = Context.Reference<Quota>("gateway/core/IdempotencyQuota", {
  defaultValue: () => ({ all: 512 * MB, perKey: 256 * MB })
})

const PRUNE_EVERY = "1 hour"

export interface Repeatable {
  /** The id of the caller's key. */
  readonly keyId: string
  /** The end user: two of them never share an answer. */
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
       * Call it before the end of the answer is sent. It is on disk when this completes with true; a body that is too large is left out.
       * False: there is no room for it, so the same request would run again.
       */
      readonly keep: (answer: KeptAnswer) => Effect.Effect<boolean, StoreUnavailable>
      /** The request failed: it may be repeated at once. */
      readonly release: Effect.Effect<void>
    }

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Deletes what is kept of a key, or of one of its stored responses. */
    readonly erase: (keyId: string, responseId?: string) => Effect.Effect<void, StoreUnavailable>
    /** The kept answer, or the right to give the first one. The request counts as running until then, or until the Scope closes. */
    readonly begin: (
      wish: Repeatable
    ) => Effect.Effect<BegunRequest, IdempotencyConflict | StoreUnavailable, Scope.Scope>
  }
>()("gateway/core/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const repository = yield* IdempotencyRepository
      const quota = yield* IdempotencyQuota
      const claims = new Map<string, RunningClaim>()

      // Old ones go while there are any; a gateway without any sleeps for good.
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

      /** Without an answer. */
      const release = (id: string, claim: RunningClaim) =>
        Effect.suspend(() =>
          claims.get(id) === claim ? Effect.andThen(repository.release(id), free(id, claim)) : Effect.void
        )

      /** The only claim on `id` here, unless another request is ahead. */
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

      return { begin, erase: repository.erase }
    })
  )
}

/** `ahead`: another request asks the store. */
type LocalClaim = { readonly claim: RunningClaim } | { readonly ahead: RunningClaim }

interface RunningClaim {
  readonly request: string
  /** Completes when the store was asked. */
  readonly looked: Deferred.Deferred<void>
  /** The store has no answer, so this request makes it. */
  isRunning: boolean
}

const tooLarge: KeptAnswer = { kind: "too_large", headers: {}, body: new Uint8Array() }

const conflict = (why: IdempotencyConflict["why"]) => Effect.fail(new IdempotencyConflict({ why }))

/** None of the parts holds a line feed. */
/** What a caller sent as `Idempotency-Key` has no line breaks, and the id of an end user has none. */
const idOf = ({ endUser, endpoint, key, keyId }: Repeatable): string =>
  hash("sha256", [keyId, endpoint, key, ...(endUser === undefined ? [] : [endUser])].join("\n"))
