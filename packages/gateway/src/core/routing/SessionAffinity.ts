/** Sends a session to the deployment that served it last, where the provider's prompt cache is warm. */
import type { RoutedRequest } from "../operations/CallRequest.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"
import { LruMap } from "../collections/LruMap.ts"
import { sessionOf } from "../operations/Session.ts"
import type { Order } from "../domain/Settings.ts"

/** Policies that may send a repeated request elsewhere. Under the others an unnamed session stays without being remembered. */
const spreads: ReadonlySet<Order> = new Set<Order>(["weight", "least_busy", "latency", "throughput"])

/** A request to a route. */
export interface Visit {
  readonly keyId: string
  /** The requested name: a model, or a bucket of `auto`. A session has a deployment of its own in each route that it uses. */
  readonly route: string
  readonly request: RoutedRequest
  readonly sessionId: string | undefined
}

export class SessionAffinity {
  /** Deployment ids. */
  private readonly pinned: LruMap<string>

  constructor(capacity?: number) {
    this.pinned = new LruMap(capacity)
  }

  /**
   * The key of the session for one virtual key; undefined without a choice. A named session stays under every policy, a
   * recognised one only under policies that spread requests.
   */
  keyOf({ keyId, request, route, sessionId }: Visit, order: Order, choices: number): string | undefined {
    if (choices < 2) return undefined
    const session = sessionOf(request, sessionId, spreads.has(order))
    return session === undefined ? undefined : `${keyId} ${route} ${session}`
  }

  /** The same deployments with the session's own first, if it is ready. */
  arrange(
    list: ReadonlyArray<Deployment>,
    affinityKey: string,
    pool: Pick<DeploymentHealth, "isReady">,
    now: number
  ): ReadonlyArray<Deployment> {
    const last = this.pinned.get(affinityKey, now)
    if (last === undefined || list[0]!.id === last) return list
    const own = list.find(({ id }) => id === last)
    if (own === undefined || !pool.isReady(own.id, now)) return list
    return [own, ...list.filter((one) => one !== own)]
  }

  /** The session was answered by this deployment. */
  keep(affinityKey: string, deployment: string, now: number): void {
    this.pinned.keep(affinityKey, deployment, now)
  }

  get size(): number {
    return this.pinned.size
  }
}
