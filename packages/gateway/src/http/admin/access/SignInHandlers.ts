/** `/admin/sign-in`: a browser goes to an identity provider and comes back with a code for one session. */
import { Metrics, ServedApi } from "@model-gateway/protocol"
import { Clock, Context, Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { IdentityProviders, type SignInState } from "../../../core/admin/IdentityProviders.ts"
import { IdentityRepository } from "../../../core/admin/IdentityRepository.ts"
import { sealingWith } from "../../../core/admin/Sealing.ts"
import { SignIns } from "../../../core/admin/SignIns.ts"
import { NotFound } from "../../../core/domain/Errors.ts"
import type { IdentitySettings } from "../../../core/domain/Settings.ts"
import { Telemetry } from "../../../core/domain/Telemetry.ts"
import { hashOf, randomBase62 } from "../../../core/keys/Credential.ts"
import { answering } from "../../shared/Answer.ts"
import { listOf } from "../AdminPages.ts"
import { AdminOrigin } from "./AdminOrigin.ts"
import { unkept } from "./Authorization.ts"

export const SignInSettings = Context.Reference<IdentitySettings | undefined>("gateway/http/SignInSettings", {
  defaultValue: () => undefined
})

/** A person takes this long at the provider at most, and a page to exchange its code. */
const AWAY_MS = 600_000
const CODE_MS = 60_000
/** 43 base62 characters hold 256 bits. */
const LENGTH = 43

/** The browser that came back from the provider: its code opens a session nowhere else. */
const BACK_COOKIE = "mgw_signed_in"

interface Kept extends SignInState {
  readonly next: string
  readonly until: number
}

export const providerSignInHandlers = HttpApiBuilder.group(
  ServedApi,
  "providerSignIn",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* SignInSettings
    const idps = yield* IdentityProviders
    const telemetry = yield* Telemetry
    const signIns = yield* SignIns
    const repository = yield* IdentityRepository
    const { adminPath } = yield* AdminOrigin
    const sealing = sealingWith(settings?.secrets ?? [])
    const base = settings?.publicUrl ?? ""

    /** No address of the request counts: `Host` may say anything. */
    const redirectUri = (provider: string) => `${base}/admin/sign-in/${provider}/callback`
    const stateCookie = (provider: string) => `mgw_sign_in_${provider}`
    const cookie =
      (name: string, value: string, ms: number, sameSite: "lax" | "strict") =>
      (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
        HttpServerResponse.setCookieUnsafe(response, name, value, {
          httpOnly: true,
          sameSite,
          path: adminPath,
          maxAge: ms,
          secure: base.startsWith("https:")
        })

    const known = (provider: string) =>
      settings?.providers.some(({ name }) => name === provider) === true
        ? Effect.void
        : Effect.fail(new NotFound({ what: "identity provider", id: provider }))

    const counted = (provider: string, outcome: string) =>
      Effect.sync(() => telemetry.count(Metrics.signIns, { provider, outcome }))

    const begin = Effect.fnUntraced(function* (provider: string, next: string) {
      yield* known(provider)
      const begun = yield* Effect.result(idps.begin(provider, redirectUri(provider)))
      if (begun._tag === "Failure") return said(begun.failure.message)
      const until = (yield* Clock.currentTimeMillis) + AWAY_MS
      const kept: Kept = { ...begun.success.state, next, until }
      // Lax: a browser sends no strict cookie when the provider redirects to this site.
      const value = cookie(
        stateCookie(provider),
        sealing.seal("sign-in", provider, JSON.stringify(kept)),
        AWAY_MS,
        "lax"
      )
      return value(redirect(begun.success.url))
    })

    const finish = Effect.fnUntraced(function* (provider: string) {
      yield* known(provider)
      const { cookies, url } = yield* HttpServerRequest.HttpServerRequest
      const now = yield* Clock.currentTimeMillis
      const text = sealing.open("sign-in", provider, cookies[stateCookie(provider)] ?? "")
      const kept: Kept | undefined = text === undefined ? undefined : JSON.parse(text)
      const done = cookie(stateCookie(provider), "", 0, "lax")
      if (kept === undefined || kept.until <= now) {
        const where = `server.public_url (${base}) must be the address in the browser's address bar`
        return done(said(`The sign-in cookie did not come back, or is older than 10 minutes. ${where}. Sign in again.`))
      }
      const callback = redirectUri(provider) + new URL(url, "http://gateway").search
      const person = yield* idps.finish(provider, callback, kept).pipe(
        Effect.flatMap((found) => signIns.accept(provider, found)),
        Effect.tap(() => counted(provider, "ok")),
        Effect.asSome,
        Effect.catchTag("SignInFailed", ({ message, why }) => Effect.as(counted(provider, why), message))
      )
      if (typeof person === "string") return done(said(person))
      const code = randomBase62(LENGTH)
      const back = randomBase62(LENGTH)
      yield* repository.addCode(hashOf(code), hashOf(back), Option.getOrThrow(person), now + CODE_MS)
      const page = `${base}/ui/login${kept.next === "" ? "" : `?next=${encodeURIComponent(kept.next)}`}#${code}`
      return cookie(BACK_COOKIE, back, CODE_MS, "strict")(done(redirect(page)))
    })

    const list = listOf(
      (settings?.providers ?? []).map(({ label, name }) => ({ object: "sign_in_provider" as const, name, label }))
    )

    return handlers
      .handle("listSignInProviders", () => Effect.succeed(list))
      .handleRaw("beginSignIn", ({ params, query }) => answering(begin(params.provider, query.next ?? "")))
      .handleRaw("finishSignIn", ({ params }) => answering(finish(params.provider)))
  })
)

/** Of the code that the page sends, the person, where the cookie of this browser came with it. */
export const personOfCode = Effect.fnUntraced(function* (
  repository: IdentityRepository["Service"],
  code: string,
  cookies: Readonly<Record<string, string>>
) {
  const back = cookies[BACK_COOKIE]
  if (back === undefined) return Option.none<string>()
  return yield* repository.takeCode(hashOf(code), hashOf(back), yield* Clock.currentTimeMillis)
})

const redirect = (location: string) =>
  unkept(HttpServerResponse.empty({ status: 302, headers: { location, "referrer-policy": "no-referrer" } }))

/** For the person in front of the browser, who has no other page now. */
const said = (message: string) =>
  unkept(
    HttpServerResponse.text(`You are not signed in.\n\n${message}\n`, {
      status: 403,
      headers: { "x-content-type-options": "nosniff" }
    })
  )
