/** A key, a team, a user or a budget while its row is read. */
import type { Budget, Limits, ModelRule, ScopeTemplate } from "@model-gateway/gateway/internal/core/domain/Budget"
import type { NanoUsd } from "@model-gateway/gateway/internal/core/domain/Money"
import type { NewKey } from "@model-gateway/gateway/internal/core/keys/NewKey"
import type { Place, RowAccount } from "./KeysAccount.ts"
import type { JsonObject } from "./ColumnValues.ts"

/** Of one model. `column`: the one that brought it. */
export interface PerModel {
  readonly column: string
  readonly budgets: ReadonlyArray<Budget>
  readonly rpm: number | undefined
  readonly tpm: number | undefined
}

/** What is said where nothing may pass: of a key itself, or of the keys that a row is about. */
export type Disabled = "the key is disabled" | "its keys are disabled" | "the end user is blocked"

export interface Draft {
  readonly account: RowAccount
  readonly disabled: Disabled
  /** Of LiteLLM's key, in hex; "" until it is read. */
  digest: string
  name: string | null
  /** How LiteLLM shows the key, such as `sk-...ab12`. */
  shown: string | null
  team: string | null
  models: ReadonlyArray<string>
  /** It may use what its team may: `all-team-models`. */
  hasTeamsModels: boolean
  /** 0: nothing passes. */
  limits: { -readonly [Name in keyof Limits]: Limits[Name] }
  maxBudget: number | undefined
  budgetDuration: string | undefined
  /** The column that brought these two. */
  budgetFrom: { readonly amount: string; readonly duration: string }
  budgetResetAt: number | undefined
  spend: number
  /** Of `budget_limits`. */
  readonly moreBudgets: Array<Budget>
  /** Limits and budgets of single models, by LiteLLM's names for them. */
  readonly perModel: Map<string, PerModel>
  expiresAt: number | null
  isBlocked: boolean
  /** It could do more here than it could, for a reason that another row's account has. */
  isLooser: boolean
  tags: ReadonlyArray<string>
  metadata: JsonObject
  /** Other rows that this one names, by the column. */
  readonly ids: Map<string, string>
  /** Whose it was, for `metadata`. */
  readonly origin: Record<string, string>
}

export const emptyDraft = (account: RowAccount, disabled: Disabled): Draft => ({
  account,
  disabled,
  digest: "",
  name: null,
  shown: null,
  team: null,
  models: [],
  hasTeamsModels: false,
  limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
  maxBudget: undefined,
  budgetDuration: undefined,
  budgetFrom: { amount: "max_budget", duration: "budget_duration" },
  budgetResetAt: undefined,
  spend: 0,
  moreBudgets: [],
  perModel: new Map(),
  expiresAt: null,
  isBlocked: false,
  isLooser: false,
  tags: [],
  metadata: {},
  ids: new Map(),
  origin: {}
})

/** A row that can be imported. */
export interface Candidate {
  readonly at: Place
  readonly digest: string
  readonly key: NewKey
  readonly isDisabled: boolean
  readonly spent: NanoUsd
  /** What it may do more than it could, where the operator allows that. */
  readonly isLooser: boolean
}

/** A team that can be made. */
export interface TeamCandidate {
  readonly name: string
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  readonly modelRules: ReadonlyArray<ModelRule>
  /** Beside what its keys bring. */
  readonly spent: NanoUsd
}

/** An end user for whom something was set. */
export interface EndUserCandidate {
  readonly id: string
  readonly name: string | null
  readonly isBlocked: boolean
  /** Null: what the template gives. */
  readonly own: ScopeTemplate | null
  readonly spent: NanoUsd
}
