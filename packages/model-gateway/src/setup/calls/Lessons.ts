/** What a model's refusals teach: facts of the catalogue, with what the vendor responded. */
import { isDeepStrictEqual } from "node:util"
import type { Deployment } from "@model-gateway/gateway/internal/core/domain/Deployment"
import type { Learnt } from "@model-gateway/gateway/internal/core/domain/models/CatalogueFormat"
import { type Facts, mergedFacts } from "@model-gateway/gateway/internal/core/domain/models/Facts"
import type { OperationName } from "@model-gateway/gateway/internal/core/domain/OperationName"
import type { Probe } from "./Probes.ts"

const NOTE = "learnt from a call"

const has = ({ operations }: Deployment, operation: OperationName): boolean => operations?.has(operation) === true

/** Chat with the probe's feature is served at Responses. */
export const routed = ({ when }: Probe): Facts => ({ rules: [{ in: ["chat"], when, use: "responses", note: NOTE }] })

/** Facts with which a refused request may be taken, the least loss first. Each is tried. */
export const remedies = (probe: Probe, deployment: Deployment): ReadonlyArray<Facts> => [
  ...(probe.cell === "plain" && deployment.protocol === "openai-chat"
    ? [{ protocol: { outputLimit: "max_completion_tokens" } }]
    : []),
  ...(has(deployment, "chat") && has(deployment, "responses") ? [routed(probe)] : []),
  ...(probe.cell === "tool + effort"
    ? [{ rules: [{ when: probe.when, do: "drop", field: "reasoning_effort", note: NOTE } as const] }]
    : [])
]

const lacksOf = ({ facts }: Deployment): ReadonlyArray<string> => {
  const lacks = facts?.protocol?.["lacks"]
  return Array.isArray(lacks) ? lacks.filter((one) => typeof one === "string") : []
}

/** The model has not what the probe needs. Undefined: the probe needs nothing that a model may lack. */
export const lacking = ({ need }: Probe, deployment: Deployment): Facts | undefined =>
  need === undefined ? undefined : { protocol: { lacks: [...new Set([...lacksOf(deployment), need])] } }

/** The model has a feature that the catalogue excludes. */
export const having = ({ need }: Probe, deployment: Deployment): Facts | undefined => {
  if (need === undefined || need === "stream") return undefined
  const { input = ["text"], schemas } = deployment.facts ?? {}
  const lacks = lacksOf(deployment)
  return {
    ...(lacks.includes(need) ? { protocol: { lacks: lacks.filter((one) => one !== need) } } : {}),
    ...(need === "images" ? { input: [...new Set([...input, "image" as const])] } : {}),
    ...(need === "tools" ? { tools: { function: true } } : {}),
    ...(need === "json_schema" && schemas === "none" ? { schemas: "native" as const } : {})
  }
}

/** `said`: the vendor's response, in the order of the calls. */
export const withLesson = (before: Learnt, facts: Facts, { cell }: Probe, said: string, day: string): Learnt => ({
  ...before,
  ...mergedFacts([before, facts]),
  sources: { ...before.sources, [cell]: [said] },
  read: day
})

export interface Pupil {
  readonly id: string
  /** `vendor/model` in the catalogue. */
  readonly name: string
  /** Undefined: its plain call did not work, so that nothing is known. */
  readonly learnt: Learnt | undefined
}

export interface Lessons {
  readonly models: { readonly [name: string]: Learnt }
  /** Deployments of one model that differ: nothing is learnt of it. */
  readonly notes: ReadonlyArray<string>
}

/** What holds for all deployments of a model; what was learnt before stays where no call worked. */
export const lessonsOf = (pupils: ReadonlyArray<Pupil>, before: { readonly [name: string]: Learnt }): Lessons => {
  const models = { ...before }
  const notes: Array<string> = []
  for (const [name, all] of Map.groupBy(pupils, (pupil) => pupil.name)) {
    const known = all.filter(({ learnt }) => learnt !== undefined)
    const [first, ...others] = known.map(({ learnt = {} }) => learnt)
    if (first === undefined) continue
    delete models[name]
    if (others.some((other) => !isDeepStrictEqual(factsOf(other), factsOf(first)))) {
      const ids = known.map(({ id }) => id).join(" and ")
      notes.push(`${ids} are ${name} in the catalogue and differ, so nothing is learnt of it: set their \`supports\``)
    } else if (Object.keys(factsOf(first)).length > 0) models[name] = first
  }
  return { models, notes }
}

export const factsOf = ({ read: _read, sources: _sources, ...facts }: Learnt): Facts => facts
