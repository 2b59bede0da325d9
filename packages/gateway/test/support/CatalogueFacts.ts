/** Deployments of tests with what the shipped catalogue says of their models. */
import type { Deployment } from "../../src/core/domain/Deployment.ts"
import type { ModelFacts } from "../../src/core/domain/models/ModelFacts.ts"
import { shippedCatalogue } from "../../src/providers/catalogue/facts/Shipped.ts"

export const factsOf = (vendor: string, model: string): ModelFacts => shippedCatalogue().find(vendor, model).facts

export const withFacts = (deployment: Deployment): Deployment => ({
  facts: factsOf(deployment.vendor, deployment.baseModel ?? deployment.model),
  ...deployment
})
