/** The only place that decides who may call an endpoint of `/admin`, and what of its data the call sees. */
import type { Access, Reach } from "@model-gateway/protocol"
import { NotPermitted } from "../domain/Errors.ts"
import type { Principal, Visibility } from "../domain/Principal.ts"

export const decide = (principal: Principal, access: Access): Visibility | NotPermitted => {
  const { actor, role, teams, user } = principal
  const refused = () =>
    new NotPermitted({
      action: access.action,
      needs: rolesOf(access, actor.kind === "service_token"),
      has: namesOf(principal)
    })
  if (access.people_only === true && actor.kind === "service_token") return refused()
  const globally = role === null ? undefined : access[role]
  if (globally === "all") return "all"
  const inTeams = [...teams].map(([team, its]) => [team, access[its === "admin" ? "team_admin" : "member"]] as const)
  // A person without a global role has what a member has for oneself, in a team or not.
  const ownly = user === null || role !== null || access.member !== "own" ? undefined : access.member
  const reaches: ReadonlyArray<Reach | undefined> = [globally, ownly, ...inTeams.map(([, reach]) => reach)]
  if (reaches.every((reach) => reach === undefined)) return refused()
  return {
    teams: inTeams.flatMap(([team, reach]) => (reach === "team" ? [team] : [])),
    owner: user
  }
}

/** The roles that may call the endpoint, as people call them. */
const rolesOf = ({ admin, member, people_only, team_admin, viewer }: Access, isToken: boolean): string => {
  const roles = [
    ...(admin === undefined ? [] : ["admin"]),
    ...(viewer === undefined ? [] : ["viewer"]),
    ...(team_admin === undefined ? [] : ["team admin"]),
    ...(member === undefined ? [] : ["team member"])
  ]
  return `the role ${roles.join(" or ")}${people_only === true && isToken ? " of a person, not of a service token" : ""}`
}

const namesOf = ({ role, teams }: Principal): string => {
  const names = [
    ...(role === null ? [] : [role]),
    ...Array.from(teams, ([team, its]) => `${its === "admin" ? "team admin" : "team member"} in "${team}"`)
  ]
  return names.length === 0 ? "none" : names.join(", ")
}
