/** A router over deployments of which tests say how they stand. */
import { Layer } from "effect"
import { Classifier } from "../../../src/core/routing/Classifier.ts"
import type { Deployment } from "../../../src/core/domain/Deployment.ts"
import type { Fleet } from "../../../src/core/domain/Fleet.ts"
import { Router } from "../../../src/core/routing/Router.ts"
import { TrafficHistory, trafficHistory } from "../../../src/core/routing/TrafficHistory.ts"
import { makeAssess } from "../../../src/classifier/PromptClassifier.ts"
import { poolLayer, type Standing } from "./Pool.ts"
import { chatRequest, deployment, fleetLayer } from "../call/Support.ts"

export const mini = deployment("openai/mini")
export const big = deployment("openai/big")
export const azure = deployment("azure/mini")
export const claude = deployment("anthropic/claude", { contextWindow: 200_000 })
export const named = deployment("eu-mini/x", { id: "eu", provider: "azure", model: "mini" } as Partial<Deployment>)

export const buckets = [
  { name: "simple", deployments: ["openai/mini"] },
  { name: "standard", deployments: ["openai/big", "azure/mini"] },
  { name: "complex", deployments: ["anthropic/claude"] }
]

export interface World {
  readonly standing?: { readonly [id: string]: Standing }
  readonly deployments?: ReadonlyArray<Deployment>
  readonly order?: Fleet["Service"]["failover"]["order"]
  readonly sessionAffinity?: boolean
  readonly preferShift?: number
  readonly shadow?: boolean
  /** Beside `fast` and `best`, or in their place. */
  readonly aliases?: { readonly [name: string]: ReadonlyArray<string> }
  readonly aliasRules?: Fleet["Service"]["aliasRules"]
  readonly wildcards?: Fleet["Service"]["wildcards"]
  readonly buckets?: Fleet["Service"]["router"]["buckets"]
}

/** Scores are read off the prompt: `0.5` is in the second bucket, and so is `0.5 of something`; other words are worth 0. */
const classifier = Layer.succeed(Classifier, {
  assess: makeAssess((prompt) => ({ score: scoreIn(prompt), reasons: [`looks like ${scoreIn(prompt)}`] })),
  explain: (prompt) => ({
    score: scoreIn(prompt),
    contributions: [{ name: "looks", value: 1, added: scoreIn(prompt) }]
  }),
  model: () => ({ name: "looks", date: "2026-11-21", file: undefined, loadedAt: 0, refused: undefined })
})

const scoreIn = (prompt: string): number => Number.parseFloat(prompt) || 0

export const world = (given: World = {}) =>
  Router.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        classifier,
        Layer.sync(TrafficHistory, () => trafficHistory([])),
        poolLayer(given.standing ?? {}),
        fleetLayer({
          deployments: given.deployments ?? [mini, big, azure, claude, named],
          aliases: new Map([
            ["fast", ["openai/mini", "azure/mini"]],
            ["best", ["anthropic/claude", "openai/big"]],
            ...Object.entries(given.aliases ?? {})
          ]),
          ...(given.wildcards === undefined ? {} : { wildcards: given.wildcards }),
          ...(given.aliasRules === undefined ? {} : { aliasRules: given.aliasRules }),
          router: {
            buckets: given.buckets ?? buckets,
            cutPoints: [0.3, 0.6],
            preferShift: given.preferShift ?? 0.15,
            model: undefined,
            shadow: given.shadow ?? false
          },
          failover: { order: given.order, sessionAffinity: given.sessionAffinity ?? true }
        })
      )
    )
  )

export const ask = (model: string, prompt = "0.1", fields: { readonly [name: string]: unknown } = {}) =>
  chatRequest({ model, messages: [{ role: "user", content: prompt }], ...fields })
