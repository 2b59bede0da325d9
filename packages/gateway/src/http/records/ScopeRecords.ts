/** Converts model rules, templates and end users between the wire and the rules. */
import type {
  CacheRules,
  EndUserSource as WireEndUserSource,
  ModelRuleInput,
  ScopeTemplateInput
} from "@model-gateway/protocol"
import type { EndUserSource, ModelRule, ScopeRules, ScopeTemplate } from "../../core/domain/Budget.ts"
import { budgetInput, toBudget, toLimits, wireLimits } from "./Limits.ts"

/** What a body may say of a key or team; null, like an empty list, is none. */
interface RulesInput {
  readonly model_rules?: ReadonlyArray<ModelRuleInput> | null
  readonly per_end_user?: ScopeTemplateInput | null
  readonly per_session?: ScopeTemplateInput | null
  readonly end_user?: WireEndUserSource | null
  readonly cache?: CacheRules | null
}

export const noRules: ScopeRules = { modelRules: [], perEndUser: null, perSession: null, endUser: null }

/** `before`: what is not named keeps these values. Undefined: nothing is left. */
export const toRules = (input: RulesInput, before: ScopeRules = noRules): ScopeRules | undefined => {
  // Members that are left out stay as they were.
  const cache = input.cache === null ? undefined : (input.cache ?? before.cache) && { ...before.cache, ...input.cache }
  const rules: ScopeRules = {
    modelRules: input.model_rules === undefined ? before.modelRules : (input.model_rules ?? []).map(toModelRule),
    perEndUser: input.per_end_user === undefined ? before.perEndUser : toTemplate(input.per_end_user),
    perSession: input.per_session === undefined ? before.perSession : toTemplate(input.per_session),
    endUser: input.end_user === undefined ? before.endUser : toSource(input.end_user),
    ...(cache === undefined ? {} : { cache })
  }
  const { endUser, modelRules, perEndUser, perSession } = rules
  const isNone =
    modelRules.length === 0 && perEndUser === null && perSession === null && endUser === null && cache === undefined
  return isNone ? undefined : rules
}

/** Whether a body says anything of them. */
export const hasRules = (input: RulesInput): boolean =>
  input.model_rules !== undefined ||
  input.per_end_user !== undefined ||
  input.per_session !== undefined ||
  input.end_user !== undefined ||
  input.cache !== undefined

export const toModelRule = ({ budgets = [], limits = {}, match }: ModelRuleInput): ModelRule => ({
  match,
  limits: toLimits(limits),
  budgets: budgets.map(toBudget)
})

const toTemplate = (input: ScopeTemplateInput | null): ScopeTemplate | null =>
  input === null
    ? null
    : {
        limits: toLimits(input.limits ?? {}),
        budgets: (input.budgets ?? []).map(toBudget),
        modelRules: (input.model_rules ?? []).map(toModelRule)
      }

const toSource = (input: WireEndUserSource | null): EndUserSource | null =>
  input === null
    ? null
    : { from: input.from ?? ["header"], required: input.required ?? false, fixed: input.fixed ?? null }

export const wireModelRule = ({ budgets, limits, match }: ModelRule) => ({
  match,
  limits: wireLimits(limits),
  budgets: budgets.map(budgetInput)
})

const wireTemplate = ({ budgets, limits, modelRules }: ScopeTemplate) => ({
  limits: wireLimits(limits),
  budgets: budgets.map(budgetInput),
  model_rules: modelRules.map(wireModelRule)
})

/** Of what there is; nothing for a key or team without rules. */
export const wireRules = (rules: ScopeRules | undefined) => ({
  ...(rules === undefined || rules.modelRules.length === 0 ? {} : { model_rules: rules.modelRules.map(wireModelRule) }),
  ...(rules === undefined || rules.perEndUser === null ? {} : { per_end_user: wireTemplate(rules.perEndUser) }),
  ...(rules === undefined || rules.perSession === null ? {} : { per_session: wireTemplate(rules.perSession) }),
  ...(rules === undefined || rules.endUser === null ? {} : { end_user: rules.endUser }),
  ...(rules?.cache === undefined ? {} : { cache: rules.cache })
})
