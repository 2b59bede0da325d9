/** A key while its row is read. */
import type { Budget, Limits } from "../../../core/domain/Budget.ts"
import type { NanoUsd } from "../../../core/domain/Money.ts"
import type { NewKey } from "../../../core/keys/NewKey.ts"
import type { RowAccount } from "./Account.ts"
import type { JsonObject } from "./Values.ts"

export interface Draft {
  readonly line: number
  readonly account: RowAccount
  /** Of LiteLLM's key, in hex; "" until it is read. */
  digest: string
  name: string | null
  /** How LiteLLM shows the key, such as `sk-...ab12`. */
  shown: string | null
  team: string | null
  models: ReadonlyArray<string>
  readonly limits: { -readonly [Name in keyof Limits]: Limits[Name] }
  maxBudget: number | undefined
  budgetDuration: string | undefined
  budgetResetAt: number | undefined
  spend: number
  /** Of `budget_limits`. */
  readonly moreBudgets: Array<Budget>
  expiresAt: number | null
  isBlocked: boolean
  tags: ReadonlyArray<string>
  metadata: JsonObject
  /** Whose it was, for `metadata`. */
  readonly origin: Record<string, string>
}

export const emptyDraft = (line: number, account: RowAccount): Draft => ({
  line,
  account,
  digest: "",
  name: null,
  shown: null,
  team: null,
  models: [],
  limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
  maxBudget: undefined,
  budgetDuration: undefined,
  budgetResetAt: undefined,
  spend: 0,
  moreBudgets: [],
  expiresAt: null,
  isBlocked: false,
  tags: [],
  metadata: {},
  origin: {}
})

/** A row that can be imported. */
export interface Candidate {
  readonly line: number
  readonly digest: string
  readonly key: NewKey
  readonly isDisabled: boolean
  readonly spent: NanoUsd
  /** What it may do more than it could, where the operator allows that. */
  readonly isLooser: boolean
}
