/**
 * Turns refusals and failures into HTTP responses. Clients give up for good when they read "quota" or "billing": an exhausted
 * budget uses these words, a limit that passes by itself never does.
 */
import type { ErrorBody, ErrorDetail } from "@model-gateway/protocol"
import type * as Core from "../../core/domain/Errors.ts"
import type { ConfigurationRefused } from "../../core/domain/Configuration.ts"
import { nanoToDecimal, nanoToUsd } from "../../core/domain/Money.ts"
import type { ProviderFailure, Unsupported } from "../../core/domain/Failures.ts"
import type * as Http from "./RequestErrors.ts"
import { providerError } from "./UpstreamError.ts"
import { clip, LONGEST_WAIT_TO_RETRY, rfc3339, type WireError } from "./WireFormat.ts"

export type EndpointError =
  | Core.Unauthorized
  | Core.NotFound
  | Core.InvalidField
  | Core.TeamInUse
  | Core.NotPermitted
  | Core.TokenRefused
  | Core.OutsideTeamPolicy
  | Core.AddressNotAllowed
  | Core.PreviousResponseNotFound
  | Core.ModelNotFound
  | Core.ModelNotAllowed
  | Core.NoAllowedProvider
  | Core.NoCapableDeployment
  | Core.NoRouteMeetsPolicy
  | Core.OutOfRotation
  | Core.RateLimited
  | Core.RequestExceedsLimit
  | Core.BudgetExceeded
  | Core.PriceUnknown
  | Core.EndUserRefused
  | Core.TooManyScopes
  | Core.OlderGateways
  | Core.Exhausted
  | Core.NoRoom
  | Core.Draining
  | Core.IdempotencyConflict
  | Core.GuardrailDenied
  | Core.GuardrailUnknown
  | ConfigurationRefused
  | ProviderFailure
  | Unsupported
  | Core.StoreUnavailable
  | Http.InvalidJson
  | Http.InvalidForm
  | Http.BodyTooLarge
  | Http.UnsupportedMediaType
  | Http.UnknownPath
  | Http.WebSocketNotServed
  | Http.SocketRefused
  | Http.MethodNotAllowed
  | Http.WrongKeyKind
  | Http.CrossSite
  | Http.TooManyAuthFailures
  | Http.TooManyStreams
  | Http.BadRequest
  | Http.InternalFault

/** Seconds until it is worth asking a gateway again that drains or has lost its store. */
const COME_BACK_AFTER = 5

/** Seconds until it is worth asking again for the response of a request that still runs. */
const STILL_RUNNING_WAIT = 1

/** Seconds until it is worth asking again for room: requests end all the time. */
const ROOM_AGAIN_AFTER = 1

/** The response to an error at `now` (epoch milliseconds). Header names are in lower case; the body is complete. */
export const wireError = (error: EndpointError, now: number): WireError => {
  switch (error._tag) {
    case "Unauthorized":
      return plain(401, "authentication_error", error.code, unauthorized[error.code] + (error.detail ?? ""), null, {
        "www-authenticate": error.code.endsWith("_token") ? 'Bearer error="invalid_token"' : "Bearer"
      })
    case "TokenRefused":
      return tokenRefused(error)
    case "TooManyAuthFailures": {
      const wait = error.retryAfterSeconds
      const message = `Too many wrong credentials came from this address. Try again in ${wait} s; a valid key works meanwhile.`
      const detail = { type: "rate_limit_exceeded", message, param: null, code: "too_many_auth_failures" }
      const { body, headers, status } = limited({ ...detail, kind: "auth_failures", retry_after_seconds: wait })
      // A retry with the same credential would only count as another failure.
      return { status, body, headers: { ...headers, "x-should-retry": "false" } }
    }
    case "BadRequest":
      return invalid(error.status, error.code, error.message)
    case "WrongKeyKind":
      return plain(403, "permission_error", "wrong_key_kind", wrongKind[error.expected])
    case "NotPermitted": {
      const message = `${error.action} needs ${error.needs}; you have: ${error.has}.`
      return plain(403, "permission_error", "not_permitted", message)
    }
    case "OutsideTeamPolicy":
      return plain(403, "permission_error", "outside_team_policy", error.message, error.param)
    case "AddressNotAllowed": {
      const from = error.address === "" ? "The request has no address" : `The request came from ${clip(error.address)}`
      const message = `${from}, and key ${error.keyId} has a list of addresses (allow_from) without it.`
      return plain(403, "permission_error", "address_not_allowed", message)
    }
    case "CrossSite":
      return plain(
        403,
        "permission_error",
        "cross_site",
        "A session is accepted for /admin only from the gateway's own pages."
      )
    case "ModelNotAllowed": {
      const what =
        error.bucket === undefined ? "" : ` for this prompt: ${belongs(error.bucket)}, and the key may use none of them`
      const message = `Key ${error.keyId} may not use the model \`${clip(error.model)}\`${what}.`
      return plain(403, "permission_error", "model_not_allowed", message, "model")
    }
    case "ModelNotFound":
      return invalid(404, "model_not_found", modelNotFound(error), "model")
    case "NotFound": {
      const message = `There is no ${error.what} \`${clip(error.id)}\`.`
      return invalid(404, "not_found", error.hint === undefined ? message : `${message} ${error.hint}`)
    }
    case "TeamInUse": {
      const message = `${error.keys === 1 ? "1 key names" : `${error.keys} keys name`} the team \`${clip(error.team)}\`. Give them another one first, or delete it with \`force=true\`: they then continue without its limits and budgets.`
      return invalid(409, "team_in_use", message)
    }
    case "PreviousResponseNotFound": {
      const message = `There is no response \`${clip(error.id)}\` to continue, or an earlier one was deleted. Send the conversation as \`input\` instead.`
      return invalid(400, "previous_response_not_found", message, "previous_response_id")
    }
    case "UnknownPath": {
      const message = `There is nothing at ${clip(error.method)} ${clip(error.path)}.`
      return invalid(404, "not_found", error.hint === undefined ? message : `${message} ${error.hint}`)
    }
    case "WebSocketNotServed": {
      const message =
        error.full === undefined
          ? "GET /v1/responses opens a WebSocket. It needs the header `Upgrade: websocket`, and Node.js 24.9 or newer at the gateway. Or send the request as POST, with `stream: true` for a stream."
          : `This ${error.full.of} has ${error.full.most} WebSockets open, which is the maximum. Close one, or send the request as POST, with \`stream: true\` for a stream.`
      // Clients fall back to HTTP immediately on this status; after others some try to connect again several times.
      return invalid(426, "websocket_not_served", message, null, { upgrade: "HTTP/1.1", connection: "close" })
    }
    case "SocketRefused": {
      if (error.why === "expired") {
        const message = "The connection has reached its lifetime of 60 minutes: open a new one."
        return invalid(400, "websocket_connection_limit_reached", message)
      }
      const message =
        "A response is running on this connection, which runs one at a time: wait for its last event, or open another connection."
      return invalid(409, "response_already_in_flight", message)
    }
    case "MethodNotAllowed": {
      const allow = error.allow.join(", ")
      const message = `${clip(error.path)} does not allow ${clip(error.method)}, only ${allow}.`
      return invalid(405, "method_not_allowed", message, null, { allow })
    }
    case "InvalidJson":
      return invalid(400, "invalid_json", error.message)
    case "InvalidForm":
      return invalid(400, "invalid_form", error.message)
    case "InvalidField":
      return invalid(400, "invalid_field", error.message, error.param === "" ? null : error.param)
    case "Unsupported":
      return invalid(400, error.code ?? "unsupported_parameter", error.message, error.param)
    case "NoCapableDeployment":
      return error.isTooLong
        ? invalid(400, "context_length_exceeded", noCapable(error), "messages")
        : invalid(400, "unsupported_feature", noCapable(error))
    case "NoAllowedProvider": {
      const message = `\`provider\` leaves nothing that serves the model \`${clip(error.model)}\`.`
      return invalid(404, "no_allowed_provider", [message, ...error.reasons].join("\n"), "provider")
    }
    case "NoRouteMeetsPolicy": {
      const message = `Nothing that serves the model \`${clip(error.model)}\` has the tags that key ${error.keyId} requires.`
      return plain(403, "permission_error", "no_route_meets_policy", [message, ...error.reasons].join("\n"), "model")
    }
    case "PriceUnknown":
      return invalid(400, "price_unknown", priceUnknown(error), "model")
    case "EndUserRefused":
      return endUserRefused(error)
    case "OlderGateways": {
      const message = `Older gateways work on this store and do not know limits of end users, sessions and models: ${clip(error.names.join(", "))}. Update them first.`
      return invalid(409, "older_gateways", message)
    }
    case "TooManyScopes": {
      const message = `This request counts under ${error.scopes} scopes, which are keys, teams, end users, sessions and their model rules; at most ${error.most} are allowed. Remove model rules.`
      return invalid(400, "too_many_scopes", message)
    }
    case "BodyTooLarge":
      return invalid(413, "body_too_large", `The body is larger than ${error.limitBytes} bytes.`)
    case "UnsupportedMediaType":
      return invalid(415, "unsupported_media_type", error.message)
    case "RateLimited":
      return rateLimited(error)
    case "RequestExceedsLimit": {
      const { asked, limit } = error
      const message = `This request can use ${asked} tokens (its input and its output limit), but ${whoseLimit(error)} may use at most ${limit} in a minute (tpm): it can never be admitted. Send less input or a lower output limit, or have the limit raised.`
      return invalid(400, "request_exceeds_limit", message)
    }
    case "BudgetExceeded":
      return budgetExceeded(error)
    case "GuardrailDenied":
      return guardrailDenied(error)
    case "GuardrailUnknown": {
      const known = error.known.map((name) => `\`${name}\``).join(", ")
      const message = `There is no guardrail policy \`${clip(error.name)}\`${known === "" ? ": none is configured" : `. The configuration has ${known}`}.`
      return invalid(400, "guardrail_unknown", message, "x-gateway-guardrails")
    }
    case "ConfigurationRefused": {
      const code = error.why === "no_file" ? "no_configuration_file" : "invalid_configuration"
      return invalid(400, code, error.message)
    }
    case "IdempotencyConflict":
      return idempotencyConflict(error)
    case "OutOfRotation": {
      const where = error.bucket === undefined ? "" : ` for this prompt (${belongs(error.bucket)})`
      const message = `Everything that serves the model \`${clip(error.model)}\`${where} is disabled.`
      return plain(503, "upstream_error", "upstream_unavailable", message, "model", { "x-should-retry": "false" })
    }
    case "Exhausted":
    case "ProviderFailure":
      return providerError(error, now)
    case "StoreUnavailable": {
      // The store's message may contain paths of the machine, so it is only logged.
      const message = "The gateway can't use its store at the moment. Try again later."
      return plain(503, "server_error", "store_unavailable", message, null, waitFor(COME_BACK_AFTER))
    }
    case "NoRoom":
      return plain(503, "server_error", "no_room", noRoom(error), null, waitFor(ROOM_AGAIN_AFTER))
    case "TooManyStreams": {
      const message = `${error.most} readers watch requests already, which is the maximum. Close one, or try again later.`
      return plain(503, "server_error", "too_many_streams", message, null, waitFor(COME_BACK_AFTER))
    }
    case "Draining":
      return plain(
        503,
        "server_error",
        "draining",
        "The gateway is shutting down: send new requests to another one.",
        null,
        {
          ...waitFor(COME_BACK_AFTER),
          connection: "close"
        }
      )
    case "InternalFault":
      return plain(500, "server_error", "internal_error", "The gateway failed. Its log says why.")
  }
}

const guardrailDenied = ({ check, message, place, retryAfter, rule, stage }: Core.GuardrailDenied): WireError => {
  const what = `The guardrail \`${check}\` denied this ${stage}`
  if (retryAfter !== undefined) {
    const unavailable = `The guardrail \`${check}\` gave no verdict on this ${stage}, which is denied without one. Try again later.`
    return plain(503, "server_error", "guardrail_unavailable", unavailable, null, {
      ...waitFor(retryAfter),
      // A response that was denied is charged, and so would be the next one.
      ...(stage === "response" ? { "x-should-retry": "false" } : undefined),
      "x-gateway-guardrail-action": "denied"
    })
  }
  const why =
    rule === "unscanned"
      ? `it holds a file that no check can read (\`${clip(place ?? "")}\`)`
      : place === undefined
        ? `it holds what the rule \`${rule}\` finds`
        : `the rule \`${rule}\` found a match that can't be masked where it is (${place})`
  const { body, headers, status } = invalid(400, "guardrail_denied", `${what}: ${why}. ${message ?? ""}`.trim(), null, {
    "x-should-retry": "false",
    "x-gateway-guardrail-action": "denied"
  })
  return { status, headers, body: { error: { ...body.error, guardrail: { check, rule } } } }
}

const noRoom = ({ limitBytes, of }: Core.NoRoom): string => {
  if (of === "disk") return "The gateway has no room on its disk for the files of this request. Try again later."
  const whose = of === "key" ? "This key's requests in flight hold" : "Requests in flight hold"
  return `${whose} nearly all of the ${limitBytes} bytes that they may, so there is no room for this one. Try again later.`
}

const tokenRefused = ({ code, issuer, rule }: Core.TokenRefused): WireError => {
  const message = {
    no_matching_rule: `No rule of the issuer ${issuer} matches this token. Run \`model-gateway identity test\` with it to see why.`,
    too_many_jwt_subjects: `The rule ${rule} has as many keys as its max_subjects allows, so it makes none for another subject.`,
    issuer_unavailable: `The keys of the issuer ${issuer} can't be used at the moment. Try again later.`
  }[code]
  return code === "issuer_unavailable"
    ? plain(503, "server_error", code, message, null, waitFor(COME_BACK_AFTER))
    : plain(403, "permission_error", code, message)
}

const unauthorized: { readonly [Code in Core.Unauthorized["code"]]: string } = {
  missing_api_key:
    "There is no credential: send `Authorization: Bearer <key>`, or the key in the header `x-goog-api-key`. A `key` in the address is not read, because addresses reach logs.",
  invalid_api_key: "This gateway has no such key. A virtual key (`mgw_…`) opens /v1, the master key /admin.",
  revoked_api_key: "The key was revoked.",
  expired_api_key: "The key has expired.",
  disabled_api_key: "The key is disabled.",
  suspended_api_key:
    "The key is suspended: its person must sign in again, is disabled or has left the team, or the team allows no personal keys. Run `model-gateway login`, or sign in to the dashboard. If the key stays suspended, ask an admin of the team.",
  invalid_service_token: "This gateway has no such service token, or it has expired.",
  invalid_session: "The session has ended or is incomplete: sign in again.",
  invalid_sign_in_link: "This link or code is no longer valid: it works once, and for a few minutes. Sign in again.",
  invalid_token: "The token is not valid: ",
  expired_token: "The token has expired. Get a new one.",
  unknown_issuer: "This gateway accepts no tokens of the issuer that this token names (`iss`)."
}

const wrongKind = {
  master: "This needs the master key, a service token or a session; a virtual key opens /v1 only.",
  virtual: "This needs a virtual key; the master key and service tokens open /admin only."
}

const modelNotFound = ({ model, nearest }: Core.ModelNotFound): string => {
  const missing = `There is no model \`${clip(model)}\`.`
  return nearest.length === 0
    ? `${missing} GET /v1/models lists those this key may use.`
    : `${missing} Did you mean ${nearest.map((name) => `\`${clip(name)}\``).join(", ")}?`
}

const belongs = (bucket: string): string => `it needs a deployment of bucket \`${clip(bucket)}\` or above`

const noCapable = ({ model, reasons }: Core.NoCapableDeployment): string =>
  [`Nothing that serves the model \`${clip(model)}\` can do what this request needs.`, ...reasons].join("\n")

const priceUnknown = ({ keyId, model, of }: Core.PriceUnknown): string => {
  const [what, setting] =
    of === undefined
      ? ["the price", "a `price`"]
      : [`the price of \`${clip(of)}\`, which this request may use,`, `a \`price\` with \`${clip(of)}\``]
  return `The gateway does not know ${what} of \`${clip(model)}\`, so it can't be charged to the budget of key ${keyId}. Give its deployment ${setting}, or the key \`on_unknown_price: "allow"\`.`
}

const idempotencyConflict = ({ why }: Core.IdempotencyConflict): WireError => {
  switch (why) {
    case "in_use": {
      const message = "The first request with this Idempotency-Key is still running. Retry to get its response."
      return invalid(409, "idempotency_key_in_use", message, null, waitFor(STILL_RUNNING_WAIT))
    }
    case "reused": {
      const message = "Another request to this endpoint used this Idempotency-Key with a different body. Use a new one."
      return invalid(422, "idempotency_key_reused", message)
    }
    case "answer_too_large": {
      const message =
        "The request with this Idempotency-Key completed, but its response was too large to keep. Use a new key to repeat the request."
      return invalid(409, "idempotency_answer_too_large", message, null, { "x-should-retry": "false" })
    }
  }
}

const units = {
  rpm: "requests per minute",
  tpm: "tokens per minute",
  parallel: "parallel requests",
  feedback: "scores per minute"
}

const endUserIn = {
  header: "the header X-Gateway-End-User with the percent-encoded id",
  field: "`safety_identifier` or `user` in the body"
}

const endUserRefused = ({ code, endUser, from = ["header"], keyId }: Core.EndUserRefused): WireError =>
  code === "end_user_required"
    ? invalid(
        400,
        code,
        `Key ${keyId} requires an end user with each request: send ${from.map((one) => endUserIn[one]).join(", or ")}.`,
        from.includes("header") ? "x-gateway-end-user" : "safety_identifier"
      )
    : plain(403, "permission_error", code, `The end user \`${clip(endUser)}\` is blocked.`, "x-gateway-end-user")

const whoseLimit = (error: Core.RequestExceedsLimit | Core.RateLimited | Core.BudgetExceeded) =>
  error.models === undefined ? scopeOf(error) : `${scopeOf(error)} for the models ${clip(error.models.join(", "))}`

const scopeOf = ({
  keyId,
  scope,
  subject
}: Core.RequestExceedsLimit | Core.RateLimited | Core.BudgetExceeded): string => {
  switch (scope) {
    case "team":
      return `team ${subject}, to which key ${keyId} belongs`
    case "end_user":
      return `end user ${clip(subject)}`
    case "session":
      return `session ${clip(subject)}`
    case "member":
      return `all personal keys of ${clip(subject)} in the team of key ${keyId}`
    case "key":
      return `key ${keyId}`
  }
}

/** Whose limit or budget it was. A caller knows its own key and team. */
const subjectOf = ({ models, scope, subject }: Core.RateLimited | Core.BudgetExceeded) => ({
  scope,
  ...(models === undefined && (scope === "key" || scope === "team") ? {} : { subject }),
  ...(models === undefined ? {} : { models })
})

const rateLimited = (error: Core.RateLimited): WireError => {
  const { kind, limit, retryAfterSeconds, used } = error
  return limited({
    type: "rate_limit_exceeded",
    message: `Rate limit of ${limit} ${units[kind]} (${kind}) reached for ${whoseLimit(error)}: ${used} in use. Try again in ${retryAfterSeconds} s.`,
    param: null,
    code: "rate_limit_exceeded",
    kind,
    retry_after_seconds: retryAfterSeconds,
    limit,
    used,
    ...subjectOf(error),
    resets_at: rfc3339(error.resetsAt)
  })
}

const budgetExceeded = (error: Core.BudgetExceeded): WireError => {
  const { kind, retryAfterSeconds } = error
  const span = error.window === "total" ? "in total" : `per ${error.window}`
  const budget = `the budget of ${nanoToDecimal(error.limit)} USD ${span} of ${whoseLimit(error)}`
  const amounts = `${nanoToDecimal(error.used)} USD ${kind === "budget" ? "spent" : "spent or reserved"}, and this request can cost ${nanoToDecimal(error.needed)} USD`
  const resets = error.resetsAt === null ? null : rfc3339(error.resetsAt)
  const message =
    kind === "budget"
      ? `insufficient_quota: you exceeded your budget, ${budget}: ${amounts}. ${resets === null ? "It does not reset." : `It will reset at ${resets}.`}`
      : `Requests in flight reserve what is left of ${budget}: ${amounts}. Try again in ${retryAfterSeconds} s.`
  return limited({
    type: "insufficient_quota",
    message: error.hint === undefined ? message : `${message} ${error.hint}`,
    param: null,
    code: kind === "budget" ? "insufficient_quota" : "budget_reserved",
    kind,
    retry_after_seconds: retryAfterSeconds,
    limit: nanoToUsd(error.limit),
    used: nanoToUsd(error.used),
    ...subjectOf(error),
    resets_at: resets
  })
}

/** A 429 from the gateway itself, in the contract's shape. */
const limited = (detail: ErrorDetail & { readonly kind: string; readonly retry_after_seconds: number }): WireError => {
  const wait = detail.retry_after_seconds
  const hopeless = detail.kind === "budget" || wait > LONGEST_WAIT_TO_RETRY
  return {
    status: 429,
    headers: {
      ...waitFor(wait),
      "x-gateway-limit-kind": detail.kind,
      ...(hopeless ? { "x-should-retry": "false" } : {})
    },
    body: { error: detail }
  }
}

const waitFor = (seconds: number) => ({ "retry-after": String(seconds), "retry-after-ms": String(seconds * 1000) })

const plain = (
  status: number,
  type: string,
  code: string,
  message: string,
  param: string | null = null,
  headers: WireError["headers"] = {}
): WireError => ({ status, headers, body: { error: { type, message, param, code } } satisfies ErrorBody })

const invalid = (
  status: number,
  code: string,
  message: string,
  param: string | null = null,
  headers: WireError["headers"] = {}
): WireError => plain(status, "invalid_request_error", code, message, param, headers)
