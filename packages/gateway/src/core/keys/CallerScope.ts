/** What a request is held against beyond its key and team: an end user, a session, a person, and rules for some models. */
import { hash } from "node:crypto"
import { matchesGlob } from "../collections/Glob.ts"
import type { Budget, Limits, ModelRule, ScopeTemplate } from "../domain/Budget.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { type LimitScope, TooManyScopes } from "../domain/Errors.ts"
import type { EndUserRecord } from "./EndUserRepository.ts"
import type { KeyRecord, TeamRecord } from "./KeyRepository.ts"
import { policyOf } from "./PersonalKeys.ts"

/** The name of a scope begins with its kind and a colon. */
export type ScopeKind = LimitScope | "rule" | "client"

export interface CallerScope {
  readonly kind: ScopeKind
  /** What follows the colon in its name. */
  readonly id: string
  /** Made once for a request, since every map of the ledger looks it up. */
  readonly name: string
  /** What an error calls it. Of a rule: the scope that the rule is in. */
  readonly scope: LimitScope
  readonly subject: string
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  /** Of a rule: its models. */
  readonly match?: ReadonlyArray<string> | undefined
}

/** Scopes of one request, its key and team included. */
export const MOST_SCOPES = 64

export const scopeName = ({ id, kind }: Pick<CallerScope, "kind" | "id">): string => `${kind}:${id}`

/** What errors say of a scope. */
export const namedIn = ({ match, scope, subject }: Pick<CallerScope, "scope" | "subject" | "match">) => ({
  scope,
  subject,
  ...(match === undefined ? {} : { models: match })
})

/** Whether a request to the deployment counts under the scope. */
export const covers = ({ match }: CallerScope, { model, provider }: Pick<Deployment, "model" | "provider">): boolean =>
  match === undefined ||
  match.some((pattern) => matchesGlob(pattern, model) || matchesGlob(pattern, `${provider}/${model}`))

/** Who tells end users apart: a team, or a key without one. Two owners' users of one id are two users. */
export const ownerOf = ({ id, team }: Pick<KeyRecord, "id" | "team">): string =>
  team === null ? `key:${id}` : `team:${team}`

export const endUserScope = (owner: string, id: string): string => `end_user:${endUserId(owner, id)}`

export const memberScope = (team: string, person: string): string => `member:${memberId(team, person)}`

const memberId = (team: string, person: string): string => `${encodeURIComponent(team)}/${encodeURIComponent(person)}`

const endUserId = (owner: string, id: string): string => `${encodeURIComponent(owner)}/${encodeURIComponent(id)}`

/** The id of the end user, session or person in the name of its scope. */
export const idInScope = (scope: string): string => decodeURIComponent(scope.slice(scope.indexOf("/") + 1))

export interface ResolvedNames {
  readonly key: KeyRecord
  readonly team: TeamRecord | undefined
  readonly endUser: string | undefined
  readonly record: EndUserRecord | undefined
  readonly session: string | undefined
  readonly client: string | undefined
}

/** All scopes beyond key and team. The template of an end user or session is that of its key, else of the team. */
export const scopesFor = ({
  client,
  endUser,
  key,
  record,
  session,
  team
}: ResolvedNames): ReadonlyArray<CallerScope> | TooManyScopes => {
  const found: Array<CallerScope> = []
  addRules(found, { kind: "key", id: key.id, scope: "key", subject: key.id }, key.rules?.modelRules)
  if (team !== undefined)
    addRules(found, { kind: "team", id: team.name, scope: "team", subject: team.name }, team.rules?.modelRules)
  if (endUser !== undefined) {
    const template = key.rules?.perEndUser ?? team?.rules?.perEndUser ?? NO_TEMPLATE
    const of = { kind: "end_user", id: endUserId(ownerOf(key), endUser), scope: "end_user", subject: endUser } as const
    add(found, of, record?.limits ?? template.limits, record?.budgets ?? template.budgets)
    addRules(found, of, record?.modelRules ?? template.modelRules)
  }
  if (session !== undefined) {
    const template = key.rules?.perSession ?? team?.rules?.perSession ?? NO_TEMPLATE
    const id = `${key.id}/${encodeURIComponent(session)}`
    const of = { kind: "session", id, scope: "session", subject: session } as const
    add(found, of, template.limits, template.budgets)
    addRules(found, of, template.modelRules)
  }
  // It has no limits: its spend is summed up.
  if (client !== undefined) {
    add(found, { kind: "client", id: `${key.id}/${client}`, scope: "key", subject: key.id }, NO_LIMITS, [])
  }
  const policy = policyOf(key, team)
  const person = key.holder?.owner
  if (policy !== undefined && team !== undefined && typeof person === "string") {
    const of = { kind: "member", id: memberId(team.name, person), scope: "member", subject: person } as const
    add(found, of, policy.limits, policy.budgets)
  }
  const all = found.length + (team === undefined ? 1 : 2)
  return all > MOST_SCOPES ? new TooManyScopes({ scopes: all, most: MOST_SCOPES }) : found
}

type Named = Pick<CallerScope, "kind" | "id" | "scope" | "subject">

const add = (found: Array<CallerScope>, of: Named, limits: Limits, budgets: ReadonlyArray<Budget>): void => {
  found.push({ ...of, name: scopeName(of), limits, budgets })
}

/** The name of a rule's scope follows from its models: a rule for other models has spent nothing yet. */
const addRules = (found: Array<CallerScope>, of: Named, rules: ReadonlyArray<ModelRule> | undefined): void => {
  if (rules === undefined) return
  for (const { budgets, limits, match } of rules) {
    const id = `${ruleId(match)}/${scopeName(of)}`
    found.push({ ...of, kind: "rule", id, name: `rule:${id}`, limits, budgets, match })
  }
}

const ids = new WeakMap<ReadonlyArray<string>, string>()

const ruleId = (match: ReadonlyArray<string>): string => {
  const known = ids.get(match)
  if (known !== undefined) return known
  const id = hash("sha256", JSON.stringify([...match].sort()), "hex").slice(0, 16)
  ids.set(match, id)
  return id
}

const NO_LIMITS: Limits = { rpm: undefined, tpm: undefined, maxParallel: undefined }
const NO_TEMPLATE: ScopeTemplate = { limits: NO_LIMITS, budgets: [], modelRules: [] }
