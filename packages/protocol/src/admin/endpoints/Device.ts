/** `/oauth`, `/admin/device` and `/admin/me/sign-ins`: how a program signs in as a person. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  DeviceAuthorization,
  DeviceGrantForm,
  DeviceRequest,
  OAuthServer,
  OAuthTokens,
  RevokeForm,
  SignInOfMachine,
  SignInOfMachineList,
  TokenForm
} from "../Device.ts"
import { administrative, owning } from "./Administrative.ts"

const form = HttpApiSchema.asFormUrlEncoded()

export const oauth = HttpApiGroup.make("oauth")
  .add(
    HttpApiEndpoint.get("getOAuthServer", "/.well-known/oauth-authorization-server", {
      success: OAuthServer
    }).annotateMerge(
      administrative({
        access: "public",
        failures: [404],
        summary: "Where programs sign in",
        description: "404 without identity providers."
      })
    ),
    HttpApiEndpoint.post("beginDeviceSignIn", "/oauth/device_authorization", {
      payload: DeviceGrantForm.pipe(form),
      success: DeviceAuthorization
    }).annotateMerge(
      administrative({
        access: "public",
        failures: [404, 413],
        summary: "Begin the sign-in of a program",
        description:
          "RFC 8628. The codes work for 10 minutes. One address may begin 20 in a minute. Errors have OAuth's form: `error` and `error_description`."
      })
    ),
    HttpApiEndpoint.post("getToken", "/oauth/token", {
      payload: TokenForm.pipe(form),
      success: OAuthTokens
    }).annotateMerge(
      administrative({
        access: "public",
        failures: [404, 413],
        summary: "Get tokens for an approved sign-in",
        description:
          "Errors have OAuth's form: `authorization_pending`, `slow_down`, `access_denied`, `expired_token` (400), and `invalid_grant` (401): sign in again. A refresh token works once, and for a minute more. Later use ends the sign-in."
      })
    ),
    HttpApiEndpoint.post("revokeOAuthToken", "/oauth/revoke", {
      payload: RevokeForm.pipe(form),
      success: Schema.JsonObject
    }).annotateMerge(
      administrative({
        access: "public",
        failures: [404, 413],
        summary: "Sign a program out",
        description: "RFC 7009. `token` is either token of the sign-in. It answers 200 for unknown tokens, too."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Sign-in of programs", description: "Device authorization grant." }))

const code = { code: Schema.String.annotate({ description: "What the program shows, with or without its dash." }) }
const wrong = "Five wrong codes lock the person out of this for 10 minutes."

export const devices = HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.get("getDevice", "/admin/device/:code", { params: code, success: DeviceRequest }).annotateMerge(
      administrative({
        access: owning("device.read", "read"),
        failures: [404],
        summary: "Inspect a sign-in before approving it",
        description: wrong
      })
    ),
    HttpApiEndpoint.post("approveDevice", "/admin/device/:code/approve", {
      params: code,
      success: DeviceRequest
    }).annotateMerge(
      administrative({
        access: owning("device.approve", "write"),
        failures: [404],
        summary: "Sign a program in as oneself",
        description: `Only with a session of a browser. ${wrong}`
      })
    ),
    HttpApiEndpoint.post("denyDevice", "/admin/device/:code/deny", {
      params: code,
      success: DeviceRequest
    }).annotateMerge(
      administrative({
        access: owning("device.deny", "write"),
        failures: [404],
        summary: "Refuse the sign-in of a program",
        description: wrong
      })
    ),
    HttpApiEndpoint.get("listSignIns", "/admin/me/sign-ins", { success: SignInOfMachineList }).annotateMerge(
      administrative({
        access: owning("me.sign_ins", "read"),
        summary: "List the machines on which I am signed in",
        description: "Those of `model-gateway login`. Browsers are in `/admin/sessions`."
      })
    ),
    HttpApiEndpoint.delete("endSignIn", "/admin/me/sign-ins/:id", {
      params: { id: Schema.String.annotate({ description: "The id of the sign-in, `sign_…`." }) },
      success: SignInOfMachine
    }).annotateMerge(
      administrative({
        access: owning("me.end_sign_in", "write"),
        failures: [404],
        summary: "Sign a machine out",
        description: "In force when the response comes, on every gateway of the store."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Machines", description: "Programs that a person signed in." }))
