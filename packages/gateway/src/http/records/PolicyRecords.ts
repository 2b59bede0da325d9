/** Converts policies for personal keys between the wire and the rules. */
import type { PersonalKeysPolicy, PutPersonalKeys } from "@model-gateway/protocol"
import type { PersonalKeyPolicy } from "../../core/domain/Budget.ts"
import { budgetInput, toBudgets, toLimits, wireLimits } from "./Limits.ts"

const DEFAULT_KEYS = 5

export const toPolicy = (body: PutPersonalKeys): PersonalKeyPolicy => ({
  enabled: body.enabled,
  maxKeys: body.max_keys ?? DEFAULT_KEYS,
  maxLifetimeSeconds: body.max_lifetime_seconds ?? null,
  models: body.models ?? [],
  limits: toLimits(body.limits ?? {}),
  budgets: toBudgets(body) ?? []
})

export const wirePersonalKeys = (
  policy: PersonalKeyPolicy = toPolicy({ enabled: false })
): typeof PersonalKeysPolicy.Type => ({
  enabled: policy.enabled,
  max_keys: policy.maxKeys,
  max_lifetime_seconds: policy.maxLifetimeSeconds,
  models: policy.models,
  limits: wireLimits(policy.limits),
  budgets: policy.budgets.map(budgetInput)
})
