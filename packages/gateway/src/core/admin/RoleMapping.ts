/** From the claims of an identity provider to roles. Pure: the same for a sign-in, a revalidation and a test of the rules. */
import { claimAt, type Claims } from "../domain/Claims.ts"
import type { MappingSettings, RoleRule } from "../domain/Settings.ts"
import type { Assignment } from "./IdentityRepository.ts"

/** Roles, or the sentence that says why there is no sign-in. */
export type Mapped =
  | { readonly assignments: ReadonlyArray<Omit<Assignment, "source">>; readonly refusal?: undefined }
  | { readonly refusal: string }

const TEAM = /^[\p{L}\p{N}][\p{L}\p{N} ._@+:-]{0,98}$/u

export const mapRoles = (
  provider: string,
  { groups: claim, require, rules }: MappingSettings,
  claims: Claims
): Mapped => {
  const names = claims["_claim_names"]
  if (claims["hasgroups"] === true || (typeof names === "object" && names !== null && claim in names)) {
    return {
      refusal: `${provider}: Entra ID left the groups out because there are more than 200. Use app roles (groups: roles), or emit only groups that are assigned to the application.`
    }
  }
  const found = claimAt(claims, claim)
  const groups = typeof found === "string" ? [found] : found
  const needsGroups = require.length > 0 || rules.some(({ group }) => group !== undefined)
  // An absent list is not an empty list.
  if (!Array.isArray(groups) && needsGroups) {
    const has = Object.keys(claims).join(", ")
    return {
      refusal: `${provider}: the ID token has no claim "${claim}" (it has: ${has}). Add a groups mapper at the provider, or set groups to another claim.`
    }
  }
  const held = (Array.isArray(groups) ? groups : []).filter((one): one is string => typeof one === "string")
  const received = held.length === 0 ? "none" : held.slice(0, 20).join(", ")
  if (require.length > 0 && !require.some((one) => held.includes(one))) {
    return { refusal: `Only members of ${require.join(" or ")} may sign in. Groups received: ${received}.` }
  }
  const assignments = rules.flatMap((rule) => assignmentsOf(rule, held))
  if (assignments.length === 0) {
    return {
      refusal: `No line under roles matches. Groups received: ${received}. An administrator can add one.`
    }
  }
  // The highest of each team counts; the store holds one row for each.
  const highest = new Map<string, Omit<Assignment, "source">>()
  for (const one of assignments) if (highest.get(one.team)?.role !== "admin") highest.set(one.team, one)
  return { assignments: [...highest.values()] }
}

const assignmentsOf = ({ group, role, team, teamRole }: RoleRule, held: ReadonlyArray<string>) => {
  const [before = "", after] = group?.split("*") ?? []
  const taken = group === undefined ? [""] : held.flatMap((one) => takenBy(before, after, one) ?? [])
  return taken.flatMap((middle) => {
    const named = team?.replace("*", () => middle)
    return [
      ...(role === undefined ? [] : [{ team: "", role }]),
      ...(named === undefined || !TEAM.test(named) ? [] : [{ team: named, role: teamRole }])
    ]
  })
}

/** What `*` stands for in a group, "" where there is no `*`; it never takes a `/`. Case matters. */
const takenBy = (before: string, after: string | undefined, group: string): string | undefined => {
  if (after === undefined) return group === before ? "" : undefined
  if (group.length <= before.length + after.length || !group.startsWith(before) || !group.endsWith(after))
    return undefined
  const middle = group.slice(before.length, group.length - after.length)
  return middle.includes("/") ? undefined : middle
}
