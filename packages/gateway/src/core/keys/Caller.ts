/** The caller of a request: a key, its team, and what else the request is held against. */
import type { CallerScope } from "./CallerScope.ts"
import type { KeyRecord, TeamRecord } from "./KeyRepository.ts"
import { policyOf } from "./PersonalKeys.ts"

/** A key with its team's limits and budgets. It stays the same object until one of them changes. */
export interface Caller {
  readonly key: KeyRecord
  readonly team: TeamRecord | undefined
  /** The request's end user, its session, and model rules. Left out: there are none. */
  readonly more?: ReadonlyArray<CallerScope> | undefined
  readonly endUser?: string | undefined
}

/** Whether any budget bounds the caller's requests, if only those to some models. */
export const hasBudget = ({ key, more, team }: Caller): boolean =>
  key.budgets.length > 0 ||
  (team !== undefined && team.budgets.length > 0) ||
  (policyOf(key, team)?.budgets.length ?? 0) > 0 ||
  (more !== undefined && more.some(({ budgets }) => budgets.length > 0))

/** Under a budget, spending that can't be counted is refused, unless the key's setting allows it. */
export const unknownPriceRule = (caller: Caller): "deny" | "allow" => {
  const { onUnknownPrice } = caller.key
  if (onUnknownPrice !== "default") return onUnknownPrice
  return hasBudget(caller) ? "deny" : "allow"
}

/** A team in memory, one object for all its keys. `record` is undefined while nobody configured the team. */
export interface Team {
  record: TeamRecord | undefined
}
