/** Keys and teams as rows: lists and objects are JSON columns, checked when they are read back. */
import { CacheRules } from "@model-gateway/protocol"
import { Effect, Schema } from "effect"
import { type StoredKey, type TeamRecord, type TeamWithKeys, unconfiguredTeam } from "../../core/keys/KeyRepository.ts"
import { endUserScope } from "../../core/keys/CallerScope.ts"
import type { EndUserRecord } from "../../core/keys/EndUserRepository.ts"
import { StoreUnavailable } from "../../core/domain/Errors.ts"
import { type Budget, type ScopeRules, windows } from "../../core/domain/Budget.ts"
import { windowName } from "../../core/ledger/BudgetWindow.ts"

const Limit = Schema.UndefinedOr(Schema.Finite).pipe(Schema.optional)

const Limits = Schema.Struct({ rpm: Limit, tpm: Limit, maxParallel: Limit })

const Budgets = Schema.Array(
  Schema.Struct({
    limit: Schema.Int,
    window: Schema.Literals(windows),
    timeZone: Schema.String,
    raises: Schema.optionalKey(
      Schema.Array(Schema.Struct({ add: Schema.Int, from: Schema.Finite, until: Schema.Finite, reason: Schema.String }))
    ),
    soft: Schema.optionalKey(Schema.Int)
  })
)

const ModelRules = Schema.Array(Schema.Struct({ match: Schema.Array(Schema.String), limits: Limits, budgets: Budgets }))

const Template = Schema.NullOr(Schema.Struct({ limits: Limits, budgets: Budgets, modelRules: ModelRules }))

const Rules = Schema.NullOr(
  Schema.Struct({
    modelRules: ModelRules,
    perEndUser: Template,
    perSession: Template,
    endUser: Schema.NullOr(
      Schema.Struct({
        from: Schema.Array(Schema.Literals(["header", "field"])),
        required: Schema.Boolean,
        fixed: Schema.NullOr(Schema.String)
      })
    ),
    cache: Schema.optionalKey(CacheRules)
  })
)

const Names = Schema.Array(Schema.String)

const Policy = Schema.NullOr(
  Schema.Struct({
    enabled: Schema.Boolean,
    maxKeys: Schema.Int,
    maxLifetimeSeconds: Schema.NullOr(Schema.Int),
    models: Names,
    limits: Limits,
    budgets: Budgets
  })
)

const Require = Schema.Struct({ region: Schema.optionalKey(Names), zdr: Schema.optionalKey(Schema.Boolean) })

const Secrets = Schema.Array(
  Schema.Struct({
    hash: Schema.String,
    validUntil: Schema.NullOr(Schema.Finite),
    from: Schema.optionalKey(Schema.Literal("litellm"))
  })
)

const KeyRow = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  team: Schema.NullOr(Schema.String),
  models: Schema.fromJsonString(Names),
  limits: Schema.fromJsonString(Limits),
  budgets: Schema.fromJsonString(Budgets),
  tags: Schema.fromJsonString(Names),
  // Not a record of Schema: a name like `__proto__` in it is data and is returned unchanged.
  metadata: Schema.fromJsonString(Schema.Unknown),
  on_unknown_price: Schema.Literals(["deny", "allow", "default"]),
  unknown_fields: Schema.Literals(["remove", "pass"]),
  rules: Schema.fromJsonString(Rules),
  require: Schema.fromJsonString(Require),
  kind: Schema.Literals(["service", "personal", "workload"]),
  owner: Schema.NullOr(Schema.String),
  rule: Schema.NullOr(Schema.String),
  subject: Schema.NullOr(Schema.String),
  created_by: Schema.NullOr(Schema.String),
  allow_from: Schema.fromJsonString(Names),
  suspended: Schema.Literals([0, 1]),
  disabled: Schema.Literals([0, 1]),
  created_at: Schema.Finite,
  updated_at: Schema.Finite,
  expires_at: Schema.NullOr(Schema.Finite),
  revoked_at: Schema.NullOr(Schema.Finite),
  last_used_at: Schema.NullOr(Schema.Finite),
  secrets: Schema.fromJsonString(Secrets)
})

const TeamRow = Schema.Struct({
  name: Schema.String,
  limits: Schema.fromJsonString(Limits),
  budgets: Schema.fromJsonString(Budgets),
  rules: Schema.fromJsonString(Rules),
  personal_keys: Schema.fromJsonString(Policy),
  updated_at: Schema.Finite
})

export type KeyRow = typeof KeyRow.Encoded
export type TeamRow = typeof TeamRow.Encoded

/** Every column of `keys` but `seq`. */
export const columns = [...Object.keys(KeyRow.fields), "search"] as ReadonlyArray<keyof typeof KeyRow.fields | "search">

/** A key as the values of its columns. */
export const toRow = (key: StoredKey) => ({
  id: key.id,
  name: key.name,
  team: key.team,
  models: JSON.stringify(key.models),
  limits: JSON.stringify(key.limits),
  budgets: JSON.stringify(key.budgets),
  tags: JSON.stringify(key.tags),
  metadata: JSON.stringify(key.metadata),
  on_unknown_price: key.onUnknownPrice,
  unknown_fields: key.unknownFields,
  rules: JSON.stringify(key.rules ?? null),
  require: JSON.stringify(key.require),
  kind: key.holder?.kind ?? "service",
  owner: key.holder?.owner ?? null,
  rule: key.holder?.rule ?? null,
  subject: key.holder?.subject ?? null,
  created_by: key.holder?.createdBy ?? null,
  allow_from: JSON.stringify(key.allowFrom ?? []),
  suspended: key.isSuspended === true ? 1 : 0,
  disabled: key.disabled ? 1 : 0,
  created_at: key.createdAt,
  updated_at: key.updatedAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt,
  secrets: JSON.stringify(key.secrets),
  // Lower case by JavaScript, because SQLite's `lower` handles ASCII only.
  search: `${key.id}\n${key.name ?? ""}`.toLowerCase()
})

/** A key from its row. Fails if the row is damaged. */
export const fromRow = (row: KeyRow): Effect.Effect<StoredKey, StoreUnavailable> =>
  Schema.decodeEffect(KeyRow)(row).pipe(
    Effect.map((decoded): StoredKey => ({
      id: decoded.id,
      name: decoded.name,
      team: decoded.team,
      models: decoded.models,
      limits: limitsOf(decoded.limits),
      budgets: decoded.budgets,
      tags: decoded.tags,
      metadata: decoded.metadata as StoredKey["metadata"],
      onUnknownPrice: decoded.on_unknown_price,
      unknownFields: decoded.unknown_fields,
      rules: decoded.rules === null ? undefined : rulesOf(decoded.rules),
      require: decoded.require,
      ...holderOf(decoded),
      ...(decoded.allow_from.length === 0 ? {} : { allowFrom: decoded.allow_from }),
      ...(decoded.suspended === 0 ? {} : { isSuspended: true }),
      disabled: decoded.disabled === 1,
      createdAt: decoded.created_at,
      updatedAt: decoded.updated_at,
      expiresAt: decoded.expires_at,
      revokedAt: decoded.revoked_at,
      lastUsedAt: decoded.last_used_at,
      secrets: decoded.secrets
    })),
    Effect.mapError(() => damaged(`key ${row.id}`))
  )

const holderOf = ({ created_by: createdBy, kind, owner, rule, subject }: typeof KeyRow.Type) =>
  kind === "service" && createdBy === null ? {} : { holder: { kind, owner, rule, subject, createdBy } }

export const teamFromRow = (row: TeamRow): Effect.Effect<TeamRecord, StoreUnavailable> =>
  Schema.decodeEffect(TeamRow)(row).pipe(
    Effect.map((decoded): TeamRecord => ({
      name: decoded.name,
      limits: limitsOf(decoded.limits),
      budgets: decoded.budgets,
      rules: decoded.rules === null ? undefined : rulesOf(decoded.rules),
      ...personalKeysOf(decoded.personal_keys),
      updatedAt: decoded.updated_at
    })),
    Effect.mapError(() => damaged(`team ${row.name}`))
  )

const personalKeysOf = (policy: typeof Policy.Type) =>
  policy === null ? {} : { personalKeys: { ...policy, limits: limitsOf(policy.limits) } }

/** Names are written in the order in which they came first. */
const enabledFirst = { enabled: false }

/** JSON: the names of the windows whose budgets are in force before (as JSON) and after a change. */
export const keptWindows = (before: unknown, after: ReadonlyArray<Budget>): string => {
  const old = typeof before === "string" ? (JSON.parse(before) as ReadonlyArray<Budget>) : []
  const had = new Set(old.map(windowName))
  return JSON.stringify(after.map(windowName).filter((name) => had.has(name)))
}

/** What `putTeam` and `putPersonalKeys` write of a team that exists. */
export const PUT_TEAM = "limits = excluded.limits, budgets = excluded.budgets, rules = excluded.rules"
export const PUT_PERSONAL_KEYS = "personal_keys = excluded.personal_keys"

/** A team as the values of its columns. */
export const teamRow = ({ budgets, limits, name, personalKeys, rules, updatedAt }: TeamRecord) => ({
  name,
  limits: JSON.stringify(limits),
  budgets: JSON.stringify(budgets),
  rules: JSON.stringify(rules ?? null),
  // Lists of keys look at how it begins.
  personal_keys: JSON.stringify(personalKeys === undefined ? null : { ...enabledFirst, ...personalKeys }),
  updated_at: updatedAt
})

/** A team in a list. A team that only keys name has nothing but its name. */
export type ListedTeamRow = { readonly [Column in keyof TeamRow]: TeamRow[Column] | null } & {
  readonly name: string
  readonly keys: number
}

export const listedTeam = (row: ListedTeamRow): Effect.Effect<TeamWithKeys, StoreUnavailable> => {
  const { budgets, keys, limits, name, personal_keys, rules, updated_at } = row
  return limits === null || budgets === null || rules === null || personal_keys === null || updated_at === null
    ? Effect.succeed({ team: unconfiguredTeam(name), keys })
    : Effect.map(teamFromRow({ name, limits, budgets, rules, personal_keys, updated_at }), (team) => ({ team, keys }))
}

const rulesOf = (rules: NonNullable<typeof Rules.Type>): ScopeRules => ({
  ...rules,
  modelRules: rules.modelRules.map(ruleOf),
  perEndUser: rules.perEndUser && templateOf(rules.perEndUser),
  perSession: rules.perSession && templateOf(rules.perSession)
})

const templateOf = (template: NonNullable<typeof Template.Type>) => ({
  ...template,
  limits: limitsOf(template.limits),
  modelRules: template.modelRules.map(ruleOf)
})

const ruleOf = (rule: (typeof ModelRules.Type)[number]) => ({ ...rule, limits: limitsOf(rule.limits) })

const EndUserBody = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.NullOr(Schema.String),
    limits: Schema.NullOr(Limits),
    budgets: Schema.NullOr(Budgets),
    modelRules: Schema.NullOr(ModelRules),
    blocked: Schema.Boolean,
    metadata: Schema.Unknown
  })
)

export interface EndUserRow {
  readonly owner: string
  readonly id: string
  readonly body: string
  readonly updated_at: number
}

export const endUserRow = ({ id, owner, updatedAt, ...body }: EndUserRecord) => ({
  scope: endUserScope(owner, id),
  owner,
  id,
  body: JSON.stringify(body),
  updated_at: updatedAt,
  search: `${id}\n${body.name ?? ""}`.toLowerCase()
})

export const endUserFromRow = ({
  body,
  id,
  owner,
  updated_at
}: EndUserRow): Effect.Effect<EndUserRecord, StoreUnavailable> =>
  Schema.decodeEffect(EndUserBody)(body).pipe(
    Effect.map((decoded): EndUserRecord => ({
      ...decoded,
      owner,
      id,
      limits: decoded.limits && limitsOf(decoded.limits),
      modelRules: decoded.modelRules && decoded.modelRules.map(ruleOf),
      metadata: decoded.metadata as EndUserRecord["metadata"],
      updatedAt: updated_at
    })),
    Effect.mapError(() => damaged(`end user ${id}`))
  )

const limitsOf = ({ maxParallel, rpm, tpm }: typeof Limits.Type) => ({ rpm, tpm, maxParallel })

const damaged = (what: string) =>
  new StoreUnavailable({ message: `The store is damaged: ${what} can't be read. Restore it from a backup.` })
