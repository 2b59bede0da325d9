/** `/admin/teams`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { DeleteTeamQuery, ListTeamsQuery, PutPersonalKeys, PutTeam, Team, TeamPage, TeamPolicy } from "../Teams.ts"
import { TeamName } from "../../Values.ts"
import { administrative, operating, pageLimit, reading } from "./Administrative.ts"

const teamName = { team: TeamName }

export const teams = HttpApiGroup.make("teams")
  .add(
    HttpApiEndpoint.get("listTeams", "/admin/teams", { query: ListTeamsQuery, success: TeamPage }).annotateMerge(
      administrative({
        access: { ...reading("teams.list"), member: "team" },
        numbers: { limit: pageLimit("Teams") },
        summary: "List teams",
        description: "Those that somebody gave limits or budgets, and those that keys name, by name, in pages."
      })
    ),
    HttpApiEndpoint.delete("deleteTeam", "/admin/teams/:team", {
      params: teamName,
      query: DeleteTeamQuery,
      success: Team
    }).annotateMerge(
      administrative({
        access: operating("teams.delete"),
        failures: [404, 409],
        summary: "Delete a team",
        description:
          "Its limits and budgets; its spend stays on the books. Refused while keys name it, unless `force` is true: they then go on without them."
      })
    ),
    HttpApiEndpoint.get("getTeam", "/admin/teams/:team", {
      params: teamName,
      success: Team
    }).annotateMerge(
      administrative({
        access: { ...reading("teams.read"), member: "team" },
        failures: [404],
        summary: "Inspect a team",
        description:
          "A team that keys name is found, though nobody gave it limits or budgets; `updated_at` is null then."
      })
    ),
    HttpApiEndpoint.put("putTeam", "/admin/teams/:team", {
      params: teamName,
      payload: PutTeam,
      success: Team
    }).annotateMerge(
      administrative({
        access: operating("teams.put"),
        failures: [413, 415],
        summary: "Set limits and budgets of a team",
        description: "All of them: what is left out is no limit, or no budget. In force when the answer comes."
      })
    ),
    HttpApiEndpoint.get("getTeamPolicy", "/admin/teams/:team/policy", {
      params: teamName,
      success: TeamPolicy
    }).annotateMerge(
      administrative({
        access: { ...reading("teams.policy"), member: "team" },
        failures: [404],
        summary: "Inspect the policy of a team",
        description: "What its members may do for themselves."
      })
    ),
    HttpApiEndpoint.put("putPersonalKeys", "/admin/teams/:team/policy/personal_keys", {
      params: teamName,
      payload: PutPersonalKeys,
      success: TeamPolicy
    }).annotateMerge(
      administrative({
        access: { ...operating("teams.policy"), team_admin: "team" },
        failures: [404, 409, 413, 415],
        summary: "Set what personal keys of a team may do",
        description: "All of it. In force for every personal key of the team when the response comes."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Teams", description: "Limits and budgets that keys share." }))
