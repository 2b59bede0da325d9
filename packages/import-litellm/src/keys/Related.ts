/** What keys say of other tables. In an export of the keys alone nobody knows what those hold. */
import { Schema } from "effect"
import { TeamName } from "@model-gateway/protocol"
import type { Entry, Problem } from "./KeysAccount.ts"
import type { Draft, EndUserCandidate, TeamCandidate } from "./Draft.ts"
import type { ScopeTemplate } from "@model-gateway/gateway/internal/core/domain/Budget"

/** The other tables, where they were read. */
export interface Related {
  /** What the rows mean that a key names. */
  readonly resolve: (key: Draft) => void
  /** Once all keys are known: with what was spent of their budgets, by team, in nano-USD. */
  readonly finish: (spentOfKeys: ReadonlyMap<string, number>) => {
    readonly teams: ReadonlyArray<TeamCandidate>
    readonly endUsers: ReadonlyArray<EndUserCandidate>
    readonly perEndUser: ScopeTemplate | null
    readonly entries: ReadonlyArray<Entry>
    readonly problems: ReadonlyArray<Problem>
  }
}

/** The rows of `LiteLLM_VerificationToken` and nothing else. */
export const unknownTables: Related = {
  resolve: (key) => {
    const { account, ids } = key
    const team = ids.get("team_id")
    if (team !== undefined) joinTeam(key, team)
    if (key.hasTeamsModels) {
      account.looser("models", "all-team-models: the team's own list of models is in another table")
    }
    if (ids.has("budget_id")) {
      account.looser("budget_id", "its budget and limits are in another table (LiteLLM_BudgetTable)")
    }
    if (ids.has("object_permission_id")) {
      account.looser("object_permission_id", "what it forbids is in another table (LiteLLM_ObjectPermissionTable)")
    }
    for (const column of ORIGIN) {
      keepOrigin(key, column, "kept in `metadata.litellm`; budgets and limits of its own are in another table")
    }
  },
  finish: () => ({ teams: [], endUsers: [], perEndUser: null, entries: [], problems: [] })
}

/** Whose a key was. */
const ORIGIN = ["user_id", "organization_id", "project_id", "agent_id"] as const

export const keepOrigin = ({ account, ids, origin }: Draft, column: (typeof ORIGIN)[number], message: string): void => {
  const id = ids.get(column)
  if (id === undefined) return
  origin[column] = id.slice(0, 200)
  account.changed(column, message)
}

const joinTeam = (key: Draft, id: string): void => {
  key.team = teamName(id)
  if (key.team === id) key.account.carried("team_id")
  else key.account.changed("team_id", `the name of a team can't be that: ${key.team}`)
}

export const isTeamName: (text: string) => boolean = Schema.is(TeamName)

/** The nearest that can be the name of a team. */
export const teamName = (text: string): string =>
  isTeamName(text)
    ? text
    : text
        .replaceAll(/[^\p{L}\p{N}._@+:-]+/gu, "-")
        .replace(/^[^\p{L}\p{N}]+/u, "")
        .slice(0, 100) || "team"
