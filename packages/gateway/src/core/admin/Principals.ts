/** Credentials of people and programs as principals, read from the store at each request: a changed role is in force at once. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { hashOf, isSame, randomBase62 } from "../keys/Credential.ts"
import type { Principal, Roles } from "../domain/Principal.ts"
import { MachineSignIns } from "./MachineSignIns.ts"
import { SignIns } from "./SignIns.ts"
import { IdentityRepository, rolesOf, type ServiceTokenRecord } from "./IdentityRepository.ts"

const SHAPE = /^mgwa_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}$/

/** The last use is noted this often at most. */
const NOTE_EVERY_MS = 60_000

export const looksLikeServiceToken = (text: string): boolean => text.startsWith("mgwa_")

export const newServiceToken = () => {
  const id = randomBase62(12)
  const secret = `mgwa_${id}_${randomBase62(43)}`
  return { id: `tok_${id}`, secret, hash: hashOf(secret) }
}

export class Principals extends Context.Service<
  Principals,
  {
    /** None: no such token, or it has expired. */
    readonly ofToken: (secret: string, address: string) => Effect.Effect<Option.Option<Principal>, StoreUnavailable>
    /** None: no such person, or a disabled one. */
    readonly ofPerson: (
      id: string,
      session: string | null,
      address: string
    ) => Effect.Effect<Option.Option<Principal>, StoreUnavailable>
    /** None: no such access token, or it has expired, or the person may not sign in. */
    readonly ofMachine: (secret: string, address: string) => Effect.Effect<Option.Option<Principal>, StoreUnavailable>
    /** Whether the credential still stands for the same roles. */
    readonly isUnchanged: (principal: Principal) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("gateway/core/Principals") {
  static readonly layer = Layer.effect(
    Principals,
    Effect.gen(function* () {
      const repository = yield* IdentityRepository
      const signIns = yield* SignIns
      const machines = yield* MachineSignIns

      const tokenRoles = Effect.fnUntraced(function* (found: Option.Option<ServiceTokenRecord>) {
        const now = yield* Clock.currentTimeMillis
        return Option.map(
          Option.filter(found, ({ expiresAt }) => now < expiresAt),
          ({ role, team }) => rolesOf([{ team, role, source: "manual" }])
        )
      })

      const personRoles = Effect.fnUntraced(function* (id: string) {
        const person = Option.filter(yield* repository.person(id), ({ status }) => status === "active")
        if (Option.isNone(person)) return Option.none<Roles>()
        return Option.map(yield* signIns.current(person.value), ({ assignments }) => rolesOf(assignments))
      })

      const ofToken = Effect.fnUntraced(function* (secret: string, address: string) {
        const id = `tok_${SHAPE.exec(secret)?.[1] ?? ""}`
        const stored = Option.filter(yield* repository.token(id), ({ hash }) => isSame(hash, hashOf(secret)))
        const roles = yield* tokenRoles(stored)
        if (Option.isNone(roles) || Option.isNone(stored)) return Option.none<Principal>()
        const now = yield* Clock.currentTimeMillis
        if (now - (stored.value.lastUsedAt ?? 0) >= NOTE_EVERY_MS) yield* Effect.ignore(repository.touchToken(id, now))
        const actor = { kind: "service_token", id, address } as const
        return Option.some<Principal>({ ...roles.value, actor, user: null, session: null })
      })

      const ofPerson = Effect.fnUntraced(function* (id: string, session: string | null, address: string) {
        return Option.map(yield* personRoles(id), (roles): Principal => {
          return { ...roles, actor: { kind: "user", id, address }, user: id, session }
        })
      })

      const ofMachine = Effect.fnUntraced(function* (secret: string, address: string) {
        const found = yield* machines.ofAccess(secret)
        return Option.isNone(found) ? Option.none() : yield* ofPerson(found.value.person, null, address)
      })

      const isUnchanged = Effect.fnUntraced(function* ({ actor, user, ...before }: Principal) {
        if (user === null && actor.kind !== "service_token") return true
        const roles = user === null ? yield* tokenRoles(yield* repository.token(actor.id)) : yield* personRoles(user)
        return Option.exists(roles, (now) => textOf(now) === textOf(before))
      })

      return { ofToken, ofPerson, ofMachine, isUnchanged }
    })
  )
}

const textOf = ({ role, teams }: Roles): string => JSON.stringify([role, [...teams].sort()])
