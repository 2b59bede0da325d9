/**
 * Every handler under `/admin` requires the master key, a service token or a session, whatever the spelling of its path.
 * `decide` reads what the endpoint declares. `Authorization` wins over a cookie beside it.
 */
import { EndpointAccess, MasterKeyAuthorization, SESSION_COOKIE, SESSION_HEADER } from "@model-gateway/protocol"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { decide } from "../../../core/admin/Access.ts"
import { looksLikeAccessToken } from "../../../core/admin/MachineSignIns.ts"
import { looksLikeServiceToken, Principals } from "../../../core/admin/Principals.ts"
import { CurrentPrincipal, masterPrincipal, type Visibility } from "../../../core/domain/Principal.ts"
import { AdminSessions } from "../../../core/admin/AdminSessions.ts"
import { NotPermitted, Unauthorized } from "../../../core/domain/Errors.ts"
import { failed } from "../../shared/Answer.ts"
import { AuthThrottle } from "../../shared/AuthThrottle.ts"
import { KeyStore } from "../../../core/keys/KeyStore.ts"
import { CrossSite } from "../../errors/RequestErrors.ts"
import { MasterKey, refusalOf } from "../../shared/MasterKey.ts"
import { routerRequest } from "../../node/RouterRequest.ts"
import { credentialOf } from "../../proxy/Credentials.ts"
import type { RequestHeaders } from "../../routing/Endpoint.ts"
import { AdminOrigin } from "./AdminOrigin.ts"

export const authorizationLayer = Layer.effect(
  MasterKeyAuthorization,
  Effect.gen(function* () {
    const master = yield* MasterKey
    const throttle = yield* AuthThrottle
    const sessions = yield* AdminSessions
    const principals = yield* Principals
    const origin = yield* AdminOrigin
    const keys = yield* KeyStore

    /** Who asks. Virtual keys may also come in other headers: a caller that sends one has mixed up the two kinds and is told so. */
    const identified = Effect.fnUntraced(function* (request: ReturnType<typeof routerRequest>) {
      const { headers } = request
      const address = origin.address(request)
      const presented = credentialOf(headers)
      if (presented !== undefined) {
        const isBearer = bearerOf(headers) === presented
        if (isBearer && master.matches(presented)) {
          return masterPrincipal({ kind: "master_key", id: "master_key", address })
        }
        if (isBearer && looksLikeAccessToken(presented)) {
          const principal = yield* principals.ofMachine(presented, address)
          return Option.isSome(principal) ? principal.value : yield* new Unauthorized({ code: "invalid_session" })
        }
        if (!isBearer || !looksLikeServiceToken(presented)) return yield* refusalOf(presented)
        const token = yield* principals.ofToken(presented, address)
        return Option.isSome(token) ? token.value : yield* new Unauthorized({ code: "invalid_service_token" })
      }
      const cookie = cookieIn(headers)
      const token = headers[SESSION_HEADER]
      if (cookie === undefined && token === undefined) return yield* refusalOf(undefined)
      if (isForeign(headers)) return yield* new CrossSite()
      const isWhole = cookie !== undefined && typeof token === "string"
      const session = isWhole ? yield* sessions.find(cookie, token) : Option.none()
      if (Option.isNone(session)) return yield* new Unauthorized({ code: "invalid_session" })
      const { id, person } = session.value
      if (person === null) return masterPrincipal({ kind: "session", id, address }, id)
      const principal = yield* principals.ofPerson(person, id, address)
      return Option.isSome(principal) ? principal.value : yield* new Unauthorized({ code: "invalid_session" })
    })

    const authorized = <E, R>(
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
    ) =>
      Effect.gen(function* () {
        const incoming = routerRequest(yield* HttpServerRequest.HttpServerRequest)
        const principal = yield* Effect.result(identified(incoming))
        if (principal._tag === "Failure") {
          return yield* failed(throttle.judge(incoming, principal.failure, yield* Clock.currentTimeMillis))
        }
        const access = Context.get(endpoint.annotations, EndpointAccess)
        const decided: Visibility | NotPermitted =
          access === "public" ? { teams: [], owner: null } : decide(principal.success, access)
        if (decided instanceof NotPermitted) return yield* failed(decided)
        const owned = yield* Effect.result(
          decided === "all" || decided.owner === null ? Effect.succeed([]) : keys.owned(decided.owner)
        )
        if (owned._tag === "Failure") return yield* failed(owned.failure)
        const visibility: Visibility = decided === "all" ? decided : { ...decided, keys: owned.success }
        const current = { ...principal.success, visibility }
        // These answers contain secrets and change often: no cache may keep them.
        return yield* Effect.map(Effect.provideService(handler, CurrentPrincipal, current), unkept)
      })

    // Whichever scheme is tried first decides: the credentials are read from the request itself.
    return { master_key: authorized, service_token: authorized, sign_in: authorized, session: authorized }
  })
)

/** Whether a browser says that another origin's page made it send the request. Other clients say nothing. */
export const isForeign = (headers: RequestHeaders): boolean => {
  const site = headers["sec-fetch-site"]
  return site !== undefined && site !== "same-origin"
}

/** The master key comes as a bearer token only. */
const bearerOf = ({ authorization = "" }: RequestHeaders): string | undefined =>
  /^bearer\s+(\S+)\s*$/i.exec(authorization)?.[1]

const cookieIn = ({ cookie }: RequestHeaders): string | undefined =>
  typeof cookie === "string" ? new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([0-9A-Za-z]+)`).exec(cookie)?.[1] : undefined

export const unkept = HttpServerResponse.setHeader("cache-control", "no-store")
