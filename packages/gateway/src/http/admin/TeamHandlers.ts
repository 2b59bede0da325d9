/** `/admin/teams`. */
import { PutPersonalKeys, PutTeam, ServedApi, type Team, type TeamPolicy } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Idempotency } from "../../core/kept/Idempotency.ts"
import { KeyStore } from "../../core/keys/KeyStore.ts"
import { NotFound } from "../../core/domain/Errors.ts"
import { CurrentPrincipal, seesTeam } from "../../core/domain/Principal.ts"
import { SpendLedger } from "../../core/ledger/SpendLedger.ts"
import { type TeamRecord, type TeamWithKeys, unconfiguredTeam } from "../../core/keys/KeyRepository.ts"
import { answering } from "../shared/Answer.ts"
import { rfc3339 } from "../errors/WireFormat.ts"
import { budgetInput, checkRaises, toBudgets, toLimits, wireBudget, wireLimits } from "../records/Limits.ts"
import { toPolicy, wirePersonalKeys } from "../records/PolicyRecords.ts"
import { hasRules, toRules, wireRules } from "../records/ScopeRecords.ts"
import { type AuditAction, noteOf } from "./access/Audited.ts"
import { Nodes } from "../../core/admin/Nodes.ts"
import { refuseOlder } from "./OlderNodes.ts"
import { pageIn, pageOf, type QueryOf } from "./AdminPages.ts"
import { withBody } from "./AdminRequestBody.ts"

export const teamHandlers = HttpApiBuilder.group(
  ServedApi,
  "teams",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* KeyStore
    const ledger = yield* SpendLedger
    const nodes = yield* Nodes
    const kept = yield* Idempotency

    const shown = Effect.fnUntraced(function* (team: TeamWithKeys["team"], members: number) {
      const budgets = yield* ledger.budgets(`team:${team.name}`, team.budgets)
      const record: Team = {
        object: "team",
        team: team.name,
        limits: wireLimits(team.limits),
        budgets: budgets.map(wireBudget),
        ...wireRules(team.rules),
        keys: members,
        updated_at: team.updatedAt === null ? null : rfc3339(team.updatedAt)
      }
      return record
    })

    const counted = (team: TeamRecord) => Effect.flatMap(keys.keysOf(team.name), (members) => shown(team, members))

    /** One that keys name is there, whether or not it has limits. */
    const seen = Effect.fnUntraced(function* (name: string) {
      const { visibility } = yield* CurrentPrincipal
      if (!seesTeam(visibility, name)) return yield* new NotFound({ what: "team", id: name })
      const members = yield* keys.keysOf(name)
      const found = keys.team(name)
      const team: TeamWithKeys["team"] = yield* members === 0
        ? found
        : Effect.catchTag(found, "NotFound", () => Effect.succeed(unconfiguredTeam(name)))
      return { team, members }
    })

    const get = (name: string) => Effect.flatMap(seen(name), ({ members, team }) => shown(team, members))

    const putPolicy = Effect.fnUntraced(function* (name: string, body: PutPersonalKeys) {
      const { visibility } = yield* CurrentPrincipal
      // A team admin may set the policy of a team that has nothing else yet.
      if (!seesTeam(visibility, name)) return yield* new NotFound({ what: "team", id: name })
      yield* refuseOlder(nodes)
      return wirePolicy(yield* keys.putPersonalKeys(name, toPolicy(body), yield* notePolicy))
    })

    const list = Effect.fnUntraced(function* (query: QueryOf<"listTeams">) {
      const { hasMore, teams } = yield* keys.teams({
        visibility: (yield* CurrentPrincipal).visibility,
        ...pageIn(query)
      })
      const data = yield* Effect.forEach(teams, ({ keys: members, team }) => shown(team, members), {
        concurrency: "unbounded"
      })
      return pageOf(data, hasMore, ({ team }) => team)
    })

    const put = Effect.fnUntraced(function* (name: string, body: PutTeam) {
      const before = yield* Effect.catchTag(keys.team(name), "NotFound", () => Effect.undefined)
      const budgets = toBudgets(body, before?.budgets) ?? []
      yield* checkRaises(body.budgets, before?.budgets ?? [], yield* Clock.currentTimeMillis)
      if (hasRules(body)) yield* refuseOlder(nodes)
      const rules = toRules(body, before?.rules)
      const given = { limits: toLimits(body.limits ?? {}), budgets, rules }
      return yield* counted(yield* keys.putTeam(name, given, yield* note("teams.put")))
    })

    const remove = Effect.fnUntraced(function* (name: string, force: boolean) {
      const team = yield* keys.deleteTeam(name, force, yield* note("teams.delete"))
      yield* kept.erase(`team:${name}`)
      return yield* counted(team)
    })

    return handlers
      .handle("listTeams", ({ query }) => answering(list(query)))
      .handle("getTeam", ({ params }) => answering(get(params.team)))
      .handle("deleteTeam", ({ params, query }) => answering(remove(params.team, query.force === "true")))
      .handle("getTeamPolicy", ({ params }) => answering(Effect.map(seen(params.team), ({ team }) => wirePolicy(team))))
      .handleRaw(
        "putPersonalKeys",
        withBody(PutPersonalKeys, (body, { params }) => putPolicy(params.team, body))
      )
      .handleRaw(
        "putTeam",
        withBody(PutTeam, (body, { params }) => put(params.team, body))
      )
  })
)

const note = (action: AuditAction) =>
  noteOf(
    action,
    ({ name }: TeamRecord) => name,
    ({ budgets, limits, rules }) => ({
      limits: wireLimits(limits),
      budgets: budgets.map(budgetInput),
      ...wireRules(rules)
    })
  )

const wirePolicy = ({ name, personalKeys }: Pick<TeamRecord, "name" | "personalKeys">): TeamPolicy => ({
  object: "team_policy",
  team: name,
  personal_keys: wirePersonalKeys(personalKeys)
})

const notePolicy = noteOf("teams.policy", ({ name }: TeamRecord) => name, wirePolicy)
