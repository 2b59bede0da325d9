/** Keys that people make for themselves, within what their team allows. */
import { Effect } from "effect"
import { matchesGlob } from "../collections/Glob.ts"
import type { PersonalKeyPolicy } from "../domain/Budget.ts"
import { OutsideTeamPolicy } from "../domain/Errors.ts"
import { nanoToUsd } from "../domain/Money.ts"
import type { KeyRecord, TeamRecord } from "./KeyRepository.ts"

/** The policy that holds for a key; undefined: it is not personal, or its team has none. */
export const policyOf = (
  { holder }: KeyRecord,
  team: Pick<TeamRecord, "personalKeys"> | undefined
): PersonalKeyPolicy | undefined => (holder?.kind === "personal" ? team?.personalKeys : undefined)

const limitNames = { rpm: "rpm", tpm: "tpm", maxParallel: "max_parallel" } as const

/** Fails with the first field of a personal key that its team does not allow. */
export const checkPolicy = (team: string, policy: PersonalKeyPolicy | undefined, key: KeyRecord) => {
  const found = problemOf(team, policy, key)
  return found === undefined ? Effect.void : Effect.fail(new OutsideTeamPolicy(found))
}

const problemOf = (
  team: string,
  policy: PersonalKeyPolicy | undefined,
  { budgets, createdAt, expiresAt, limits, models }: KeyRecord
) => {
  if (policy?.enabled !== true) {
    return { param: "team", message: `Team "${team}" allows no personal keys. A team admin can enable them.` }
  }
  const stranger = models.findIndex((name) => !isWithin(name, policy.models))
  if (stranger >= 0) {
    const message = `models[${stranger}] is ${models[stranger]}; team "${team}" allows ${policy.models.join(", ")}.`
    return { param: `models[${stranger}]`, message }
  }
  for (const name of ["rpm", "tpm", "maxParallel"] as const) {
    const [given, most] = [limits[name], policy.limits[name]]
    if (given === undefined || most === undefined || given <= most) continue
    const param = `limits.${limitNames[name]}`
    return { param, message: `${param} is ${given}; team "${team}" allows ${most} per member.` }
  }
  for (const [index, budget] of budgets.entries()) {
    const most = policy.budgets.find(({ window }) => window === budget.window)
    const given = (budget.raises ?? []).reduce((sum, { add }) => sum + add, budget.limit)
    if (most === undefined || given <= most.limit) continue
    const each = budget.window === "total" ? "member in total" : `member and ${budget.window}`
    const message = `budgets[${index}].usd is ${nanoToUsd(given)}; team "${team}" allows ${nanoToUsd(most.limit)} per ${each}.`
    return { param: `budgets[${index}].usd`, message }
  }
  const { maxLifetimeSeconds: longest } = policy
  if (longest !== null && (expiresAt ?? Infinity) > createdAt + longest * 1000) {
    const until = new Date(createdAt + longest * 1000).toISOString()
    return {
      param: "expires_at",
      message: `expires_at must be ${until} or earlier: team "${team}" limits the lifetime.`
    }
  }
  return undefined
}

/** A glob of a key is within a glob of the policy when it matches as a text. */
const isWithin = (name: string, allowed: ReadonlyArray<string>): boolean =>
  allowed.length === 0 || allowed.some((pattern) => pattern === name || matchesGlob(pattern, name))
