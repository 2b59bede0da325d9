/** `/admin/teams`. */
import { PutTeam, ServedApi, type Team } from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { KeyStore } from "../../core/keys/KeyStore.ts"
import { SpendLedger } from "../../core/ledger/SpendLedger.ts"
import type { TeamRecord } from "../../core/keys/KeyRepository.ts"
import { answering } from "../Answer.ts"
import { rfc3339 } from "../WireFormat.ts"
import { toBudgets, toLimits, wireBudget, wireLimits } from "./Limits.ts"
import { bodyReader } from "./RequestBody.ts"

const readTeam = bodyReader(PutTeam)

export const teamHandlers = HttpApiBuilder.group(
  ServedApi,
  "teams",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* KeyStore
    const ledger = yield* SpendLedger

    const shown = Effect.fnUntraced(function* (team: TeamRecord) {
      const budgets = yield* ledger.budgets(`team:${team.name}`, team.budgets)
      const record: Team = {
        object: "team",
        team: team.name,
        limits: wireLimits(team.limits),
        budgets: budgets.map(wireBudget),
        updated_at: rfc3339(team.updatedAt)
      }
      return record
    })

    return handlers
      .handle("getTeam", ({ params }) => answering(Effect.flatMap(keys.team(params.team), shown)))
      .handleRaw("putTeam", ({ params, request }) =>
        readTeam(request).pipe(
          Effect.flatMap((body) =>
            keys.putTeam(params.team, { limits: toLimits(body.limits ?? {}), budgets: toBudgets(body) ?? [] })
          ),
          Effect.flatMap(shown),
          answering
        )
      )
  })
)
