/** End users of LiteLLM into the store. There they are everybody's; here each owner has end users of its own. */
import { Effect } from "effect"
import * as Credential from "@model-gateway/gateway/internal/core/keys/Credential"
import { endUserScope } from "@model-gateway/gateway/internal/core/keys/CallerScope"
import { type EndUserRecord, EndUserRepository } from "@model-gateway/gateway/internal/core/keys/EndUserRepository"
import { LedgerJournal } from "@model-gateway/gateway/internal/core/ledger/LedgerJournal"
import { budgetInput, wireLimits } from "@model-gateway/gateway/internal/http/records/Limits"
import { wireModelRule } from "@model-gateway/gateway/internal/http/records/ScopeRecords"
import { spendingRow } from "../store/ImportedSpend.ts"
import type { Candidate, EndUserCandidate } from "./Draft.ts"
import { commandLine } from "./ImportKeys.ts"

const AT_ONCE = 200

/** The teams of keys, and keys without one. */
const ownersOf = (candidates: ReadonlyArray<Candidate>, pepper: Uint8Array): ReadonlyArray<string> => [
  ...new Set(
    candidates.map(({ digest, key }) =>
      typeof key.team === "string" ? `team:${key.team}` : `key:${Credential.idOfLitellm(pepper, digest)}`
    )
  )
]

/** Those that are not in the store yet, before the keys that need them. The number of records that were added. */
export const commitEndUsers = Effect.fnUntraced(function* (
  endUsers: ReadonlyArray<EndUserCandidate>,
  candidates: ReadonlyArray<Candidate>,
  pepper: Uint8Array,
  now: number
) {
  if (endUsers.length === 0) return 0
  const repository = yield* EndUserRepository
  const journal = yield* LedgerJournal
  const there = new Set<string>()
  for (let page = yield* repository.ids(""); ; page = yield* repository.ids(page.ids.at(-1) ?? "")) {
    for (const scope of page.ids) there.add(scope)
    if (!page.hasMore) break
  }
  const owners = ownersOf(candidates, pepper)
  let row = yield* journal.lastId
  const added = yield* Effect.forEach(
    endUsers,
    Effect.fnUntraced(function* (endUser) {
      const missing = owners.filter((owner) => !there.has(endUserScope(owner, endUser.id)))
      if (endUser.spent > 0 && missing.length > 0) {
        // One row for all owners: the amount counts in the budgets of each, and once in the ledger.
        const subjects = missing.map((owner) => endUserScope(owner, endUser.id))
        const spending = { name: "end_user", keyId: "litellm", team: null, tags: [], spent: endUser.spent }
        const { reservation, ...settlement } = spendingRow(++row, spending, now)
        const booked = { ...settlement, reservation: { ...reservation, subjects } }
        yield* journal.reserve(booked.reservation)
        yield* journal.settle(booked)
      }
      yield* Effect.forEach(missing, (owner) => {
        const record = recordOf(owner, endUser, now)
        return repository.put(record, {
          at: now,
          actor: commandLine,
          action: "end_users.put",
          target: `${owner}/${record.id}`,
          before: null,
          after: {
            name: record.name,
            blocked: record.blocked,
            limits: record.limits && wireLimits(record.limits),
            budgets: record.budgets && record.budgets.map(budgetInput),
            model_rules: record.modelRules && record.modelRules.map(wireModelRule),
            metadata: record.metadata
          }
        })
      })
      return missing.length
    }),
    { concurrency: AT_ONCE }
  )
  return added.reduce((sum, one) => sum + one, 0)
})

const recordOf = (owner: string, { id, isBlocked, name, own }: EndUserCandidate, now: number): EndUserRecord => ({
  owner,
  id,
  name,
  limits: own && own.limits,
  budgets: own && own.budgets,
  modelRules: own && own.modelRules,
  blocked: isBlocked,
  metadata: {},
  updatedAt: now
})
