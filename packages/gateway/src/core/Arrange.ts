/** The candidates of a request in the order they are tried: as configured, and the session's own first. */
import { Effect } from "effect"
import type { Affinity, Visit } from "./Affinity.ts"
import type { Deployment } from "./Deployment.ts"
import { arrange } from "./Order.ts"
import type { ProviderPool } from "./ProviderPool.ts"
import type { FailoverSettings, Order } from "./Settings.ts"

/** `reasons` gets what there is to say about it. `seat`: what the session is remembered under. */
export const makeArrange = (
  { sessionAffinity }: Pick<FailoverSettings, "sessionAffinity">,
  pool: ProviderPool["Service"],
  affinity: Affinity
) =>
  Effect.fnUntraced(function* (
    found: ReadonlyArray<Deployment>,
    order: Order,
    visit: Visit,
    now: number,
    reasons: Array<string>
  ) {
    const seat = sessionAffinity ? affinity.seatOf(visit, order, found.length) : undefined
    const list = yield* arrange(found, order, pool, now, reasons)
    if (seat === undefined) return { list, seat }
    const seated = affinity.arrange(list, seat, pool, now)
    if (seated[0] !== list[0]) reasons.push(`${seated[0]!.id} comes first: it answered this session before`)
    return { list: seated, seat }
  })
