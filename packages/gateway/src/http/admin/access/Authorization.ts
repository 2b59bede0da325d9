/**
 * Every handler under `/admin` requires the master key or a session, so no spelling of a path gets around it. `Authorization` wins:
 * a browser may send the cookie beside it.
 */
import { MasterKeyAuthorization, SESSION_COOKIE, SESSION_HEADER } from "@model-gateway/protocol"
import { Clock, Effect, Layer, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Actor, CurrentActor } from "../../../core/domain/Actor.ts"
import { AdminSessions } from "../../../core/admin/AdminSessions.ts"
import { Unauthorized } from "../../../core/domain/Errors.ts"
import { failed } from "../../shared/Answer.ts"
import { AuthThrottle } from "../../shared/AuthThrottle.ts"
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
    const origin = yield* AdminOrigin

    /** Who asks. Virtual keys may also come in other headers: a caller that sends one has mixed up the two kinds and is told so. */
    const identified = Effect.fnUntraced(function* (request: ReturnType<typeof routerRequest>) {
      const { headers } = request
      const address = origin.address(request)
      const presented = credentialOf(headers)
      if (presented !== undefined) {
        const actor: Actor = { kind: "master_key", id: "master_key", address }
        return bearerOf(headers) === presented && master.matches(presented) ? actor : yield* refusalOf(presented)
      }
      const cookie = cookieIn(headers)
      const token = headers[SESSION_HEADER]
      if (cookie === undefined && token === undefined) return yield* refusalOf(undefined)
      if (isForeign(headers)) return yield* new CrossSite()
      const isWhole = cookie !== undefined && typeof token === "string"
      const session = isWhole ? yield* sessions.find(cookie, token) : Option.none()
      if (Option.isNone(session)) return yield* new Unauthorized({ code: "invalid_session" })
      return { kind: "session", id: session.value.id, address } satisfies Actor as Actor
    })

    const authorized = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.gen(function* () {
        const incoming = routerRequest(yield* HttpServerRequest.HttpServerRequest)
        const actor = yield* Effect.result(identified(incoming))
        if (actor._tag === "Failure") {
          return yield* failed(throttle.judge(incoming, actor.failure, yield* Clock.currentTimeMillis))
        }
        // These answers contain secrets and change often: no cache may keep them.
        return yield* Effect.map(Effect.provideService(handler, CurrentActor, actor.success), unkept)
      })

    // Whichever scheme is tried first decides: the credentials are read from the request itself.
    return { master_key: authorized, session: authorized }
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
