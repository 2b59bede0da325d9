/** Limits and budgets of single models as model rules. */
import type { Budget, ModelRule } from "@model-gateway/gateway/internal/core/domain/Budget"
import type { Draft } from "./Draft.ts"

const MOST_RULES = 8
const MOST_MODELS = 32

export interface RuleOptions {
  /**
   * What a name of LiteLLM's calls here: `<provider>/<model>` of each deployment, none where nothing has the name. Left out: no
   * configuration was read.
   */
  readonly modelsOf?: ((name: string) => ReadonlyArray<string>) | undefined
}

/** A rule for each model. Two names for the same deployments share one, with the smaller limits. */
export const rulesOf = ({ account, perModel }: Draft, { modelsOf }: RuleOptions): ReadonlyArray<ModelRule> => {
  const rules = new Map<string, ModelRule>()
  for (const [name, { budgets, column, rpm, tpm }] of perModel) {
    const found = modelsOf?.(name)
    const match = found === undefined || found.length === 0 ? [name] : found.toSorted()
    const id = JSON.stringify(match)
    const before = rules.get(id)
    if (match.length > MOST_MODELS || (before === undefined && rules.size === MOST_RULES)) {
      account.looser(
        column,
        match.length > MOST_MODELS
          ? `${name}: it has more than ${MOST_MODELS} deployments`
          : `${name}: there are at most ${MOST_RULES} model rules`
      )
      continue
    }
    if (found === undefined) account.changed(column, `${name}: no configuration says what it calls; see --config`)
    else if (found.length === 0) account.changed(column, `${name}: no model of the configuration has this name`)
    else if (id !== JSON.stringify([name])) account.changed(column, `${name}: the rule is for ${match.join(", ")}`)
    rules.set(id, {
      match,
      limits: { rpm: least(before?.limits.rpm, rpm), tpm: least(before?.limits.tpm, tpm), maxParallel: undefined },
      budgets: smallest([...(before?.budgets ?? []), ...budgets])
    })
  }
  return [...rules.values()]
}

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

/** Of one window the smaller amount holds. */
export const smallest = (budgets: ReadonlyArray<Budget>): ReadonlyArray<Budget> => {
  const found = new Map<string, Budget>()
  for (const budget of budgets) {
    const before = found.get(budget.window)
    if (before === undefined || budget.limit < before.limit) found.set(budget.window, budget)
  }
  return [...found.values()]
}
