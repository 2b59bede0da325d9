/** `/admin/keys`. */
import {
  CreateKey,
  CreateMyKey,
  type Key,
  ownKeyFields,
  RotateKey,
  ServedApi,
  UpdateKey
} from "@model-gateway/protocol"
import { Clock, Effect, Option, Semaphore } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { type Issued, KeyStore } from "../../core/keys/KeyStore.ts"
import { Idempotency } from "../../core/kept/Idempotency.ts"
import { SpendLedger } from "../../core/ledger/SpendLedger.ts"
import { ResponseStore } from "../../core/responses/ResponseStore.ts"
import type { KeyRecord, TeamRecord } from "../../core/keys/KeyRepository.ts"
import { checkPolicy } from "../../core/keys/PersonalKeys.ts"
import { freshKey } from "../../core/keys/NewKey.ts"
import { Router } from "../../core/routing/Router.ts"
import { NotFound, NotPermitted, OutsideTeamPolicy } from "../../core/domain/Errors.ts"
import { CurrentPrincipal, seesKey, seesTeam } from "../../core/domain/Principal.ts"
import { nearestNames } from "../../core/collections/NearestNames.ts"
import { answering } from "../shared/Answer.ts"
import { hasRules } from "../records/ScopeRecords.ts"
import { keySettings, toChange, toNewKey, wireKey } from "../records/KeyRecords.ts"
import { type AuditAction, noteOf } from "./access/Audited.ts"
import { Nodes } from "../../core/admin/Nodes.ts"
import { refuseOlder } from "./OlderNodes.ts"
import { pageIn, pageOf, type QueryOf, timeIn } from "./AdminPages.ts"
import { withBody } from "./AdminRequestBody.ts"

export const keyHandlers = HttpApiBuilder.group(
  ServedApi,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* KeyStore
    const router = yield* Router
    const ledger = yield* SpendLedger
    const nodes = yield* Nodes
    const responses = yield* ResponseStore
    const repeats = yield* Idempotency
    // A patch applies to the current record, so two patches must not start from the same one.
    const patching = yield* Semaphore.make(1)

    const knownTeam = (name: string) => Effect.catchTag(keys.team(name), "NotFound", () => Effect.undefined)
    const teamOf = ({ team }: KeyRecord) => (team === null ? Effect.undefined : knownTeam(team))

    const shown = Effect.fnUntraced(function* (key: KeyRecord) {
      const team = yield* teamOf(key)
      const budgets = yield* ledger.budgets(`key:${key.id}`, key.budgets)
      return wireKey({ key, team }, budgets, yield* Clock.currentTimeMillis)
    })

    /** Where teams have budgets, a key of any other team is held against none. */
    const unknownTeam = Effect.fnUntraced(function* (name: string) {
      if ((yield* knownTeam(name)) !== undefined) return []
      const others = yield* nearestTeams(keys, name.toLowerCase())
      if (others === undefined) return []
      return [`team: \`${name}\` has no limits or budgets, so none hold for this key${orMeant(others)}`]
    })

    /** Warns of unknown names instead of refusing them: keys may precede their models and teams. `said`: the given fields. */
    const warned = Effect.fnUntraced(function* <K extends Key>(key: K, said: Pick<UpdateKey, "models" | "team">) {
      const strangers = said.models === undefined ? [] : router.strangers(key.models)
      const warnings = [
        ...(said.team === undefined || key.team === null ? [] : yield* unknownTeam(key.team)),
        ...strangers.map(({ model, nearest }) => `models: \`${model}\` stands for nothing here${orMeant(nearest)}`)
      ]
      return warnings.length === 0 ? key : { ...key, warnings }
    })

    const withSecret = ({ record, secret }: Issued) => Effect.map(shown(record), (key) => ({ ...key, key: secret }))

    /** A key that this call may see: another is not there. */
    const seen = Effect.fnUntraced(function* (id: string) {
      const key = yield* keys.get(id)
      const { visibility } = yield* CurrentPrincipal
      return seesKey(visibility, id, key.team) ? key : yield* new NotFound({ what: "key", id })
    })

    /** Where a key is put or moved: only administrators reach all teams, and keys without one. */
    const checkTeam = Effect.fnUntraced(function* (action: string, team: string | null | undefined) {
      const { visibility } = yield* CurrentPrincipal
      if (visibility === "all" || (action === "keys.create" && seesTeam(visibility, team ?? null))) return
      const has = visibility.teams.map((name) => `team admin in "${name}"`).join(", ")
      const where = (team ?? null) === null ? "for a key without a team" : `for team "${team}"`
      return yield* new NotPermitted({ action, needs: `the role admin ${where}`, has })
    })

    const list = Effect.fnUntraced(function* (query: QueryOf<"listKeys"> & QueryOf<"listMyKeys">) {
      const page = yield* keys.list({
        visibility: (yield* CurrentPrincipal).visibility,
        ...pageIn(query),
        team: query.team,
        status: query.status,
        owner: query.owner,
        unusedSince: timeIn(query.unused_since),
        expiresBefore: timeIn(query.expires_before)
      })
      // Budgets that are not in memory yet are read from the store in one commit.
      const data = yield* Effect.forEach(page.keys, shown, { concurrency: "unbounded" })
      return pageOf(data, page.hasMore, ({ id }) => id)
    })

    const patch = Effect.fnUntraced(function* (id: string, change: UpdateKey) {
      if (hasRules(change) || change.allow_from !== undefined) yield* refuseOlder(nodes)
      const before = yield* seen(id)
      if (change.team !== undefined) yield* checkTeam("keys.update", change.team)
      const team = yield* teamOf(before)
      const wanted = yield* toChange(change, before, yield* Clock.currentTimeMillis)
      if (before.holder?.kind === "personal") {
        yield* checkFields(change, before)
        if (isBounded(change)) yield* checkPolicy(before.team ?? "", team?.personalKeys, { ...before, ...wanted })
      }
      const after = yield* shown(yield* keys.update(id, wanted, yield* note("keys.update", team)))
      return yield* warned(after, change)
    }, Semaphore.withPermit(patching))

    /** What a personal key is stays as it is; its person may change what a new one may be given, and no more. */
    const checkFields = Effect.fnUntraced(function* (change: UpdateKey, { holder, id, team }: KeyRecord) {
      const { user, visibility } = yield* CurrentPrincipal
      if (change.team !== undefined && change.team !== team) {
        const message = `${id} is a personal key and stays in team "${team}": create one in the other team.`
        return yield* new OutsideTeamPolicy({ param: "team", message })
      }
      const isOwn = holder?.owner === user && !seesTeam(visibility, team)
      const param = isOwn ? Object.keys(change).find((name) => !ownKeyFields.has(name) && name !== "team") : undefined
      if (param === undefined) return
      const message = `${param} of a personal key is set by admins of team "${team}".`
      return yield* new OutsideTeamPolicy({ param, message })
    })

    const createMine = Effect.fnUntraced(function* (body: CreateMyKey) {
      const { actor, teams, user } = yield* CurrentPrincipal
      if (user === null) {
        const needs = "a person who signed in: nobody can make a key for somebody else"
        return yield* new NotPermitted({ action: "me.create_key", needs, has: `the ${actor.kind.replace("_", " ")}` })
      }
      if (!teams.has(body.team)) {
        return yield* new NotFound({ what: "team", id: body.team, hint: "You have no role in a team of this name." })
      }
      yield* refuseOlder(nodes)
      const team = yield* knownTeam(body.team)
      const now = yield* Clock.currentTimeMillis
      const holder = { kind: "personal", owner: user, rule: null, subject: null, createdBy: user } as const
      const key = { ...(yield* toNewKey(body, now)), holder }
      yield* checkPolicy(body.team, team?.personalKeys, freshKey("", now, key))
      const most = team?.personalKeys?.maxKeys ?? 0
      const issued = yield* keys.createPersonal(key, most, yield* note("keys.create", team))
      if (Option.isSome(issued)) {
        const made = yield* warned(yield* withSecret(issued.value), body)
        return HttpServerResponse.jsonUnsafe(made, { status: 201 })
      }
      const message = `Team "${body.team}" allows ${most} personal keys per member, and you have as many. Revoke one first.`
      return yield* new OutsideTeamPolicy({ param: "team", message })
    })

    /** What was stored for it goes with it. A repeated call does what an earlier one could not finish. */
    const revoke = Effect.fnUntraced(function* (id: string) {
      const key = yield* seen(id)
      const record = yield* keys.revoke(id, yield* note("keys.revoke", yield* teamOf(key)))
      yield* responses.erase(id)
      yield* repeats.erase(id)
      return yield* shown(record)
    })

    const rotate = Effect.fnUntraced(function* (id: string, graceSeconds: number) {
      const key = yield* seen(id)
      const { holder } = key
      const team = yield* teamOf(key)
      const { user } = yield* CurrentPrincipal
      if (holder?.kind === "personal" && holder.owner !== user) {
        const needs = "the person whose key it is: nobody else may have its secret"
        return yield* new NotPermitted({ action: "keys.rotate", needs, has: "the right to revoke it" })
      }
      return yield* withSecret(yield* keys.rotate(id, graceSeconds, yield* note("keys.rotate", team)))
    })

    const create = Effect.fnUntraced(function* (body: CreateKey) {
      yield* checkTeam("keys.create", body.team)
      if (hasRules(body) || (body.allow_from ?? []).length > 0) yield* refuseOlder(nodes)
      const { actor } = yield* CurrentPrincipal
      const isNamed = actor.kind === "user" || actor.kind === "service_token"
      const holder = { kind: "service", owner: null, rule: null, subject: null, createdBy: actor.id } as const
      const made = yield* toNewKey(body, yield* Clock.currentTimeMillis)
      const key = isNamed ? { ...made, holder } : made
      return yield* warned(yield* withSecret(yield* keys.create(key, yield* note("keys.create"))), body)
    })

    return handlers
      .handleRaw("createKey", withBody(CreateKey, create))
      .handle("listKeys", ({ query }) => answering(list(query)))
      .handle("getKey", ({ params }) => answering(Effect.flatMap(seen(params.id), shown)))
      .handleRaw(
        "updateKey",
        withBody(UpdateKey, (change, { params }) => patch(params.id, change))
      )
      .handle("revokeKey", ({ params }) => answering(revoke(params.id)))
      .handleRaw(
        "rotateKey",
        withBody(RotateKey, ({ grace_seconds = 0 }, { params }) => rotate(params.id, grace_seconds), { optional: true })
      )
      .handle("listMyKeys", ({ query }) => answering(list(query)))
      .handleRaw("createMyKey", withBody(CreateMyKey, createMine))
  })
)

/** Teams with limits or budgets, of which names are suggested. */
const MOST_TEAMS = 10_000
const TEAMS_AT_ONCE = 500

/** At most three of their names, closest first; undefined: there is no such team. */
const nearestTeams = Effect.fnUntraced(function* (keys: KeyStore["Service"], name: string) {
  let nearest: ReadonlyArray<string> | undefined
  let read = 0
  let after: string | undefined
  do {
    const { hasMore, teams } = yield* keys.teams({
      visibility: (yield* CurrentPrincipal).visibility,
      limit: TEAMS_AT_ONCE,
      after,
      search: undefined
    })
    const names = teams.flatMap(({ team }) => (team.updatedAt === null ? [] : [team.name]))
    if (names.length > 0) nearest = nearestNames(name, [...(nearest ?? []), ...names])
    read += names.length
    after = hasMore ? teams.at(-1)?.team.name : undefined
    // Thousands of names take a while to compare: other requests are served in between.
    yield* Effect.yieldNow
  } while (after !== undefined && read < MOST_TEAMS)
  return nearest
})

const orMeant = (nearest: ReadonlyArray<string>): string =>
  nearest.length === 0 ? "." : `. Did you mean ${nearest.map((name) => `\`${name}\``).join(", ")}?`

/** Whether a change concerns what teams bound for personal keys. */
const isBounded = ({ budget_usd, budgets, expires_at, limits, models }: UpdateKey): boolean =>
  [budget_usd, budgets, expires_at, limits, models].some((field) => field !== undefined)

const note = Effect.fnUntraced(function* (action: AuditAction, team?: TeamRecord) {
  const now = yield* Clock.currentTimeMillis
  return yield* noteOf(
    action,
    ({ id }: KeyRecord) => id,
    (key) => keySettings({ key, team }, now)
  )
})
