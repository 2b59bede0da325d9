/** Browser sessions of administrators. A cookie and a token are needed together; the store has only their hashes. */
import { createHmac } from "node:crypto"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { hashOf, isSame, randomBase62 } from "../keys/Credential.ts"
import type { NewAuditEntry, NoteOf } from "../domain/AuditRepository.ts"
import { type SessionRecord, SessionRepository } from "./SessionRepository.ts"

const HOUR_MS = 3_600_000

/** A session ends this long after it was opened, and this long after its last use. */
export const SESSION_MS = 8 * HOUR_MS
const IDLE_MS = HOUR_MS

/** Its use is noted this often at most: a page asks for much at once. */
const NOTE_EVERY_MS = 60_000

/** Clocks that differ by this much are still believed; a session that begins later was opened before the clock was set back. */
const SLACK_MS = 300_000

/** 43 base62 characters hold 256 bits. */
const HALF = 43

export interface OpenedSession {
  readonly session: SessionRecord
  readonly cookie: string
  readonly token: string
}

export class AdminSessions extends Context.Service<
  AdminSessions,
  {
    /** Who gave the master key, or is the person who signed in, gets both halves, this once. */
    readonly open: (
      address: string,
      note?: NoteOf<SessionRecord>,
      person?: string
    ) => Effect.Effect<OpenedSession, StoreUnavailable>
    /** None: the halves do not belong together, or the session is over. */
    readonly find: (cookie: string, token: string) => Effect.Effect<Option.Option<SessionRecord>, StoreUnavailable>
    /** Whether requests of a session would still be answered. */
    readonly isOpen: (id: string) => Effect.Effect<boolean, StoreUnavailable>
    /** Those that are not over, newest first. */
    readonly list: Effect.Effect<ReadonlyArray<SessionRecord>, StoreUnavailable>
    /** In force at once, in every process. False: there was no such session. */
    readonly end: (id: string, note?: NoteOf<SessionRecord>) => Effect.Effect<boolean, StoreUnavailable>
    /** How many that were. `person`: only the sessions of this person. */
    readonly endAll: (
      note?: (open: number) => NewAuditEntry,
      person?: string
    ) => Effect.Effect<number, StoreUnavailable>
  }
>()("gateway/core/AdminSessions") {
  /** `masterKey`: with another one, sessions of the old one open nothing any more. */
  static readonly layer = (masterKey: Redacted.Redacted<string>) =>
    Layer.effect(
      AdminSessions,
      Effect.gen(function* () {
        const repository = yield* SessionRepository
        const bindingOf = (id: string) => createHmac("sha256", Redacted.value(masterKey)).update(id).digest("hex")

        const isValid = (session: SessionRecord, now: number) =>
          now < session.expiresAt &&
          now < session.lastUsedAt + IDLE_MS &&
          now > session.createdAt - SLACK_MS &&
          isSame(session.binding, bindingOf(session.id))

        const open = Effect.fn("AdminSessions.open")(function* (
          address: string,
          note?: NoteOf<SessionRecord>,
          person?: string
        ) {
          const now = yield* Clock.currentTimeMillis
          const over = (yield* repository.list).filter((session) => !isValid(session, now))
          if (over.length > 0) yield* repository.remove(over.map(({ id }) => id))
          const id = `sess_${randomBase62(16)}`
          const cookie = randomBase62(HALF)
          const token = randomBase62(HALF)
          const session: SessionRecord = {
            id,
            cookieHash: hashOf(cookie),
            tokenHash: hashOf(token),
            binding: bindingOf(id),
            role: person === undefined ? "admin" : "user",
            createdAt: now,
            lastUsedAt: now,
            expiresAt: now + SESSION_MS,
            address,
            person: person ?? null
          }
          yield* repository.add(session, note?.(null, session))
          return { session, cookie, token }
        })

        const find = Effect.fnUntraced(function* (cookie: string, token: string) {
          const now = yield* Clock.currentTimeMillis
          const found = yield* repository.find(hashOf(cookie))
          const session = Option.filter(found, (one) => isSame(one.tokenHash, hashOf(token)) && isValid(one, now))
          if (Option.isSome(session) && now - session.value.lastUsedAt >= NOTE_EVERY_MS) {
            // A store that takes no writes ends nobody's session.
            yield* Effect.ignore(repository.touch(session.value.id, now))
          }
          return session
        })

        const isOpen = Effect.fnUntraced(function* (id: string) {
          const now = yield* Clock.currentTimeMillis
          return Option.exists(yield* repository.get(id), (session) => isValid(session, now))
        })

        const list = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          return (yield* repository.list).filter((session) => isValid(session, now))
        })

        const end = Effect.fnUntraced(function* (id: string, note?: NoteOf<SessionRecord>) {
          const before = note && Option.getOrNull(yield* repository.get(id))
          return (yield* repository.remove([id], note?.(before ?? null, null))) > 0
        })

        const endAll = Effect.fnUntraced(function* (note?: (open: number) => NewAuditEntry, person?: string) {
          const all = (yield* repository.list).filter((one) => person === undefined || one.person === person)
          const ids = all.map(({ id }) => id)
          return yield* repository.remove(ids, note?.(ids.length))
        })

        return {
          open,
          find,
          isOpen,
          list,
          end,
          endAll
        }
      })
    )
}
