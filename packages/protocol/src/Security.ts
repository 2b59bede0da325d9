/** Who may call what. The implementations live in the gateway: here is only what callers have to know. */
import { SESSION_HEADER } from "./admin/Sessions.ts"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"

const described = <S extends HttpApiSecurity.HttpApiSecurity>(scheme: S, description: string): S =>
  HttpApiSecurity.annotateMerge(scheme, OpenApi.annotations({ description }))

const elsewhere = "The virtual key, where clients of other vendors put theirs."

/** Everything under `/v1`. Any one of the headers is enough. */
// What its methods require is the request, which the router gives to all of them.
// @effect-diagnostics-next-line leakingRequirements:off
export class VirtualKeyAuthorization extends HttpApiMiddleware.Service<VirtualKeyAuthorization>()(
  "model-gateway/protocol/VirtualKeyAuthorization",
  {
    security: {
      virtual_key: described(HttpApiSecurity.bearer, "A virtual key: `Authorization: Bearer mgw_…`."),
      x_api_key: described(HttpApiSecurity.apiKey({ key: "x-api-key" }), elsewhere),
      api_key: described(HttpApiSecurity.apiKey({ key: "api-key" }), elsewhere),
      x_goog_api_key: described(HttpApiSecurity.apiKey({ key: "x-goog-api-key" }), elsewhere)
    }
  }
) {}

/**
 * Everything under `/admin`. `Authorization` wins where both are there.
 *
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class MasterKeyAuthorization extends HttpApiMiddleware.Service<MasterKeyAuthorization>()(
  "model-gateway/protocol/MasterKeyAuthorization",
  {
    security: {
      master_key: described(
        HttpApiSecurity.bearer,
        "The master key of the configuration: `Authorization: Bearer <master key>`."
      ),
      service_token: described(
        HttpApiSecurity.bearer,
        "A service token, whose role decides: `Authorization: Bearer mgwa_…`."
      ),
      sign_in: described(
        HttpApiSecurity.bearer,
        "The access token of a signed-in machine, whose person decides: `Authorization: Bearer mgws_…`."
      ),
      session: described(
        HttpApiSecurity.apiKey({ key: SESSION_HEADER }),
        "The token of a session, beside its cookie: `POST /admin/session` gives both."
      )
    }
  }
) {}

/** Turns parameters that can't be read into the one error body. */
export class InvalidParameters extends HttpApiMiddleware.Service<InvalidParameters>()(
  "model-gateway/protocol/InvalidParameters"
) {}
