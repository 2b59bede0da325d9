/** The caller of a request: a key and its team. */
import type { KeyRecord, TeamRecord } from "./KeyRepository.ts"

/** A key with its team's limits and budgets. It stays the same object until one of them changes. */
export interface Caller {
  readonly key: KeyRecord
  readonly team: TeamRecord | undefined
}

/** Under a budget, the key's or the team's, spending that can't be counted is refused, unless the key's setting allows it. */
export const unknownPriceRule = ({ key, team }: Caller): "deny" | "allow" => {
  if (key.onUnknownPrice !== "default") return key.onUnknownPrice
  return key.budgets.length > 0 || (team !== undefined && team.budgets.length > 0) ? "deny" : "allow"
}

/** A team in memory, one object for all its keys. `record` is undefined while nobody configured the team. */
export interface Team {
  record: TeamRecord | undefined
}
