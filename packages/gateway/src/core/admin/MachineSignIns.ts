/** Sign-ins of programs (RFC 8628): a person approves a code, the program gets an access and a refresh token. */
import { randomInt } from "node:crypto"
import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import type { NewAuditEntry } from "../domain/AuditRepository.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { hashOf, isSame, randomBase62 } from "../keys/Credential.ts"
import { type DeviceCode, IdentityRepository, type MachineSignIn, type Person } from "./IdentityRepository.ts"
import { sealingWith } from "./Sealing.ts"
import { SignIns } from "./SignIns.ts"

export const DEVICE_MS = 600_000
export const INTERVAL_MS = 5_000
export const ACCESS_MS = 3_600_000

/** After a refresh the token that was replaced works for this long: its client may not have received the response. */
const PREVIOUS_MS = 60_000

/** A sign-in ends when it was not used for this long. */
const IDLE_MS = 30 * 24 * 3_600_000

/** Without a refresh token of the provider nothing can be asked about the person: then a sign-in ends so long after the person's. */
const UNASKED_MS = 12 * 3_600_000

/** The use is noted this often at most. */
const NOTE_EVERY_MS = 60_000

/** Consonants that no one takes for each other: no word comes of them. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
const CODE_LENGTH = 8

const MOST_WRONG = 5
const MOST_LOCKS = 10_000

const TOKEN = /^mgw[sr]_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}$/

export const looksLikeAccessToken = (text: string): boolean => text.startsWith("mgws_")

/** Why a program gets no tokens, as RFC 6749 and 8628 name it. */
export type TokenRefusal = "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_grant"

export interface MachineTokens {
  readonly access: string
  readonly refresh: string
  readonly email: string | null
}

export class MachineSignIns extends Context.Service<
  MachineSignIns,
  {
    /** None: too many wait, from this address or in all. `userCode` has no dash. */
    readonly begin: (
      client: string,
      address: string
    ) => Effect.Effect<Option.Option<{ readonly deviceCode: string; readonly userCode: string }>, StoreUnavailable>
    /** What waits under a code that a person typed. None: no such code, or the person typed too many wrong ones. */
    readonly find: (userCode: string, person: string) => Effect.Effect<Option.Option<DeviceCode>, StoreUnavailable>
    /** Of several decisions the first counts: whether it was this one. */
    readonly decide: (
      code: DeviceCode,
      person: string,
      state: "approved" | "denied",
      entry: NewAuditEntry
    ) => Effect.Effect<boolean, StoreUnavailable>
    readonly redeem: (deviceCode: string) => Effect.Effect<MachineTokens | TokenRefusal, StoreUnavailable>
    readonly refresh: (token: string) => Effect.Effect<MachineTokens | TokenRefusal, StoreUnavailable>
    /** Ends the sign-in of either token. */
    readonly revoke: (token: string) => Effect.Effect<void, StoreUnavailable>
    readonly ofAccess: (token: string) => Effect.Effect<Option.Option<MachineSignIn>, StoreUnavailable>
  }
>()("gateway/core/MachineSignIns") {
  static readonly layer = (secrets: ReadonlyArray<Redacted.Redacted<string>>) =>
    Layer.effect(
      MachineSignIns,
      Effect.gen(function* () {
        const repository = yield* IdentityRepository
        const signIns = yield* SignIns
        const { digest } = sealingWith(secrets)
        const wrong = new Map<string, { count: number; readonly since: number }>()

        const begin = Effect.fn("MachineSignIns.begin")(function* (client: string, address: string) {
          const now = yield* Clock.currentTimeMillis
          const deviceCode = randomBase62(43)
          const userCode = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("")
          const isAdded = yield* repository.addDevice({
            hash: hashOf(deviceCode),
            userCode: digest("user code", userCode),
            client: client.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").slice(0, 200),
            address,
            state: "pending",
            person: "",
            createdAt: now,
            expiresAt: now + DEVICE_MS,
            polledAt: now - INTERVAL_MS
          })
          return isAdded ? Option.some({ deviceCode, userCode }) : Option.none()
        })

        const find = Effect.fnUntraced(function* (given: string, person: string) {
          const now = yield* Clock.currentTimeMillis
          const before = wrong.get(person)
          const isOver = before === undefined || now - before.since >= DEVICE_MS
          if (!isOver && before.count >= MOST_WRONG) return Option.none()
          const text = given.toUpperCase().replaceAll(/[^A-Z]/g, "")
          const found = yield* repository.device("user_code", digest("user code", text))
          const waiting = Option.filter(found, ({ expiresAt }) => now < expiresAt)
          if (Option.isNone(waiting)) {
            if (wrong.size >= MOST_LOCKS) wrong.clear()
            if (isOver) wrong.set(person, { count: 1, since: now })
            else before.count++
          }
          return waiting
        })

        /** A refresh token is recognised for ever by its last 21 characters, 84 bits of an HMAC. */
        const signed = (text: string) => text + digest("refresh token", text).slice(0, 21)

        const issue = (person: Person, id: string) => {
          const [access, refresh] = [`mgws_${id}_${randomBase62(43)}`, signed(`mgwr_${id}_${randomBase62(22)}`)]
          return { access, refresh, email: person.email, accessHash: hashOf(access), refreshHash: hashOf(refresh) }
        }

        const current = Effect.fnUntraced(function* (id: string) {
          const now = yield* Clock.currentTimeMillis
          const person = Option.filter(yield* repository.person(id), ({ status }) => status === "active")
          if (Option.isNone(person)) return Option.none<Person>()
          const { refreshToken, revalidatedAt } = person.value
          if (refreshToken === null && now - revalidatedAt >= UNASKED_MS) return Option.none<Person>()
          return yield* signIns.current(person.value)
        })

        const redeem = Effect.fn("MachineSignIns.redeem")(function* (deviceCode: string) {
          const now = yield* Clock.currentTimeMillis
          const found = Option.getOrUndefined(yield* repository.device("hash", hashOf(deviceCode)))
          if (found === undefined) return "invalid_grant"
          const { address, client, hash, polledAt, state } = found
          if (found.expiresAt <= now) return "expired_token"
          if (state === "denied") return "access_denied"
          if (state === "pending") {
            yield* repository.polled(hash, now)
            return now - polledAt < INTERVAL_MS ? "slow_down" : "authorization_pending"
          }
          const person = yield* current(found.person)
          // Of several calls with one code, the one that takes it has it.
          if (Option.isNone(person) || !(yield* repository.takeDevice(hash))) return "invalid_grant"
          const id = randomBase62(12)
          const { accessHash, refreshHash, ...tokens } = issue(person.value, id)
          yield* repository.addSignIn({
            id: `sign_${id}`,
            person: found.person,
            client,
            address,
            accessHash,
            accessUntil: now + ACCESS_MS,
            refreshHash,
            previousHash: "",
            previousUntil: 0,
            createdAt: now,
            lastUsedAt: now
          })
          return tokens
        })

        const ofToken = (token: string) => repository.signIn(`sign_${TOKEN.exec(token)?.[1] ?? ""}`)

        const refresh = Effect.fn("MachineSignIns.refresh")(function* (token: string) {
          const now = yield* Clock.currentTimeMillis
          const found = Option.getOrUndefined(yield* ofToken(token))
          const hash = hashOf(token)
          if (found === undefined || !token.startsWith("mgwr_")) return "invalid_grant"
          const isPrevious = hash === found.previousHash
          const isRecent = now < found.previousUntil
          const mayBe = hash === found.refreshHash || (isPrevious && isRecent)
          if (!mayBe || now - found.lastUsedAt >= IDLE_MS) {
            // A replaced token was stolen, or within the minute is a client's second call. Any other token is a guess.
            const isReplaced = isPrevious || (!isRecent && isSame(signed(token.slice(0, -21)), token))
            if (isReplaced || mayBe) yield* repository.removeSignIn(found.id)
            return "invalid_grant"
          }
          const person = yield* current(found.person)
          if (Option.isNone(person)) return "invalid_grant"
          const { accessHash, refreshHash, ...tokens } = issue(person.value, found.id.slice("sign_".length))
          const after: MachineSignIn = {
            ...found,
            accessHash,
            accessUntil: now + ACCESS_MS,
            refreshHash,
            previousHash: hash,
            previousUntil: isPrevious ? found.previousUntil : now + PREVIOUS_MS,
            lastUsedAt: now
          }
          return (yield* repository.replaceSignIn(found, after)) ? tokens : "invalid_grant"
        })

        const revoke = Effect.fn("MachineSignIns.revoke")(function* (token: string) {
          const hash = hashOf(token)
          const found = Option.filter(yield* ofToken(token), (one) => [one.accessHash, one.refreshHash].includes(hash))
          if (Option.isSome(found)) yield* repository.removeSignIn(found.value.id)
        })

        const ofAccess = Effect.fnUntraced(function* (token: string) {
          const now = yield* Clock.currentTimeMillis
          const hash = hashOf(token)
          const found = Option.filter(
            yield* ofToken(token),
            ({ accessHash, accessUntil }) => accessHash === hash && now < accessUntil
          )
          if (Option.isSome(found) && now - found.value.lastUsedAt >= NOTE_EVERY_MS) {
            yield* Effect.ignore(repository.touchSignIn(found.value.id, now))
          }
          return found
        })

        return {
          begin,
          find,
          decide: (code, person, state, entry) => repository.decideDevice(code.hash, person, state, entry),
          redeem,
          refresh,
          revoke,
          ofAccess
        }
      })
    )
}

/** Comparing hashes tells nothing of secrets with 256 bits. */
