/**
 * Which deployment answered a session last: the provider's prompt cache is warm there, so the session goes on there for as long as
 * that deployment can take it.
 */
import type { RoutedRequest } from "../operations/ChatRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import { LruMap } from "../collections/LruMap.ts"
import { sessionOf } from "../operations/Session.ts"
import type { Order } from "../domain/Settings.ts"

/** Orders that may send the same request elsewhere each time. With the others who has named no session is where all are. */
const spreads: ReadonlySet<Order> = new Set<Order>(["weight", "least_busy", "latency"])

/** Where a request was asked from. */
export interface Visit {
  readonly keyId: string
  /** What was asked for: a model name, or a bucket of `auto`. Sessions that go through several have a seat in each. */
  readonly route: string
  readonly request: RoutedRequest
  /** What the caller named its session; undefined when it did not. */
  readonly sessionId: string | undefined
}

export class SessionAffinity {
  /** Ids of deployments. */
  private readonly seats: LruMap<string>

  constructor(capacity?: number) {
    this.seats = new LruMap(capacity)
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
    const last = this.seats.get(seat, now)
    if (last === undefined || list[0]!.id === last) return list
    const own = list.find(({ id }) => id === last)
    if (own === undefined || !pool.isReady(own.id, now)) return list
    return [own, ...list.filter((one) => one !== own)]
  }

  /** The session was answered there. */
  keep(seat: string, deployment: string, now: number): void {
    this.seats.keep(seat, deployment, now)
  }

  get size(): number {
    return this.seats.size
  }
}
