/** People who come from an identity provider: their first and later sign-ins, and whether the provider still stands by them. */
import { Metrics } from "@model-gateway/protocol"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { Telemetry } from "../domain/Telemetry.ts"
import type { IdentityProviderSettings, IdentitySettings } from "../domain/Settings.ts"
import { randomBase62 } from "../keys/Credential.ts"
import { KeyStore } from "../keys/KeyStore.ts"
import { IdentityProviders, type SignedIn, SignInFailed } from "./IdentityProviders.ts"
import { type Assignment, IdentityRepository, type Person } from "./IdentityRepository.ts"
import { mapRoles } from "./RoleMapping.ts"
import { sealingWith } from "./Sealing.ts"
import { SessionRepository } from "./SessionRepository.ts"

/** Without a refresh token a person's keys work for this long after a sign-in. */
const SIGNED_IN_MS = 30 * 24 * 3_600_000

/** One gateway at a time calls the provider for a person: some providers end a sign-in whose refresh token comes twice. */
const CLAIMED_MS = 30_000

export class SignIns extends Context.Service<
  SignIns,
  {
    /** Writes the person with the roles of the claims: its id. Without a role there is no sign-in. */
    readonly accept: (provider: string, found: SignedIn) => Effect.Effect<string, SignInFailed | StoreUnavailable>
    /** The person as the provider last said it; none: the sign-in is over, and so are the sessions. */
    readonly current: (person: Person) => Effect.Effect<Option.Option<Person>, StoreUnavailable>
  }
>()("gateway/core/SignIns") {
  /** Without identity providers: sessions of people from earlier are refused. */
  static readonly none = Layer.succeed(SignIns, {
    accept: (name) =>
      Effect.fail(new SignInFailed({ why: "refused", message: `There is no identity provider "${name}".` })),
    current: () => Effect.succeedNone
  })

  static readonly layer = ({ maxStaleMs, providers, revalidateMs, secrets }: IdentitySettings) =>
    Layer.effect(
      SignIns,
      Effect.gen(function* () {
        const repository = yield* IdentityRepository
        const sessions = yield* SessionRepository
        const keys = yield* KeyStore
        const idps = yield* IdentityProviders
        const telemetry = yield* Telemetry
        const { open, seal } = sealingWith(secrets)
        const settingsOf = (name: string) => providers.find((one) => one.name === name)

        const refused = (message: string) => new SignInFailed({ why: "refused", message })

        const write = Effect.fnUntraced(function* (
          settings: IdentityProviderSettings,
          { claims, issuer, refreshToken, subject }: SignedIn,
          before: Person | undefined
        ) {
          const mapped = mapRoles(settings.name, settings, claims)
          if (mapped.refusal !== undefined) {
            return yield* new SignInFailed({ why: "revoked", message: mapped.refusal })
          }
          const { assignments } = mapped
          const now = yield* Clock.currentTimeMillis
          const id = before?.id ?? `user_${randomBase62(16)}`
          const source = `idp:${settings.name}`
          const person = {
            id,
            provider: settings.name,
            issuer,
            subject,
            name: textIn(claims["name"]) ?? textIn(claims["preferred_username"]),
            email: textIn(claims["email"]),
            status: "active",
            createdAt: before?.createdAt ?? now,
            lastSeenAt: now,
            refreshToken:
              refreshToken === undefined ? null : seal("refresh token", `${issuer} ${subject}`, refreshToken),
            revalidatedAt: now
          } as const
          const was = (before?.assignments ?? []).filter((one) => one.source === source)
          const entry: NewAuditEntry = {
            at: now,
            actor: { kind: "identity_provider", id: settings.name, address: "" },
            action: "users.roles_changed",
            target: id,
            before: before === undefined ? null : shown(was),
            after: shown(assignments)
          }
          const isChanged = before === undefined || shown(was).join() !== shown(assignments).join()
          yield* keys.follow(repository.save(person, source, assignments, isChanged ? entry : undefined))
        })

        const accept = Effect.fn("SignIns.accept")(function* (name: string, found: SignedIn) {
          const settings = settingsOf(name)
          if (settings === undefined) return yield* refused(`There is no identity provider "${name}".`)
          const before = Option.getOrUndefined(yield* repository.personOf(found.issuer, found.subject))
          if (before?.status === "disabled") return yield* refused("An administrator has disabled you at this gateway.")
          yield* write(settings, found, before)
          const person = yield* repository.personOf(found.issuer, found.subject)
          return Option.match(person, { onNone: () => "", onSome: ({ id }) => id })
        })

        /** The provider says that it is over, or its claims give no role any more. */
        const end = Effect.fnUntraced(function* (person: Person) {
          const theirs = (yield* sessions.list).filter((session) => session.person === person.id)
          yield* keys.follow(repository.save({ ...person, refreshToken: null }, `idp:${person.provider}`, []))
          yield* sessions.remove(theirs.map(({ id }) => id))
          yield* repository.removeSignIns(person.id)
          return Option.none<Person>()
        })

        const current = Effect.fnUntraced(function* (person: Person) {
          const now = yield* Clock.currentTimeMillis
          const { issuer, provider, refreshToken, revalidatedAt, subject } = person
          const settings = settingsOf(provider)
          if (settings === undefined) return Option.none<Person>()
          if (now - revalidatedAt < revalidateMs || refreshToken === null) return Option.some(person)
          const token = open("refresh token", `${issuer} ${subject}`, refreshToken)
          if (token === undefined) return yield* end(person)
          const asBefore = now - revalidatedAt < maxStaleMs ? Option.some(person) : Option.none<Person>()
          if (!(yield* repository.claimRevalidation(person, now, now + CLAIMED_MS))) return asBefore
          const result = yield* idps.refresh(provider, token, subject).pipe(
            Effect.flatMap((found) => write(settings, found, person)),
            Effect.result
          )
          const outcome = result._tag === "Success" ? "ok" : "why" in result.failure ? result.failure.why : "store"
          telemetry.count(Metrics.revalidations, { provider, outcome })
          if (result._tag === "Success") return yield* repository.person(person.id)
          if (result.failure._tag === "StoreUnavailable") return yield* result.failure
          yield* Effect.logWarning(`${person.id}: ${result.failure.message}`)
          // A wrong client secret is not the person's: only the provider's word ends sessions.
          return result.failure.why === "revoked" ? yield* end(person) : asBefore
        })

        /** Who uses a personal key is looked at as if with a session; without a refresh token only a new sign-in counts. */
        const look = Effect.fnUntraced(function* (id: string) {
          const person = Option.getOrUndefined(yield* repository.person(id))
          if (person?.status !== "active") return
          const age = (yield* Clock.currentTimeMillis) - person.revalidatedAt
          yield* person.refreshToken === null && age > SIGNED_IN_MS ? end(person) : current(person)
        })
        yield* Effect.forkScoped(Stream.runForEach(keys.uses, (id) => Effect.ignore(look(id))))

        return { accept, current }
      })
    )
}

const textIn = (claim: unknown): string | null =>
  typeof claim === "string" && claim.trim() !== ""
    ? claim
        .replaceAll(/[\p{Cc}\p{Cs}]/gu, " ")
        .trim()
        .slice(0, 200)
    : null

const shown = (assignments: ReadonlyArray<Omit<Assignment, "source">>): ReadonlyArray<string> =>
  assignments.map(({ role, team }) => (team === "" ? role : `${role} in ${team}`)).sort()
