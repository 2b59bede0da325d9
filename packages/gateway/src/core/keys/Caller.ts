/** Who asks: a key and its team. */
import type { KeyRecord, TeamRecord } from "./KeyRepository.ts"

/** A key in use, with its team's limits and budgets at hand. The same object for as long as nothing changes. */
export interface Caller {
  readonly key: KeyRecord
  readonly team: TeamRecord | undefined
}

/** Spending that nobody can count must not slip past a budget, be it the key's or the team's, unless somebody chose that. */
export const unknownPriceRule = ({ key, team }: Caller): "deny" | "allow" => {
  if (key.onUnknownPrice !== "default") return key.onUnknownPrice
  return key.budgets.length > 0 || (team !== undefined && team.budgets.length > 0) ? "deny" : "allow"
}

/** What is known of a team, undefined while nobody configured it. Its keys all hold the same one. */
export interface Team {
  record: TeamRecord | undefined
}
