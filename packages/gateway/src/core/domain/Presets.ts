/** Parameters that the operator sets for requests to a deployment or through an alias. */
import type { JsonObject } from "./Json.ts"

/** Efforts that a configuration may name, from the least. `thinking: off` is `none`. */
export const presetEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const

/** In the words of no API: each operation has names of its own for them. */
export interface PresetParameters {
  readonly effort?: string
  /** A budget of thinking in tokens. */
  readonly thinking?: number
  readonly maxTokens?: number
  readonly temperature?: number
  readonly extraBody?: JsonObject
}

export interface Presets {
  /** Added where the caller says nothing. */
  readonly defaults: PresetParameters
  /** In place of what the caller says. */
  readonly fixed: PresetParameters
}

/** An alias decides what is a default, a deployment what is fixed. */
export const joinedPresets = (alias: Presets | undefined, deployment: Presets | undefined): Presets | undefined =>
  alias === undefined || deployment === undefined
    ? (alias ?? deployment)
    : {
        defaults: merged(withoutEffort(deployment.defaults, alias.defaults), alias.defaults),
        fixed: merged(withoutEffort(alias.fixed, deployment.fixed), deployment.fixed)
      }

/** How much to think is said once: a budget of one and an effort of the other would contradict. */
const withoutEffort = (parameters: PresetParameters, stronger: PresetParameters): PresetParameters => {
  if (stronger.effort === undefined && stronger.thinking === undefined) return parameters
  const { effort: _, thinking: __, ...others } = parameters
  return others
}

const merged = (weaker: PresetParameters, stronger: PresetParameters): PresetParameters => ({
  ...weaker,
  ...stronger,
  ...(weaker.extraBody === undefined && stronger.extraBody === undefined
    ? {}
    : { extraBody: { ...weaker.extraBody, ...stronger.extraBody } })
})
