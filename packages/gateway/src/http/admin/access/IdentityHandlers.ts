/** `/admin/me`, `/admin/users`, the members of teams, and `/admin/tokens`. */
import {
  CreateServiceToken,
  type Me,
  PutMember,
  ServedApi,
  type ServiceToken,
  UpdateUser,
  type User
} from "@model-gateway/protocol"
import { Clock, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AdminSessions } from "../../../core/admin/AdminSessions.ts"
import {
  IdentityRepository,
  type Person,
  rolesOf,
  type ServiceTokenRecord
} from "../../../core/admin/IdentityRepository.ts"
import { newServiceToken } from "../../../core/admin/Principals.ts"
import { InvalidField, NotFound, NotPermitted } from "../../../core/domain/Errors.ts"
import { CurrentPrincipal, type GlobalRole, seesTeam, type TeamRole } from "../../../core/domain/Principal.ts"
import { memberScope } from "../../../core/keys/CallerScope.ts"
import { KeyStore } from "../../../core/keys/KeyStore.ts"
import { Idempotency } from "../../../core/kept/Idempotency.ts"
import { ResponseStore } from "../../../core/responses/ResponseStore.ts"
import { SpendLedger } from "../../../core/ledger/SpendLedger.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { wireBudget } from "../../records/Limits.ts"
import { wirePersonalKeys } from "../../records/PolicyRecords.ts"
import { answering } from "../../shared/Answer.ts"
import { listOf, pageIn, pageOf, type QueryOf } from "../AdminPages.ts"
import { withBody } from "../AdminRequestBody.ts"
import { entryOf } from "./Audited.ts"

const YEAR_MS = 366 * 24 * 3_600_000

const meKinds = ["master_key", "user", "service_token"] as const

export const meHandlers = HttpApiBuilder.group(
  ServedApi,
  "me",
  Effect.fnUntraced(function* (handlers) {
    const repository = yield* IdentityRepository
    const keys = yield* KeyStore
    const ledger = yield* SpendLedger

    /** What the person may use in a team, and has used. */
    const ownIn = Effect.fnUntraced(function* (team: string, person: string) {
      const record = yield* Effect.catchTag(keys.team(team), "NotFound", () => Effect.undefined)
      const policy = record?.personalKeys
      if (policy?.enabled !== true) return {}
      const budgets = yield* ledger.budgets(memberScope(team, person), policy.budgets)
      return { personal_keys: wirePersonalKeys(policy), budgets: budgets.map(wireBudget) }
    })

    const me = Effect.gen(function* () {
      const { actor, role, teams, user } = yield* CurrentPrincipal
      const person = user === null ? Option.none() : yield* repository.person(user)
      const names = yield* repository.names([actor.id])
      const body: Me = {
        object: "me",
        kind: meKinds.find((kind) => kind === actor.kind) ?? "session",
        id: actor.id,
        name: Option.match(person, { onNone: () => names.get(actor.id) ?? null, onSome: ({ name }) => name }),
        email: Option.match(person, { onNone: () => null, onSome: ({ email }) => email }),
        role,
        teams: yield* Effect.forEach(teams, ([team, its]) =>
          Effect.map(user === null ? Effect.succeed({}) : ownIn(team, user), (own) => ({ team, role: its, ...own }))
        )
      }
      return body
    })
    return handlers.handle("getMe", () => answering(me))
  })
)

export const userHandlers = HttpApiBuilder.group(
  ServedApi,
  "users",
  Effect.fnUntraced(function* (handlers) {
    const repository = yield* IdentityRepository
    const sessions = yield* AdminSessions
    const keys = yield* KeyStore
    const responses = yield* ResponseStore
    const repeats = yield* Idempotency
    const find = yield* findPerson

    const list = Effect.fnUntraced(function* (query: QueryOf<"listUsers">) {
      const { visibility } = yield* CurrentPrincipal
      const { hasMore, people } = yield* repository.people({ visibility, ...pageIn(query), team: query.team })
      return pageOf(yield* Effect.forEach(people, shown), hasMore, ({ id }) => id)
    })

    const update = Effect.fnUntraced(function* (id: string, change: UpdateUser) {
      const before = yield* find(id)
      if (before.status === "erased") {
        return yield* new InvalidField({ param: "user", message: `The person ${id} was erased: nothing can change.` })
      }
      const entry = yield* entryOf("users.update")
      const was = { status: before.status, role: manualRole(before, "") }
      const { role = was.role, status = was.status } = change
      const note = entry(id, was, { role, status })
      if (status !== was.status)
        yield* keys.follow(repository.setStatus(id, status, role === was.role ? note : undefined))
      if (role !== was.role) yield* keys.follow(repository.assign(id, "", role, note))
      return yield* Effect.flatMap(find(id), shown)
    })

    const erase = Effect.fnUntraced(function* (id: string) {
      const before = yield* find(id)
      const entry = yield* entryOf("users.erase")
      if (before.status !== "erased") {
        yield* keys.follow(repository.erase(id, entry(id, { status: before.status }, { status: "erased" })))
      }
      for (const key of yield* keys.owned(id)) yield* Effect.andThen(responses.erase(key), repeats.erase(key))
      return yield* Effect.flatMap(find(id), shown)
    })

    const signOut = Effect.fnUntraced(function* (id: string) {
      yield* find(id)
      const entry = yield* entryOf("users.sign_out")
      const machines = yield* repository.removeSignIns(id)
      const browsers = yield* sessions.endAll((open) => entry(id, { open: open + machines }, { open: 0 }), id)
      const ended = browsers + machines
      return { object: "sessions_ended" as const, ended }
    })

    return handlers
      .handle("listUsers", ({ query }) => answering(list(query)))
      .handle("getUser", ({ params }) => answering(Effect.flatMap(find(params.user), shown)))
      .handleRaw(
        "updateUser",
        withBody(UpdateUser, (change, { params }) => update(params.user, change))
      )
      .handle("eraseUser", ({ params }) => answering(erase(params.user)))
      .handle("signOutUser", ({ params }) => answering(signOut(params.user)))
  })
)

export const memberHandlers = HttpApiBuilder.group(
  ServedApi,
  "members",
  Effect.fnUntraced(function* (handlers) {
    const repository = yield* IdentityRepository
    const keys = yield* KeyStore

    /** A team that nobody made, and no key names, has no members. */
    const checkTeam = Effect.fnUntraced(function* (team: string) {
      const { visibility } = yield* CurrentPrincipal
      if (!seesTeam(visibility, team)) return yield* new NotFound({ what: "team", id: team })
      if ((yield* keys.keysOf(team)) === 0) yield* keys.team(team)
    })

    const list = Effect.fnUntraced(function* (team: string) {
      yield* checkTeam(team)
      const visibility = { teams: [team], owner: null }
      const { people } = yield* repository.people({ visibility, team, ...pageIn({ limit: MOST_MEMBERS }) })
      return listOf(yield* Effect.forEach(people, shown))
    })

    const assign = Effect.fnUntraced(function* (team: string, id: string, role: TeamRole | null) {
      yield* checkTeam(team)
      const person = Option.getOrUndefined(yield* repository.person(id))
      const before = person && manualRole(person, team)
      if (person === undefined || person.status === "erased" || (role === null && before === null)) {
        const hint = role === null ? "Roles of an identity provider change there." : "People exist once they sign in."
        return yield* new NotFound({ what: role === null ? "role given by hand for" : "person", id, hint })
      }
      const entry = yield* entryOf(role === null ? "members.delete" : "members.put")
      if (role !== before) {
        yield* keys.follow(repository.assign(id, team, role, entry(id, { team, role: before }, role && { team, role })))
      }
      const after = yield* repository.person(id)
      return yield* shown(Option.getOrElse(after, () => person))
    })

    return handlers
      .handle("listMembers", ({ params }) => answering(list(params.team)))
      .handleRaw(
        "putMember",
        withBody(PutMember, ({ role }, { params }) => assign(params.team, params.user, role))
      )
      .handle("deleteMember", ({ params }) => answering(assign(params.team, params.user, null)))
  })
)

export const tokenHandlers = HttpApiBuilder.group(
  ServedApi,
  "tokens",
  Effect.fnUntraced(function* (handlers) {
    const repository = yield* IdentityRepository

    const create = Effect.fnUntraced(function* (body: typeof CreateServiceToken.Type) {
      const { actor, user, visibility } = yield* CurrentPrincipal
      const team = body.team ?? ""
      if (!seesTeam(visibility, team)) {
        const needs = team === "" ? "the role admin for a token of the whole gateway" : `the role admin in "${team}"`
        const has = visibility === "all" ? "" : visibility.teams.map((name) => `team admin in "${name}"`).join(", ")
        return yield* new NotPermitted({ action: "tokens.create", needs, has })
      }
      const now = yield* Clock.currentTimeMillis
      const expiresAt = Date.parse(body.expires_at)
      if (expiresAt <= now || expiresAt > now + YEAR_MS) {
        const message = `\`expires_at\` must be after now and at most a year away, got ${body.expires_at}`
        return yield* new InvalidField({ param: "expires_at", message })
      }
      const { hash, id, secret } = newServiceToken()
      const createdBy = user ?? actor.kind
      const { name, role } = body
      const made = { id, hash, name, role, team, createdBy, createdAt: now, expiresAt, lastUsedAt: null }
      const entry = yield* entryOf("tokens.create")
      yield* repository.addToken(made, entry(id, null, wireToken(made)))
      return HttpServerResponse.jsonUnsafe({ ...wireToken(made), token: secret }, { status: 201 })
    })

    const revoke = Effect.fnUntraced(function* (id: string) {
      const { visibility } = yield* CurrentPrincipal
      const found = Option.filter(yield* repository.token(id), ({ team }) => seesTeam(visibility, team))
      if (Option.isNone(found)) return yield* new NotFound({ what: "service token", id })
      const shownBefore = wireToken(found.value)
      const entry = yield* entryOf("tokens.revoke")
      yield* repository.removeToken(id, entry(id, shownBefore, null))
      return shownBefore
    })

    const list = Effect.gen(function* () {
      const all = yield* repository.tokens((yield* CurrentPrincipal).visibility)
      return listOf(all.map(wireToken))
    })

    return handlers
      .handle("listTokens", () => answering(list))
      .handleRaw("createToken", withBody(CreateServiceToken, create))
      .handle("revokeToken", ({ params }) => answering(revoke(params.token)))
  })
)

/** People of one team in a list. */
const MOST_MEMBERS = 1000

/** A person that this call may see: somebody in one of its teams, or the principal. */
const findPerson = Effect.map(IdentityRepository, (repository) =>
  Effect.fnUntraced(function* (id: string) {
    const { visibility } = yield* CurrentPrincipal
    const found = Option.filter(
      yield* repository.person(id),
      ({ assignments }) =>
        visibility === "all" || visibility.owner === id || assignments.some(({ team }) => seesTeam(visibility, team))
    )
    return yield* Effect.mapError(Effect.fromOption(found), () => new NotFound({ what: "person", id }))
  })
)

const manualRole = <R extends GlobalRole | TeamRole>({ assignments }: Person, team: string): R | null =>
  (assignments.find((one) => one.team === team && one.source === "manual")?.role as R | undefined) ?? null

/** Who sees only some teams is told of no role in others. */
const shown = Effect.fnUntraced(function* (person: Person) {
  const { visibility } = yield* CurrentPrincipal
  const told = person.assignments.filter(({ team }) => seesTeam(visibility, team === "" ? null : team))
  const body: User = {
    object: "user",
    id: person.id,
    name: person.name,
    email: person.email,
    provider: person.provider,
    status: person.status,
    role: rolesOf(told).role,
    roles: told.map(({ role, source, team }) => ({ team: team === "" ? null : team, role, source })),
    created_at: rfc3339(person.createdAt),
    last_seen_at: rfc3339(person.lastSeenAt)
  }
  return body
})

const wireToken = (token: ServiceTokenRecord): ServiceToken => ({
  object: "service_token",
  id: token.id,
  name: token.name,
  role: token.role,
  team: token.team === "" ? null : token.team,
  created_by: token.createdBy,
  created_at: rfc3339(token.createdAt),
  expires_at: rfc3339(token.expiresAt),
  last_used_at: token.lastUsedAt === null ? null : rfc3339(token.lastUsedAt)
})
