/**
 * Receipts of requests refused before routing: a few per key, error and minute, then one with a count for the rest of the
 * minute. Adding one costs a look-up; no request waits for a write.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { NO_BUCKET } from "../routing/Decision.ts"
import type { Receipt, Refusal } from "./Receipt.ts"
import { ReceiptEvents } from "./ReceiptEvents.ts"

/** The most receipts of their own per minute: for one key and error, and in total. */
const MOST_OF_ONE = 10
const MOST_IN_ALL = 1_000

/** The most pairs of key and error per minute. Others are counted without their key. */
const MOST_GROUPS = 10_000

/** Counts become receipts this long after the first refusal. */
const MINUTE = "1 minute"

/** Receipts that are sent between two pauses for other work. */
const AT_ONCE = 100

/** What is known of a refused request. */
export interface Refused extends Pick<
  Receipt,
  | "requestId"
  | "at"
  | "durationMs"
  | "keyId"
  | "keyName"
  | "team"
  | "endpoint"
  | "requestedModel"
  | "limit"
  | "traceParent"
  | "guardrails"
> {
  readonly refusal: Omit<Refusal, "count">
}

interface RefusalGroup {
  own: number
  /** Requests beyond those with their own receipts: the first, how many, and when the last came (epoch milliseconds). */
  first: Refused | undefined
  count: number
  lastAt: number
}

export class Refusals extends Context.Service<Refusals, { readonly add: (refused: Refused) => void }>()(
  "gateway/core/Refusals"
) {
  static readonly layer = Layer.effect(
    Refusals,
    Effect.gen(function* () {
      const events = yield* ReceiptEvents
      let groups = new Map<string, RefusalGroup>()
      let own = 0
      const isAny = Latch.makeUnsafe(false)

      const groupOf = (keyId: string, code: string): RefusalGroup => {
        const name = `${keyId} ${code}`
        const known = groups.get(name)
        if (known !== undefined) return known
        if (groups.size >= MOST_GROUPS && keyId !== "") return groupOf("", code)
        const made: RefusalGroup = { own: 0, first: undefined, count: 0, lastAt: 0 }
        groups.set(name, made)
        if (groups.size === 1) isAny.openUnsafe()
        return made
      }

      const add = (refused: Refused): void => {
        const group = groupOf(refused.keyId, refused.refusal.code)
        if (group.own < MOST_OF_ONE && own < MOST_IN_ALL) {
          group.own++
          own++
          return events.ended(receiptOf(refused, 1, refused.durationMs))
        }
        group.first ??= refused
        group.count++
        group.lastAt = refused.at
      }

      const flush = Effect.gen(function* () {
        const all = groups.values()
        groups = new Map()
        own = 0
        isAny.closeUnsafe()
        let sent = 0
        for (const { count, first, lastAt } of all) {
          if (first === undefined) continue
          events.ended(receiptOf(first, count, Math.max(0, lastAt - first.at)))
          if (++sent % AT_ONCE === 0) yield* Effect.yieldNow
        }
      })
      yield* Effect.addFinalizer(() => flush)
      yield* isAny.await.pipe(
        Effect.andThen(Effect.sleep(MINUTE)),
        Effect.andThen(Effect.uninterruptible(flush)),
        Effect.forever,
        Effect.forkScoped
      )
      return { add }
    })
  )
}

const receiptOf = ({ refusal, ...known }: Refused, count: number, durationMs: number): Receipt => ({
  ...known,
  durationMs,
  deployment: "",
  provider: "",
  model: "",
  bucket: NO_BUCKET,
  score: 0,
  reasons: [],
  attempts: [],
  // An internal error of the gateway is not a refusal.
  status: refusal.httpStatus === INTERNAL ? "failed" : known.guardrails === undefined ? "refused" : "blocked",
  stream: false,
  priced: true,
  priceSource: null,
  priceVersion: null,
  tags: [],
  refusal: { ...refusal, count }
})

const INTERNAL = 500
