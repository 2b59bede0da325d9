/** All names that a caller may ask for, and the deployments of each. */
import { matchesGlob } from "../collections/Glob.ts"
import { type Deployment, decisionName } from "../domain/Deployment.ts"
import type { Fleet } from "../domain/Fleet.ts"
import type { AliasRule } from "../domain/Settings.ts"

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

/**
 * If names collide, the first of these wins: alias, deployment id, `<provider>/<model>`, bare model name, and then the alias with `*`
 * that says most of the name.
 */
export const indexNames = (fleet: Fleet["Service"]) => {
  const byId = new Map(fleet.deployments.map((deployment) => [deployment.id, deployment]))
  const resolve = (ids: ReadonlyArray<string>) => ids.flatMap((id) => byId.get(id) ?? [])
  const byName = new Map<string, NamedDeployments>()
  for (const [alias, ids] of fleet.aliases) {
    const rule = fleet.aliasRules?.get(alias)
    byName.set(alias, { reasons: [`alias ${alias}`], deployments: resolve(ids), bare: false, rule })
  }
  for (const deployment of fleet.deployments) {
    if (byName.has(deployment.id)) continue
    byName.set(deployment.id, { reasons: [named(deployment.id)], deployments: [deployment], bare: false })
  }
  for (const namesOf of [(deployment: Deployment) => [decisionName(deployment)], modelNames]) {
    const groups = Map.groupBy(
      fleet.deployments.flatMap((deployment) => namesOf(deployment).map((name) => ({ name, deployment }))),
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
    ...fleet.deployments.map((deployment): ModelEntry => ({
      id: deployment.id,
      kind: "deployment",
      deployments: [deployment],
      bucket: bucketName(deployment)
    }))
  ]
  const patterns = [...fleet.aliases.keys()]
    .filter(isPattern)
    .toSorted((one, other) => other.replaceAll("*", "").length - one.replaceAll("*", "").length)
  const find = (name: string): NamedDeployments | undefined =>
    byName.get(name) ?? byName.get(patterns.find((pattern) => matchesGlob(pattern, name)) ?? "")
  const leadsNowhere = (pattern: string): boolean =>
    pattern.includes("*")
      ? ![...byName.keys()].some((name) => matchesGlob(pattern, name)) && !patterns.includes(pattern)
      : find(pattern) === undefined
  return { find, bucketed, listed, leadsNowhere }
}
