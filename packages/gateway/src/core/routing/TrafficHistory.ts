/** Circuits, keys and sessions of deployments. It outlives a generation, so that a reload closes no circuit. */
import { Context, Redacted } from "effect"
import type { Deployment } from "../domain/Deployment.ts"
import { Health } from "../pool/Health.ts"
import { KeyPool, KeyStanding } from "../pool/KeyPool.ts"
import { SessionAffinity } from "./SessionAffinity.ts"

export interface DeploymentStanding {
  readonly deployment: Deployment
  readonly health: Health
  readonly keys: KeyPool
}

interface ProviderKeys {
  readonly apiKeys: Deployment["apiKeys"]
  readonly standings: ReadonlyArray<KeyStanding>
}

export class TrafficHistory extends Context.Service<
  TrafficHistory,
  {
    /** By deployment id. */
    readonly standings: ReadonlyMap<string, DeploymentStanding>
    /** By provider, of those that have keys: their deployments share these. */
    readonly keys: ReadonlyMap<string, ProviderKeys>
    readonly sessions: SessionAffinity
  }
>()("gateway/core/TrafficHistory") {}

/** `before` is the history of the fleet that these deployments replace. */
export const trafficHistory = (
  deployments: ReadonlyArray<Deployment>,
  before?: TrafficHistory["Service"]
): TrafficHistory["Service"] => {
  const keys = new Map<string, ProviderKeys>()
  for (const { apiKeys, provider } of deployments) {
    if (apiKeys.length === 0 || keys.has(provider)) continue
    const known = before?.keys.get(provider)
    const isKnown = known !== undefined && areSame(known.apiKeys, apiKeys)
    keys.set(provider, isKnown ? known : { apiKeys, standings: apiKeys.map(() => new KeyStanding()) })
  }
  const standings = new Map(
    deployments.map((deployment): [string, DeploymentStanding] => {
      const known = before?.standings.get(deployment.id)
      const ofProvider = keys.get(deployment.provider)
      const isCalledAlike = known !== undefined && isSameTarget(known.deployment, deployment)
      const hasSameKeys = isCalledAlike && before?.keys.get(deployment.provider) === ofProvider
      return [
        deployment.id,
        {
          deployment,
          health: isCalledAlike ? known.health : new Health(),
          keys: hasSameKeys ? known.keys : new KeyPool(ofProvider?.standings ?? [new KeyStanding()])
        }
      ]
    })
  )
  return { standings, keys, sessions: before?.sessions ?? new SessionAffinity() }
}

const areSame = (some: Deployment["apiKeys"], others: Deployment["apiKeys"]): boolean =>
  some.length === others.length && some.every((key, index) => Redacted.value(key) === Redacted.value(others[index]!))

const isSameTarget = (one: Deployment, other: Deployment): boolean =>
  one.provider === other.provider &&
  one.vendor === other.vendor &&
  one.protocol === other.protocol &&
  one.baseUrl === other.baseUrl &&
  one.query === other.query &&
  one.model === other.model
