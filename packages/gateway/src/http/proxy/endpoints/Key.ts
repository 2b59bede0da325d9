/** `GET /v1/key`: what a caller may know of its own key. */
import { Clock, Effect } from "effect"
import { statusOf } from "../../../core/keys/KeyStore.ts"
import { RateLimiter } from "../../../core/limits/RateLimiter.ts"
import { SpendLedger } from "../../../core/ledger/SpendLedger.ts"
import { wireBudget, wireLimits } from "../../admin/Limits.ts"
import { rfc3339 } from "../../WireFormat.ts"
import { type Endpoint, json } from "../Endpoint.ts"

export const keyEndpoint = Effect.gen(function* () {
  const ledger = yield* SpendLedger
  const limiter = yield* RateLimiter

  const handle: Endpoint["handle"] = Effect.fnUntraced(function* (_, { key, team }) {
    const now = yield* Clock.currentTimeMillis
    const { requests, tokens } = yield* limiter.allowances({ key, team })
    const own = yield* ledger.budgets(`key:${key.id}`, key.budgets)
    const shared = team === undefined ? [] : yield* ledger.budgets(`team:${team.name}`, team.budgets)
    return json({
      object: "key",
      id: key.id,
      name: key.name,
      team: key.team,
      models: key.models,
      status: statusOf(key, now),
      limits: wireLimits(key.limits),
      remaining: { rpm: requests?.remaining ?? null, tpm: tokens?.remaining ?? null },
      budgets: own.map(wireBudget),
      team_budgets: shared.map(wireBudget),
      tags: key.tags,
      expires_at: key.expiresAt === null ? null : rfc3339(key.expiresAt)
    })
  })
  return { method: "GET", path: "/v1/key", handle } satisfies Endpoint
})
