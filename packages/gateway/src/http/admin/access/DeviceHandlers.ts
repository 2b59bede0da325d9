/** `/oauth`, `/admin/device` and `/admin/me/sign-ins`: how a program signs in as a person. */
import { type DeviceRequest, type OAuthTokens, ServedApi, type SignInOfMachine } from "@model-gateway/protocol"
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { type DeviceCode, IdentityRepository, type MachineSignIn } from "../../../core/admin/IdentityRepository.ts"
import {
  ACCESS_MS,
  DEVICE_MS,
  INTERVAL_MS,
  MachineSignIns,
  type MachineTokens,
  type TokenRefusal
} from "../../../core/admin/MachineSignIns.ts"
import { NotFound, NotPermitted } from "../../../core/domain/Errors.ts"
import { CurrentPrincipal } from "../../../core/domain/Principal.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { routerRequest } from "../../node/RouterRequest.ts"
import { answering } from "../../shared/Answer.ts"
import { listOf } from "../AdminPages.ts"
import { AdminOrigin } from "./AdminOrigin.ts"
import { type AuditAction, entryOf } from "./Audited.ts"
import { unkept } from "./Authorization.ts"
import { SignInSettings } from "./SignInHandlers.ts"

const MAX_FORM = 16 * 1024

const refusals: { readonly [Name in TokenRefusal | "invalid_request" | "unsupported_grant_type"]: string } = {
  authorization_pending: "The person has not decided yet. Ask again after the interval.",
  slow_down: "Wait for the interval between two requests.",
  access_denied: "The person refused the sign-in.",
  expired_token: "The code has expired: begin again.",
  invalid_grant: "The code or token is not valid any more, or the person may not sign in: sign in again.",
  invalid_request: "The form must name device_code, refresh_token or token, as the call needs.",
  unsupported_grant_type: "grant_type must be urn:ietf:params:oauth:grant-type:device_code or refresh_token."
}

const refused = (error: keyof typeof refusals, status = error === "invalid_grant" ? 401 : 400) =>
  unkept(HttpServerResponse.jsonUnsafe({ error, error_description: refusals[error] }, { status }))

const issued = (found: MachineTokens | TokenRefusal) => {
  if (typeof found === "string") return refused(found)
  const { access: access_token, email, refresh: refresh_token } = found
  const body: OAuthTokens = { access_token, token_type: "Bearer", expires_in: ACCESS_MS / 1000, refresh_token, email }
  return unkept(HttpServerResponse.jsonUnsafe(body))
}

export const oauthHandlers = HttpApiBuilder.group(
  ServedApi,
  "oauth",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* SignInSettings
    const machines = yield* MachineSignIns
    const { address } = yield* AdminOrigin
    const base = settings?.publicUrl ?? ""

    const checkProvider = Effect.suspend(() =>
      settings === undefined
        ? Effect.fail(new NotFound({ what: "sign-in of programs", id: "/oauth", hint: NO_PROVIDER }))
        : Effect.void
    )

    const formOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      yield* checkProvider
      return new URLSearchParams((yield* routerRequest(request).bytes(MAX_FORM)).toString())
    })

    const begin = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      yield* formOf(request)
      const incoming = routerRequest(request)
      const { "user-agent": client } = incoming.headers
      const begun = yield* machines.begin(typeof client === "string" ? client : "", address(incoming))
      if (Option.isNone(begun)) return refused("slow_down", 429)
      const { deviceCode: device_code, userCode } = begun.value
      return unkept(
        HttpServerResponse.jsonUnsafe({
          device_code,
          user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
          // Without the code: whoever approves has to read it on the machine.
          verification_uri: `${base}/ui/device`,
          expires_in: DEVICE_MS / 1000,
          interval: INTERVAL_MS / 1000
        })
      )
    })

    const token = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const form = yield* formOf(request)
      const [type, device, refresh] = ["grant_type", "device_code", "refresh_token"].map((name) => form.get(name))
      if (type === "refresh_token") {
        return typeof refresh === "string" ? issued(yield* machines.refresh(refresh)) : refused("invalid_request")
      }
      if (type !== "urn:ietf:params:oauth:grant-type:device_code") return refused("unsupported_grant_type")
      return typeof device === "string" ? issued(yield* machines.redeem(device)) : refused("invalid_request")
    })

    const revoke = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const given = (yield* formOf(request)).get("token")
      if (given === null) return refused("invalid_request")
      yield* machines.revoke(given)
      return unkept(HttpServerResponse.jsonUnsafe({}))
    })

    const server = Effect.as(checkProvider, {
      issuer: base,
      device_authorization_endpoint: `${base}/oauth/device_authorization`,
      token_endpoint: `${base}/oauth/token`,
      revocation_endpoint: `${base}/oauth/revoke`,
      grant_types_supported: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"]
    })

    return handlers
      .handle("getOAuthServer", () => answering(server))
      .handleRaw("beginDeviceSignIn", ({ request }) => answering(begin(request)))
      .handleRaw("getToken", ({ request }) => answering(token(request)))
      .handleRaw("revokeOAuthToken", ({ request }) => answering(revoke(request)))
  })
)

const NO_PROVIDER = "The gateway has no identity provider: configure one under identity in gateway.yaml."

export const deviceHandlers = HttpApiBuilder.group(
  ServedApi,
  "devices",
  Effect.fnUntraced(function* (handlers) {
    const machines = yield* MachineSignIns
    const repository = yield* IdentityRepository

    const person = Effect.fnUntraced(function* (action: string) {
      const { actor, user } = yield* CurrentPrincipal
      if (user !== null) return user
      return yield* new NotPermitted({
        action,
        needs: "a person who signed in",
        has: `the ${actor.kind.replace("_", " ")}`
      })
    })

    const find = Effect.fnUntraced(function* (code: string, user: string) {
      const found = yield* machines.find(code, user)
      if (Option.isSome(found)) return found.value
      const hint = "It may have expired. After five wrong codes, wait 10 minutes."
      return yield* new NotFound({ what: "sign-in with the code", id: code, hint })
    })

    const decide = Effect.fnUntraced(function* (code: string, state: "approved" | "denied") {
      const action = state === "approved" ? "device.approve" : "device.deny"
      const user = yield* person(action)
      const { session } = yield* CurrentPrincipal
      // A token that lasts an hour must not become a sign-in that lasts for weeks.
      if (session === null) {
        return yield* new NotPermitted({ action, needs: "the session of a browser", has: "the token of a machine" })
      }
      const found = yield* find(code, user)
      const decided = new NotFound({ what: "sign-in with the code", id: code, hint: "It was decided before." })
      if (found.state !== "pending") return yield* decided
      const entry = yield* entryOf(state === "approved" ? "sign_ins.approve" : "sign_ins.deny")
      const note = entry(user, null, { client: found.client, address: found.address })
      if (yield* machines.decide(found, user, state, note)) return wireDevice({ ...found, state })
      return yield* decided
    })

    const own = Effect.fnUntraced(function* (action: string) {
      return yield* repository.signIns(yield* person(action))
    })

    const end = Effect.fnUntraced(function* (id: string) {
      const found = (yield* own("me.end_sign_in")).find((one) => one.id === id)
      if (found === undefined) return yield* new NotFound({ what: "sign-in", id })
      const action: AuditAction = "sign_ins.revoke"
      yield* repository.removeSignIn(id, (yield* entryOf(action))(id, wireSignIn(found), null))
      return wireSignIn(found)
    })

    return handlers
      .handle("getDevice", ({ params }) =>
        answering(
          Effect.map(
            Effect.flatMap(person("device.read"), (user) => find(params.code, user)),
            wireDevice
          )
        )
      )
      .handle("approveDevice", ({ params }) => answering(decide(params.code, "approved")))
      .handle("denyDevice", ({ params }) => answering(decide(params.code, "denied")))
      .handle("listSignIns", () => answering(Effect.map(own("me.sign_ins"), (all) => listOf(all.map(wireSignIn)))))
      .handle("endSignIn", ({ params }) => answering(end(params.id)))
  })
)

const wireDevice = ({ address, client, createdAt, state }: DeviceCode): DeviceRequest => ({
  object: "device_request",
  client,
  address: address === "" ? null : address,
  state,
  created_at: rfc3339(createdAt)
})

const wireSignIn = ({ address, client, createdAt, id, lastUsedAt }: MachineSignIn): SignInOfMachine => ({
  object: "sign_in",
  id,
  client,
  address: address === "" ? null : address,
  created_at: rfc3339(createdAt),
  last_used_at: rfc3339(lastUsedAt)
})
