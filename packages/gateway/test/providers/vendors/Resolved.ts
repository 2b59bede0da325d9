/** A deployment of a vendor, as the gateway would call it. */
import { assert } from "@effect/vitest"
import { defaultTimeouts } from "../../../src/config/sections/DeploymentsSection.ts"
import type { Deployment } from "../../../src/core/domain/Deployment.ts"
import { noOptions, type ProviderOptions } from "../../../src/core/domain/ProviderOptions.ts"
import type { DeploymentSettings } from "../../../src/core/domain/Settings.ts"
import { resolveDeployments } from "../../../src/providers/catalogue/ResolveDeployments.ts"
import { registryOf } from "../../../src/providers/catalogue/ProviderRegistry.ts"

interface Configured {
  readonly options?: ProviderOptions
  readonly baseUrl?: string
  readonly deployment?: Partial<DeploymentSettings>
}

export const resolved = (
  vendor: string,
  model: string,
  { baseUrl, deployment, options = noOptions }: Configured = {}
): Deployment => {
  const [found] = resolveDeployments({
    providers: [
      {
        name: vendor,
        vendor,
        protocol: registryOf().vendors.get(vendor)!.protocol,
        baseUrl,
        apiKeys: [],
        maxConnections: 1,
        latencyMs: undefined,
        tokensPerSecond: undefined,
        options
      }
    ],
    deployments: [
      {
        id: "it",
        provider: vendor,
        model,
        price: undefined,
        contextWindow: undefined,
        maxOutputTokens: undefined,
        weight: 1,
        priority: 0,
        maxInFlight: undefined,
        timeouts: defaultTimeouts,
        supports: undefined,
        ...deployment
      }
    ]
  })
  return found ?? assert.fail("there is no deployment")
}
