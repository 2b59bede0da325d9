/** Orders the candidates of a request: by the configured policy, with the session's deployment first. */
import type { SessionAffinity, Visit } from "./SessionAffinity.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { orderOfSort, ranked } from "./ProviderChoice.ts"
import { RouteNotes } from "./RouteNotes.ts"
import { arrange, type Chance, readyFirst } from "./SelectionPolicies.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"
import type { FailoverSettings, Order } from "../domain/Settings.ts"

/** Adds explanations to `notes`. `fallbacks`: IDs that come last. `affinityKey`: of the session's deployment. */
export const makeArrange =
  (
    { sessionAffinity }: Pick<FailoverSettings, "sessionAffinity">,
    pool: DeploymentHealth,
    affinity: SessionAffinity,
    random: Chance
  ) =>
  (
    found: ReadonlyArray<Deployment>,
    configured: Order,
    visit: Visit,
    now: number,
    notes: RouteNotes,
    fallbacks: ReadonlyArray<string> = []
  ) => {
    const [first, last] = parted(found, fallbacks)
    const { choice } = visit.request
    const order = choice?.sort === undefined ? configured : orderOfSort[choice.sort]
    const isFree = choice?.sort === undefined && choice?.order === undefined
    const affinityKey = sessionAffinity && isFree ? affinity.keyOf(visit, order, first.length) : undefined
    const list = arrange(first, order, pool, now, random, notes)
    const pinned = affinityKey === undefined ? list : affinity.arrange(list, affinityKey, pool, now)
    if (pinned[0] !== list[0]) notes.words.push(`${pinned[0]!.id} comes first: it served this session before`)
    if (last.length === 0 && choice?.order === undefined) return { list: pinned, affinityKey }
    const all = [...pinned, ...readyFirst(last, pool, now, notes)]
    const inOrder = choice?.order === undefined ? all : ranked(all, choice)
    return { list: readyFirst(inOrder, pool, now, new RouteNotes()), affinityKey }
  }

/** If only fallbacks can serve, they are the candidates. */
const parted = (found: ReadonlyArray<Deployment>, fallbacks: ReadonlyArray<string>) => {
  const first = fallbacks.length === 0 ? found : found.filter(({ id }) => !fallbacks.includes(id))
  return first.length === 0 || first.length === found.length
    ? ([found, []] as const)
    : ([first, found.filter(({ id }) => fallbacks.includes(id))] as const)
}
