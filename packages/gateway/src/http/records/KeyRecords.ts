/** Converts keys between the wire and the rules. */
import { type CreateKey, type Key, type UpdateKey, MAX_METADATA } from "@model-gateway/protocol"
import { Effect, Predicate } from "effect"
import { NO_REQUIREMENT, type Requirement } from "../../core/domain/Choice.ts"
import { InvalidField } from "../../core/domain/Errors.ts"
import { type Caller, unknownPriceRule } from "../../core/keys/Caller.ts"
import { type KeyChange, statusOf } from "../../core/keys/KeyStore.ts"
import type { NewKey } from "../../core/keys/NewKey.ts"
import type { BudgetState } from "../../core/ledger/SpendLedger.ts"
import type { KeyRecord } from "../../core/keys/KeyRepository.ts"
import { rfc3339 } from "../errors/WireFormat.ts"
import { isNetwork } from "../shared/ClientAddress.ts"
import { hasRules, noRules, toRules, wireRules } from "./ScopeRecords.ts"
import { budgetInput, checkRaises, toBudgets, toLimits, wireBudget, wireLimits } from "./Limits.ts"

type Metadata = KeyRecord["metadata"]

/** What administrators decide about a key: nothing here changes by its use. */
export const keySettings = ({ key, team }: Caller, now: number) => ({
  name: key.name,
  team: key.team,
  models: key.models,
  limits: wireLimits(key.limits),
  budgets: key.budgets.map(budgetInput),
  on_unknown_price: key.onUnknownPrice,
  unknown_fields: key.unknownFields,
  ...wireRules(key.rules),
  require: { region: key.require.region ?? [], zdr: key.require.zdr === true },
  allow_from: key.allowFrom ?? [],
  ...wireHolder(key.holder),
  status: statusOf({ key, team }, now),
  tags: key.tags,
  metadata: key.metadata as Key["metadata"],
  expires_at: timeOf(key.expiresAt)
})

export const wireKey = (caller: Caller, budgets: ReadonlyArray<BudgetState>, now: number): Key => {
  const { key } = caller
  return {
    id: key.id,
    object: "key",
    ...keySettings(caller, now),
    budgets: budgets.map(wireBudget),
    on_unknown_price: unknownPriceRule(caller),
    created_at: rfc3339(key.createdAt),
    updated_at: rfc3339(key.updatedAt),
    revoked_at: timeOf(key.revokedAt),
    last_used_at: timeOf(key.lastUsedAt),
    ...importedSecretOf(key, now)
  }
}

const wireHolder = (holder: KeyRecord["holder"]) => ({
  kind: holder?.kind ?? "service",
  owner: holder?.owner ?? null,
  ...(typeof holder?.rule === "string" ? { rule: holder.rule } : {}),
  ...(typeof holder?.subject === "string" ? { subject: holder.subject } : {}),
  created_by: holder?.createdBy ?? null
})

/** Nothing once its time is over. */
const importedSecretOf = ({ importedSecret }: KeyRecord, now: number): Pick<Key, "imported_secret"> =>
  importedSecret === undefined || (importedSecret.validUntil ?? Infinity) <= now
    ? {}
    : { imported_secret: { from: importedSecret.from, valid_until: timeOf(importedSecret.validUntil) } }

const timeOf = (epochMs: number | null): string | null => (epochMs === null ? null : rfc3339(epochMs))

export const toNewKey = Effect.fnUntraced(function* (body: CreateKey, now: number) {
  yield* checkRaises(body.budgets, [], now)
  const key: NewKey = {
    name: body.name ?? null,
    team: body.team ?? null,
    models: body.models ?? [],
    limits: toLimits(body.limits ?? {}),
    budgets: toBudgets(body) ?? [],
    tags: body.tags ?? [],
    metadata: body.metadata ?? {},
    onUnknownPrice: body.on_unknown_price ?? "default",
    unknownFields: body.unknown_fields ?? "remove",
    rules: toRules(body),
    require: toRequirement(body.require),
    allowFrom: yield* addresses(body.allow_from),
    expiresAt: (yield* expiry(body.expires_at, now)) ?? null
  }
  return key
})

/** Converts a merge patch to a change of `before`. */
export const toChange = Effect.fnUntraced(function* (patch: UpdateKey, before: KeyRecord, now: number) {
  yield* checkRaises(patch.budgets, before.budgets, now)
  const budgets = toBudgets(patch, before.budgets)
  const change: KeyChange = {
    ...(patch.name === undefined ? {} : { name: patch.name }),
    ...(patch.team === undefined ? {} : { team: patch.team }),
    ...(patch.models === undefined ? {} : { models: patch.models ?? [] }),
    ...(patch.limits === undefined
      ? {}
      : { limits: patch.limits === null ? toLimits({}) : toLimits(patch.limits, before.limits) }),
    ...(budgets === undefined ? {} : { budgets }),
    ...(patch.tags === undefined ? {} : { tags: patch.tags ?? [] }),
    ...(patch.metadata === undefined ? {} : { metadata: yield* merged(before.metadata, patch.metadata) }),
    ...(patch.expires_at === undefined ? {} : { expiresAt: (yield* expiry(patch.expires_at, now)) ?? null }),
    ...(patch.unknown_fields === undefined ? {} : { unknownFields: patch.unknown_fields ?? "remove" }),
    ...(hasRules(patch) ? { rules: toRules(patch, before.rules) ?? noRules } : {}),
    ...(patch.require === undefined ? {} : { require: toRequirement(patch.require, before.require) }),
    ...(patch.allow_from === undefined ? {} : { allowFrom: (yield* addresses(patch.allow_from)) ?? [] }),
    ...(patch.disabled === undefined ? {} : { disabled: patch.disabled ?? false }),
    ...onUnknownPrice(patch, before, budgets)
  }
  return change
})

/** Members that are left out stay as they were. */
const toRequirement = (body: CreateKey["require"], before = NO_REQUIREMENT): Requirement => {
  const { region = before.region ?? [], zdr = before.zdr } = body ?? { region: [], zdr: false }
  const regions = [...new Set(region.map((one) => one.toLowerCase()))]
  return { ...(regions.length === 0 ? {} : { region: regions }), ...(zdr === true ? { zdr } : {}) }
}

/** A key that may use unpriced models gets its first budget: from now on it may not, or they would bypass the budget. */
const onUnknownPrice = (patch: UpdateKey, before: KeyRecord, budgets: KeyChange["budgets"]) => {
  if (patch.on_unknown_price !== undefined) return { onUnknownPrice: patch.on_unknown_price ?? ("default" as const) }
  const isFirst = before.budgets.length === 0 && budgets !== undefined && budgets.length > 0
  return isFirst ? { onUnknownPrice: "default" as const } : {}
}

/** Undefined: any address. */
const addresses = Effect.fnUntraced(function* (given: ReadonlyArray<string> | null | undefined) {
  const wrong = (given ?? []).findIndex((network) => !isNetwork(network))
  if (wrong < 0) return (given ?? []).length === 0 ? undefined : given!
  const message = `allow_from[${wrong}] must be an address or a network such as 10.0.0.0/8, got ${given![wrong]}`
  return yield* new InvalidField({ param: `allow_from[${wrong}]`, message })
})

const expiry = Effect.fnUntraced(function* (text: string | null | undefined, now: number) {
  if (text === undefined || text === null) return text
  const at = Date.parse(text)
  if (at > now) return at
  return yield* new InvalidField({ param: "expires_at", message: "`expires_at`: Expected a time in the future." })
})

const merged = Effect.fnUntraced(function* (before: Metadata, patch: Metadata | null) {
  const after = patch === null ? {} : mergePatch(before, patch)
  if (JSON.stringify(after).length <= MAX_METADATA) return after
  return yield* new InvalidField({
    param: "metadata",
    message: `\`metadata\`: Expected at most ${MAX_METADATA} characters of JSON with what is there already.`
  })
})

/** RFC 7396. Uses entries instead of assignments, so that `__proto__` is a name like any other. */
const mergePatch = (target: Metadata, patch: Metadata): Metadata => {
  const after = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) after.delete(name)
    else if (Predicate.isObject(value)) {
      const inner = after.get(name)
      after.set(name, mergePatch(Predicate.isObject(inner) ? inner : {}, value))
    } else after.set(name, value)
  }
  return Object.fromEntries(after)
}
