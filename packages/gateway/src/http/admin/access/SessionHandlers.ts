/** `/admin/session` and `/admin/sessions`. */
import { ServedApi, type Session, SESSION_COOKIE, SignIn } from "@model-gateway/protocol"
import { Clock, Effect, Option, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AdminSessions, SESSION_MS } from "../../../core/admin/AdminSessions.ts"
import { CurrentPrincipal, masterPrincipal } from "../../../core/domain/Principal.ts"
import type { SessionRecord } from "../../../core/admin/SessionRepository.ts"
import { IdentityRepository } from "../../../core/admin/IdentityRepository.ts"
import { SignInCodes } from "../../../core/admin/SignInCodes.ts"
import { NotFound, Unauthorized } from "../../../core/domain/Errors.ts"
import { answering } from "../../shared/Answer.ts"
import { AuthThrottle } from "../../shared/AuthThrottle.ts"
import { CrossSite } from "../../errors/RequestErrors.ts"
import { MasterKey, refusalOf } from "../../shared/MasterKey.ts"
import { routerRequest } from "../../node/RouterRequest.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { AdminOrigin } from "./AdminOrigin.ts"
import { isForeign, unkept } from "./Authorization.ts"
import { personOfCode } from "./SignInHandlers.ts"
import { type AuditAction, entryOf, noteOf } from "./Audited.ts"
import { listOf } from "../AdminPages.ts"
import { bodyReader } from "../AdminRequestBody.ts"

/** Anybody may send one, so it holds a credential and little else. */
const readSignIn = bodyReader(SignIn, { maxBytes: 4 * 1024 })

export const signInHandlers = HttpApiBuilder.group(
  ServedApi,
  "signIn",
  Effect.fnUntraced(function* (handlers) {
    const master = yield* MasterKey
    const throttle = yield* AuthThrottle
    const codes = yield* SignInCodes
    const sessions = yield* AdminSessions
    const identities = yield* IdentityRepository
    const origin = yield* AdminOrigin

    /** What it was that showed who asks. */
    const proven = Effect.fnUntraced(function* (
      { code, master_key: key }: typeof SignIn.Type,
      cookies: Readonly<Record<string, string>>
    ) {
      if (code !== undefined) {
        if (yield* codes.take(Redacted.value(code))) return { kind: "sign_in_link", person: undefined } as const
        const person = Option.getOrUndefined(yield* personOfCode(identities, Redacted.value(code), cookies))
        if (person !== undefined) return { kind: "user", person } as const
        return yield* new Unauthorized({ code: "invalid_sign_in_link" })
      }
      const presented = key === undefined ? undefined : Redacted.value(key)
      if (presented !== undefined && master.matches(presented))
        return { kind: "master_key", person: undefined } as const
      return yield* refusalOf(presented)
    })

    return handlers.handleRaw("openSession", ({ request }) =>
      Effect.gen(function* () {
        const incoming = routerRequest(request)
        if (isForeign(incoming.headers)) return yield* new CrossSite()
        const by = yield* Effect.result(Effect.flatMap(readSignIn(request), (body) => proven(body, request.cookies)))
        if (by._tag === "Failure") {
          return yield* throttle.judge(incoming, by.failure, yield* Clock.currentTimeMillis, true)
        }
        const address = origin.address(incoming)
        const { kind, person } = by.success
        const opening = yield* note("sessions.open").pipe(
          Effect.provideService(CurrentPrincipal, {
            ...masterPrincipal({ kind, id: person ?? kind, address }),
            visibility: "all"
          })
        )
        const { cookie, session, token } = yield* sessions.open(address, opening, person)
        const value = cookieOf(cookie, SESSION_MS / 1000, origin.adminPath, origin.isEncrypted(incoming))
        return unkept(
          HttpServerResponse.jsonUnsafe(
            { ...wireSession(session), token },
            { status: 201, headers: { "set-cookie": value } }
          )
        )
      }).pipe(answering)
    )
  })
)

export const sessionHandlers = HttpApiBuilder.group(
  ServedApi,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* AdminSessions
    const origin = yield* AdminOrigin

    const own = Effect.gen(function* () {
      const { actor, session } = yield* CurrentPrincipal
      const all = session === null ? [] : yield* sessions.list
      const found = all.find(({ id }) => id === session)
      if (found !== undefined) return found
      return yield* new NotFound({
        what: "session",
        id: actor.id,
        hint: "The request came with the master key itself."
      })
    })

    /** All of them for administrators, else those of the person. */
    const seen = Effect.gen(function* () {
      const { visibility } = yield* CurrentPrincipal
      return (yield* sessions.list).filter(
        ({ person }) => visibility === "all" || (person !== null && person === visibility.owner)
      )
    })

    const revoke = Effect.fnUntraced(function* (id: string) {
      if (!(yield* seen).some((session) => session.id === id)) return yield* noSession(id)
      return yield* end(id, "sessions.revoke")
    })

    const end = Effect.fnUntraced(function* (id: string, action: "sessions.close" | "sessions.revoke") {
      if (yield* sessions.end(id, yield* note(action))) return ended(1)
      return yield* noSession(id)
    })

    const closeOwn = Effect.gen(function* () {
      const body = yield* end((yield* own).id, "sessions.close")
      const gone = cookieOf("", 0, origin.adminPath, false)
      return HttpServerResponse.jsonUnsafe(body, { headers: { "set-cookie": gone } })
    })

    const closeAll = Effect.gen(function* () {
      const entry = yield* entryOf("sessions.close_all")
      const { user, visibility } = yield* CurrentPrincipal
      const whose = visibility === "all" ? undefined : (user ?? "")
      return ended(yield* sessions.endAll((open) => entry(whose ?? "", { open }, { open: 0 }), whose))
    })

    return handlers
      .handle("getSession", () => answering(Effect.map(own, wireSession)))
      .handleRaw("closeSession", () => answering(closeOwn))
      .handle("listSessions", () => answering(Effect.map(seen, (all) => listOf(all.map(wireSession)))))
      .handle("closeSessions", () => answering(closeAll))
      .handle("revokeSession", ({ params }) => answering(revoke(params.id)))
  })
)

const noSession = (id: string) => new NotFound({ what: "session", id, hint: "It may be over already." })

const ended = (count: number) => ({ object: "sessions_ended" as const, ended: count })

/** No script can read it, and no other site makes a browser send it. Another port of the machine can: hence the other half. */
const cookieOf = (value: string, seconds: number, path: string, isSecure: boolean): string =>
  `${SESSION_COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=${path}; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`

const wireSession = (session: SessionRecord): Session => ({
  object: "session",
  id: session.id,
  role: session.role,
  user: session.person,
  created_at: rfc3339(session.createdAt),
  last_used_at: rfc3339(session.lastUsedAt),
  expires_at: rfc3339(session.expiresAt),
  address: session.address === "" ? null : session.address
})

const note = (action: AuditAction) => noteOf(action, ({ id }: SessionRecord) => id, wireSession)
