/** All names that a caller may request, and the deployments of each. */
import { matchesGlob } from "../collections/Glob.ts"
import { type Deployment, decisionName, isWildcard } from "../domain/Deployment.ts"
import type { Fleet } from "../domain/Fleet.ts"
import type { AliasRule } from "../domain/Settings.ts"
import { LruMap } from "../collections/LruMap.ts"

/** A model name that a key may use, as `GET /v1/models` lists it. */
export interface ModelEntry {
  readonly id: string
  readonly kind: "auto" | "alias" | "deployment"
  /** In order; for `auto` the deployments of all buckets. */
  readonly deployments: ReadonlyArray<Deployment>
  readonly bucket: string | null
}

export interface NamedDeployments {
  /** What kind of name it is, in words. */
  readonly reasons: ReadonlyArray<string>
  readonly deployments: ReadonlyArray<Deployment>
  /** A bare model name, which several providers may serve, instead of a configured list. */
  readonly bare: boolean
  readonly rule?: AliasRule | undefined
}

/** An alias for many names, which nobody asks for by its own. */
const isPattern = (alias: string): boolean => alias.includes("*")

const named = (name: string): string => `the caller named ${name}`

/** The name that is sent upstream, and that of the catalogue: resellers and operators have names of their own. */
const modelNames = ({ facts, model }: Deployment): ReadonlyArray<string> => {
  const { how, key } = facts ?? {}
  // Aliases and snapshots keep their own names: a caller who asks for the model wants the newest.
  if (key === undefined || (how !== "exact" && how !== "resold")) return [model]
  return [...new Set([model, key.slice(key.indexOf("/") + 1)])]
}

/** The most remembered models of wildcards. The oldest is dropped; its next call creates it again. */
const MOST_WILD = 1_000
const ANY_TIME = 0

/** What a caller may put in the place of a `*`: some providers make it part of a path. */
const STAR = /^(?!.*(?:^|\/)\.+(?:\/|$))[\w.:@+-]+(?:\/[\w.:@+-]+)*$/
const LONGEST_STAR = 200

/** What the only `*` of a pattern stands for in a matching name; undefined if that is no valid model name. */
const starIn = (pattern: string, name: string): string | undefined => {
  const [head = "", tail = "", ...more] = pattern.split("*")
  const star = name.slice(head.length, name.length - tail.length)
  return more.length === 0 && star.length <= LONGEST_STAR && STAR.test(star) ? star : undefined
}

/** Order of precedence: alias, deployment ID, `<provider>/<model>`, model name, longest alias or wildcard (`openai/*`). */
export const indexNames = (fleet: Fleet["Service"]) => {
  const byId = new Map(fleet.deployments.map((deployment) => [deployment.id, deployment]))
  const single = fleet.deployments.filter((deployment) => !isWildcard(deployment))
  const resolve = (ids: ReadonlyArray<string>) => ids.flatMap((id) => byId.get(id) ?? [])
  const byName = new Map<string, NamedDeployments>()
  for (const [alias, ids] of fleet.aliases) {
    const rule = fleet.aliasRules?.get(alias)
    byName.set(alias, { reasons: [`alias ${alias}`], deployments: resolve(ids), bare: false, rule })
  }
  for (const deployment of single) {
    if (byName.has(deployment.id)) continue
    byName.set(deployment.id, { reasons: [named(deployment.id)], deployments: [deployment], bare: false })
  }
  for (const namesOf of [(deployment: Deployment) => [decisionName(deployment)], modelNames]) {
    const groups = Map.groupBy(
      single.flatMap((deployment) => namesOf(deployment).map((name) => ({ name, deployment }))),
      ({ name }) => name
    )
    for (const [name, group] of groups) {
      const deployments = group.map(({ deployment }) => deployment)
      if (!byName.has(name)) byName.set(name, { reasons: [named(name)], deployments, bare: true })
    }
  }
  const bucketed = fleet.router.buckets.map((bucket) => resolve(bucket.deployments))
  const bucketName = (deployment: Deployment) =>
    fleet.router.buckets.find((bucket) => bucket.deployments.includes(deployment.id))?.name ?? null
  const listed: ReadonlyArray<ModelEntry> = [
    ...[...fleet.aliases]
      .filter(([id]) => !isPattern(id))
      .map(([id, ids]): ModelEntry => ({ id, kind: "alias", deployments: resolve(ids), bucket: null })),
    ...single.map((deployment): ModelEntry => ({
      id: deployment.id,
      kind: "deployment",
      deployments: [deployment],
      bucket: bucketName(deployment)
    }))
  ]
  const wild = fleet.deployments.filter(isWildcard)
  const byPattern = new Map<string, NamedDeployments>()
  for (const deployment of wild) {
    for (const pattern of new Set([deployment.id, decisionName(deployment)])) {
      const deployments = wild.filter((one) => one.id === pattern || decisionName(one) === pattern)
      if (isPattern(pattern)) byPattern.set(pattern, { reasons: [`any model of ${pattern}`], deployments, bare: true })
    }
  }
  for (const [name, one] of byName) if (isPattern(name)) byPattern.set(name, one)
  const patterns = [...byPattern.keys()].toSorted(
    (one, other) => other.replaceAll("*", "").length - one.replaceAll("*", "").length
  )
  const made = new LruMap<NamedDeployments>(MOST_WILD)
  /** The deployments of a pattern, with the models that `name` says in the place of wildcards. */
  const matched = (pattern: string, name: string): NamedDeployments | undefined => {
    const found = byPattern.get(pattern)!
    if (!found.deployments.some(isWildcard)) return found
    const known = made.get(name, ANY_TIME)
    if (known !== undefined) return known
    const star = starIn(pattern, name)
    if (star === undefined) return undefined
    const deployments = (one: Deployment) => (isWildcard(one) ? (fleet.wildcards?.get(one.id)?.(star) ?? []) : one)
    const named = { ...found, deployments: found.deployments.flatMap(deployments) }
    made.keep(name, named, ANY_TIME)
    return named
  }
  const find = (name: string): NamedDeployments | undefined => {
    const known = byName.get(name)
    if (known !== undefined && !isPattern(name)) return known
    const pattern = patterns.find((one) => matchesGlob(one, name))
    return pattern === undefined ? undefined : matched(pattern, name)
  }
  const leadsNowhere = (pattern: string): boolean =>
    pattern.includes("*")
      ? ![...byName.keys(), ...patterns].some((name) => matchesGlob(pattern, name)) &&
        !patterns.some((one) => one === pattern || matchesGlob(one, pattern))
      : find(pattern) === undefined
  return { find, isExact: (name: string) => byName.has(name), bucketed, listed, leadsNowhere }
}
