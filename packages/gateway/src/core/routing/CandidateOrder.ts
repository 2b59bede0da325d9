/** Orders the candidates of a request: by the configured policy, with the session's deployment first. */
import { Effect } from "effect"
import type { SessionAffinity, Visit } from "./SessionAffinity.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { arrange } from "./SelectionPolicies.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import type { FailoverSettings, Order } from "../domain/Settings.ts"

/** Explanations are added to `reasons`. `affinityKey`: the key under which the session's deployment is remembered. */
export const makeArrange = (
  { sessionAffinity }: Pick<FailoverSettings, "sessionAffinity">,
  pool: ProviderPool["Service"],
  affinity: SessionAffinity
) =>
  Effect.fnUntraced(function* (
    found: ReadonlyArray<Deployment>,
    order: Order,
    visit: Visit,
    now: number,
    reasons: Array<string>
  ) {
    const affinityKey = sessionAffinity ? affinity.keyOf(visit, order, found.length) : undefined
    const list = yield* arrange(found, order, pool, now, reasons)
    if (affinityKey === undefined) return { list, affinityKey }
    const pinned = affinity.arrange(list, affinityKey, pool, now)
    if (pinned[0] !== list[0]) reasons.push(`${pinned[0]!.id} comes first: it answered this session before`)
    return { list: pinned, affinityKey }
  })
