/**
 * Which deployment answered a session last: the provider's prompt cache is warm there, so the session goes on there for as long as
 * that deployment can take it.
 */
import type { ChatRequest } from "./ChatRequest.ts"
import type { Deployment } from "./Deployment.ts"
import type { ProviderPool } from "./ProviderPool.ts"
import { sessionOf } from "./Session.ts"
import type { Order } from "./Settings.ts"

const CAPACITY = 100_000
const LIFETIME_MS = 3_600_000
/** A seat is brought up to date no more often than this. */
const TOUCHED_EVERY_MS = 60_000

/** Orders that may send the same request elsewhere each time. With the others who has named no session is where all are. */
const spreads: ReadonlySet<Order> = new Set<Order>(["weight", "least_busy", "latency"])

interface Seat {
  readonly deployment: string
  readonly at: number
}

/** Where a request was asked from. */
export interface Visit {
  readonly keyId: string
  /** What was asked for: a model name, or a bucket of `auto`. Sessions that go through several have a seat in each. */
  readonly route: string
  readonly request: ChatRequest
  /** What the caller named its session; undefined when it did not. */
  readonly sessionId: string | undefined
}

export class Affinity {
  /** The longest untouched first. */
  private readonly seats = new Map<string, Seat>()
  private readonly capacity: number

  constructor(capacity = CAPACITY) {
    this.capacity = capacity
  }

  /**
   * The name of the session's seat, under which only the same key finds it again; undefined where there is nothing to choose.
   * A session that the caller named is kept together whatever the order; a conversation that is only recognised, where it would
   * otherwise wander.
   */
  seatOf({ keyId, request, route, sessionId }: Visit, order: Order, choices: number): string | undefined {
    if (choices < 2) return undefined
    const session = sessionOf(request, sessionId, spreads.has(order))
    return session === undefined ? undefined : `${keyId} ${route} ${session}`
  }

  /** The same deployments, the session's own first while it is ready. */
  arrange(
    list: ReadonlyArray<Deployment>,
    seat: string,
    pool: Pick<ProviderPool["Service"], "isReady">,
    now: number
  ): ReadonlyArray<Deployment> {
    const last = this.seats.get(seat)
    if (last === undefined || now - last.at >= LIFETIME_MS || list[0]!.id === last.deployment) return list
    const own = list.find(({ id }) => id === last.deployment)
    if (own === undefined || !pool.isReady(own.id, now)) return list
    return [own, ...list.filter((one) => one !== own)]
  }

  /** The session was answered there. */
  keep(seat: string, deployment: string, now: number): void {
    const last = this.seats.get(seat)
    if (last !== undefined) {
      if (last.deployment === deployment && now - last.at < TOUCHED_EVERY_MS) return
      this.seats.delete(seat)
    }
    this.seats.set(seat, { deployment, at: now })
    // Two at a time: old ones go faster than new ones come.
    for (let gone = 0; gone < 2; gone++) this.dropOldest(now)
  }

  get size(): number {
    return this.seats.size
  }

  private dropOldest(now: number): void {
    for (const [seat, { at }] of this.seats) {
      if (this.seats.size > this.capacity || now - at >= LIFETIME_MS) this.seats.delete(seat)
      return
    }
  }
}
