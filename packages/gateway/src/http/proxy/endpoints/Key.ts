/** `GET /v1/key`: what a caller may know of its own key. */
import { TimeZone } from "@model-gateway/protocol"
import { Clock, Effect, Schema } from "effect"
import { InvalidField } from "../../../core/domain/Errors.ts"
import { nanoToUsd } from "../../../core/domain/Money.ts"
import type { Caller } from "../../../core/keys/Caller.ts"
import { namedIn } from "../../../core/keys/CallerScope.ts"
import { EndUsers } from "../../../core/keys/EndUsers.ts"
import type { KeyRecord } from "../../../core/keys/KeyRepository.ts"
import { statusOf } from "../../../core/keys/KeyStore.ts"
import { RateLimiter } from "../../../core/limits/RateLimiter.ts"
import { SpendLedger } from "../../../core/ledger/SpendLedger.ts"
import { type SpendNow, spendNow } from "../../../core/ledger/SpendNow.ts"
import { wireBudget, wireLimits } from "../../records/Limits.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { type Endpoint, json, type HttpRequest } from "../../routing/Endpoint.ts"
import { clientSession } from "../ClientSession.ts"
import { identityOf } from "../Identity.ts"
import { queryOf } from "./responses/Query.ts"

export const keyEndpoint = Effect.gen(function* () {
  const ledger = yield* SpendLedger
  const limiter = yield* RateLimiter
  const endUsers = yield* EndUsers

  /** Key and team with their model rules, and the end user and session that the headers name. */
  const scopesOf = Effect.fnUntraced(function* (request: HttpRequest, caller: Caller) {
    const { headers } = request
    // What has no limits is not asked for.
    const from = { ...clientSession(headers, {}), client: undefined }
    const identity = yield* Effect.fromResult(identityOf(caller, headers, {}, from))
    const { endUser } = caller.key.rules ?? {}
    if (identity.endUser === undefined && endUser?.required === true && endUser.fixed === null) return []
    const { more = [] } = yield* endUsers.resolve(caller, identity)
    return yield* Effect.forEach(more, (one) =>
      Effect.map(ledger.budgets(one.name, one.budgets), (budgets) => ({
        ...namedIn(one),
        limits: wireLimits(one.limits),
        budgets: budgets.map(wireBudget)
      }))
    )
  })

  const handle: Endpoint["handle"] = Effect.fnUntraced(function* (request, caller) {
    const { key, team } = caller
    const scopes = yield* scopesOf(request, caller)
    const now = yield* Clock.currentTimeMillis
    const timeZone = yield* zoneOf(request, key)
    const { requests, tokens } = yield* limiter.allowances({ key, team })
    const own = yield* ledger.budgets(`key:${key.id}`, key.budgets)
    const shared = team === undefined ? [] : yield* ledger.budgets(`team:${team.name}`, team.budgets)
    return json({
      object: "key",
      id: key.id,
      name: key.name,
      team: key.team,
      models: key.models,
      status: statusOf({ key, team }, now),
      limits: wireLimits(key.limits),
      remaining: { rpm: requests?.remaining ?? null, tpm: tokens?.remaining ?? null },
      spend: wireSpend(yield* spendNow(ledger, key.id, timeZone, now), timeZone),
      budgets: own.map(wireBudget),
      team_budgets: shared.map(wireBudget),
      ...(scopes.length === 0 ? {} : { scopes }),
      tags: key.tags,
      expires_at: key.expiresAt === null ? null : rfc3339(key.expiresAt)
    })
  })
  return { method: "GET", path: "/v1/key", handle } satisfies Endpoint
})

/** As asked for with `tz`; else that of the key's first budget, so that figures and budgets agree; else UTC. */
const zoneOf = Effect.fnUntraced(function* (request: HttpRequest, { budgets }: KeyRecord) {
  const given = queryOf(request).get("tz")
  if (given === null) return budgets[0]?.timeZone ?? "UTC"
  if (isTimeZone(given)) return given
  return yield* new InvalidField({
    param: "tz",
    message: "`tz` must be the IANA name of a time zone, e.g. UTC or Europe/Berlin"
  })
})

const isTimeZone = Schema.is(TimeZone)

const wireSpend = (spent: SpendNow, timeZone: string) => ({
  hour_usd: nanoToUsd(spent.hour),
  day_usd: nanoToUsd(spent.day),
  week_usd: nanoToUsd(spent.week),
  month_usd: nanoToUsd(spent.month),
  total_usd: nanoToUsd(spent.total),
  time_zone: timeZone
})
