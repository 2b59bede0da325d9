import { ErrorBody } from "@model-gateway/protocol"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Core from "../../../src/core/domain/Errors.ts"
import { type FailureClass, ProviderFailure, Unsupported } from "../../../src/core/domain/Failures.ts"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import * as Http from "../../../src/http/errors/RequestErrors.ts"
import { type EndpointError, wireError } from "../../../src/http/errors/WireError.ts"

const now = Date.UTC(2026, 10, 21, 12)
const decode = Schema.decodeUnknownSync(ErrorBody, { onExcessProperty: "error" })

/** The answer, with its body read back the way a client would, and known to be complete. */
const answer = (error: EndpointError) => {
  const { body, headers, status } = wireError(error, now)
  const { error: detail } = decode(JSON.parse(JSON.stringify(body)))
  for (const value of Object.values(headers)) assert.match(value, /^[\x20-\x7e]+$/)
  return { status, headers, detail, row: [status, detail.type, detail.code, detail.param] }
}

const failure = (over: Partial<ProviderFailure> & { readonly class: FailureClass }) =>
  new ProviderFailure({
    status: 500,
    message: "sk-live-secret is over its quota",
    type: null,
    code: null,
    param: null,
    ...over
  })

const exhausted = (failureClass: FailureClass, status: number, retryAfterMs?: number) =>
  new Core.Exhausted({
    class: failureClass,
    status,
    message: "sk-live-secret is over its quota",
    attempts: 3,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs })
  })

describe("the error table", () => {
  it("says of auto which buckets a prompt needs, where others would do for other prompts", () => {
    const messageOf = (error: EndpointError) => wireError(error, 0).body.error.message
    assert.strictEqual(
      messageOf(new Core.ModelNotAllowed({ model: "auto", keyId: "key_1", bucket: "complex" })),
      "Key key_1 may not use the model `auto` for this prompt: it needs a deployment of bucket `complex` or above, and the key may use none of them."
    )
    assert.strictEqual(
      messageOf(new Core.OutOfRotation({ model: "auto", bucket: "complex" })),
      "Everything that serves the model `auto` for this prompt (it needs a deployment of bucket `complex` or above) is disabled."
    )
  })

  const rows: ReadonlyArray<readonly [EndpointError, ReadonlyArray<string | number | null>]> = [
    ...(["missing_api_key", "invalid_api_key", "revoked_api_key", "expired_api_key", "disabled_api_key"] as const).map(
      (code) => [new Core.Unauthorized({ code }), [401, "authentication_error", code, null]] as const
    ),
    [new Http.WrongKeyKind({ expected: "master" }), [403, "permission_error", "wrong_key_kind", null]],
    [new Http.WrongKeyKind({ expected: "virtual" }), [403, "permission_error", "wrong_key_kind", null]],
    [
      new Core.ModelNotAllowed({ model: "gpt", keyId: "key_1" }),
      [403, "permission_error", "model_not_allowed", "model"]
    ],
    [new Core.ModelNotFound({ model: "gpt", nearest: [] }), [404, "invalid_request_error", "model_not_found", "model"]],
    [new Core.NotFound({ what: "key", id: "key_1" }), [404, "invalid_request_error", "not_found", null]],
    [new Http.UnknownPath({ method: "GET", path: "/x" }), [404, "invalid_request_error", "not_found", null]],
    [
      new Http.MethodNotAllowed({ method: "PUT", path: "/x", allow: ["GET", "POST"] }),
      [405, "invalid_request_error", "method_not_allowed", null]
    ],
    [new Http.WebSocketNotServed(), [426, "invalid_request_error", "websocket_not_served", null]],
    [new Http.InvalidJson({ message: "not JSON" }), [400, "invalid_request_error", "invalid_json", null]],
    [
      new Core.InvalidField({ param: "budgets[0].usd", message: "no" }),
      [400, "invalid_request_error", "invalid_field", "budgets[0].usd"]
    ],
    [
      new Unsupported({ param: "logprobs", message: "no" }),
      [400, "invalid_request_error", "unsupported_parameter", "logprobs"]
    ],
    [
      new Core.NoCapableDeployment({ model: "gpt", isTooLong: false, reasons: ["a: no images"] }),
      [400, "invalid_request_error", "unsupported_feature", null]
    ],
    [new Core.PriceUnknown({ model: "gpt", keyId: "key_1" }), [400, "invalid_request_error", "price_unknown", "model"]],
    [new Http.BodyTooLarge({ limitBytes: 10 }), [413, "invalid_request_error", "body_too_large", null]],
    [new Http.UnsupportedMediaType({ message: "no" }), [415, "invalid_request_error", "unsupported_media_type", null]],
    [new Core.OutOfRotation({ model: "gpt" }), [503, "upstream_error", "upstream_unavailable", "model"]],
    [new StoreUnavailable({ message: "/data/x.db is full" }), [503, "server_error", "store_unavailable", null]],
    [new Core.Draining(), [503, "server_error", "draining", null]],
    [new Http.InternalFault(), [500, "server_error", "internal_error", null]]
  ]

  for (const [error, expected] of rows) {
    it(`${error._tag} is ${expected.join(" ")}`, () => {
      assert.deepStrictEqual(answer(error).row, expected)
    })
  }

  it("a 401 names the scheme, a 405 the methods", () => {
    assert.strictEqual(answer(new Core.Unauthorized({ code: "invalid_api_key" })).headers["www-authenticate"], "Bearer")
    const refused = answer(new Http.MethodNotAllowed({ method: "PUT", path: "/x", allow: ["GET", "POST"] }))
    assert.strictEqual(refused.headers["allow"], "GET, POST")
  })

  it("a 503 of the gateway's own says when to come back; a draining one closes the connection", () => {
    const store = answer(new StoreUnavailable({ message: "/data/x.db is full" }))
    assert.match(store.headers["retry-after"] ?? "", /^[1-9]\d*$/)
    assert.notInclude(store.detail.message, "/data")
    const draining = answer(new Core.Draining())
    assert.match(draining.headers["retry-after"] ?? "", /^[1-9]\d*$/)
    assert.strictEqual(draining.headers["connection"], "close")
  })

  it("names and messages from outside are shortened", () => {
    const long = "x".repeat(100_000)
    assert.isBelow(answer(new Core.ModelNotFound({ model: long, nearest: [long] })).detail.message.length, 1000)
    assert.isBelow(answer(new Http.UnknownPath({ method: "GET", path: long })).detail.message.length, 1000)
    assert.isBelow(answer(failure({ class: "bad_request", status: 400, message: long })).detail.message.length, 5000)
  })

  it("an unknown model suggests names, and an incapable one says why", () => {
    const unknown = answer(new Core.ModelNotFound({ model: "gtp-5", nearest: ["gpt-5", "gpt-5-mini"] }))
    assert.include(unknown.detail.message, "`gpt-5`, `gpt-5-mini`")
    const long = answer(new Core.NoCapableDeployment({ model: "m", isTooLong: true, reasons: ["a: 8192 tokens"] }))
    assert.deepInclude(long.detail, { code: "context_length_exceeded", param: "messages" })
    const incapable = answer(
      new Core.NoCapableDeployment({ model: "m", isTooLong: false, reasons: ["a: no images", "b: no tools"] })
    )
    assert.include(incapable.detail.message, "a: no images\nb: no tools")
  })
})

describe("a key limit", () => {
  const limited = (over: Partial<Core.RateLimited> = {}) =>
    answer(
      new Core.RateLimited({
        kind: "rpm",
        scope: "key",
        subject: "key_1",
        keyId: "key_1",
        limit: 60,
        used: 60,
        retryAfterSeconds: 12,
        resetsAt: now + 30_000,
        ...over
      })
    )

  it("is the contract's 429", () => {
    const { detail, headers, status } = limited()
    assert.strictEqual(status, 429)
    assert.deepStrictEqual(headers, {
      "retry-after": "12",
      "retry-after-ms": "12000",
      "x-gateway-limit-kind": "rpm"
    })
    const { message, ...rest } = detail
    assert.deepStrictEqual(rest, {
      type: "rate_limit_exceeded",
      param: null,
      code: "rate_limit_exceeded",
      kind: "rpm",
      retry_after_seconds: 12,
      limit: 60,
      used: 60,
      scope: "key",
      resets_at: "2026-11-21T12:00:30.000Z"
    })
    assert.include(message, "key_1")
    assert.include(message, "60 requests per minute")
  })

  it("never uses the words that make clients give up", () => {
    for (const kind of ["rpm", "tpm", "parallel"] as const) {
      assert.notMatch(JSON.stringify(limited({ kind }).detail), /quota|billing/i)
    }
  })

  it("of a team names the team and the key", () => {
    const { detail } = limited({ scope: "team", subject: "research" })
    assert.match(detail.message, /team research.*key_1/)
    assert.strictEqual(detail.scope, "team")
  })

  it("with a wait that the vendor's SDK would ignore tells it not to retry", () => {
    assert.isUndefined(limited({ retryAfterSeconds: 60 }).headers["x-should-retry"])
    assert.strictEqual(limited({ retryAfterSeconds: 61 }).headers["x-should-retry"], "false")
  })
})

describe("a budget", () => {
  const refused = (over: Partial<Core.BudgetExceeded> = {}) =>
    answer(
      new Core.BudgetExceeded({
        kind: "budget",
        scope: "key",
        subject: "key_1",
        keyId: "key_1",
        window: "day",
        limit: 2_500_000_000,
        used: 2_499_999_000,
        needed: 1_500,
        retryAfterSeconds: 43_200,
        resetsAt: now + 43_200_000,
        ...over
      })
    )

  it("that is used up says so in the words clients stop at, in USD, and when it resets", () => {
    const { detail, headers, row } = refused()
    assert.deepStrictEqual(row, [429, "insufficient_quota", "insufficient_quota", null])
    assert.deepStrictEqual(headers, {
      "retry-after": "43200",
      "retry-after-ms": "43200000",
      "x-gateway-limit-kind": "budget",
      "x-should-retry": "false"
    })
    assert.strictEqual(detail.limit, 2.5)
    assert.strictEqual(detail.used, 2.499999)
    assert.strictEqual(detail.resets_at, "2026-11-22T00:00:00.000Z")
    assert.match(detail.message, /insufficient_quota.*exceeded your budget.*2\.5 USD per day.*key_1/)
    assert.include(detail.message, "0.0000015 USD")
    assert.include(detail.message, "will reset at 2026-11-22T00:00:00.000Z")
  })

  it("that never resets says so", () => {
    const { detail } = refused({ window: "total", resetsAt: null })
    assert.isNull(detail.resets_at)
    assert.include(detail.message, "does not reset")
  })

  it("held by requests in flight is worth another try, and does not use the words clients stop at", () => {
    const { detail, headers, row } = refused({ kind: "budget_reserved", retryAfterSeconds: 1 })
    assert.deepStrictEqual(row, [429, "insufficient_quota", "budget_reserved", null])
    assert.strictEqual(detail.kind, "budget_reserved")
    assert.isUndefined(headers["x-should-retry"])
    assert.notMatch(detail.message, /quota|billing|exceeded/)
  })
})

describe("failed providers", () => {
  const rows: ReadonlyArray<readonly [FailureClass, number, number, string]> = [
    ["unavailable", 500, 502, "upstream_unavailable"],
    ["unavailable", 0, 502, "upstream_unavailable"],
    ["unavailable", 503, 503, "upstream_unavailable"],
    ["unavailable", 529, 503, "upstream_unavailable"],
    ["unavailable", 504, 504, "upstream_unavailable"],
    ["truncated", 200, 502, "upstream_unavailable"],
    ["no_room", 0, 503, "no_room"],
    ["quota_exhausted", 429, 503, "upstream_quota"],
    ["auth", 401, 502, "upstream_auth"],
    ["connect_timeout", 0, 504, "upstream_timeout"],
    ["first_token_timeout", 0, 504, "upstream_timeout"],
    ["idle_timeout", 200, 504, "upstream_timeout"],
    ["total_timeout", 200, 504, "upstream_timeout"]
  ]

  for (const [failureClass, upstream, status, code] of rows) {
    it(`${failureClass} (${upstream}) is ${status} ${code}, with nothing of the provider's words`, () => {
      for (const error of [exhausted(failureClass, upstream), failure({ class: failureClass, status: upstream })]) {
        const { detail, headers, row } = answer(error)
        assert.deepStrictEqual(row, [status, "upstream_error", code, null])
        assert.strictEqual(headers["x-should-retry"], "false")
        assert.notMatch(JSON.stringify(detail), /sk-live|insufficient_quota|billing/)
        assert.notMatch(detail.message, /quota/)
      }
    })
  }

  it("that were not asked, because all connections to them are in use, can be asked again after a moment", () => {
    for (const error of [exhausted("connections_full", 0), failure({ class: "connections_full", status: 0 })]) {
      const { headers, row } = answer(error)
      assert.deepStrictEqual(row, [503, "upstream_error", "upstream_busy", null])
      assert.deepInclude(headers, { "retry-after": "1", "retry-after-ms": "1000" })
      assert.isUndefined(headers["x-should-retry"])
    }
  })

  it("that do not know the model are told as the gateway's own 404, with nothing of their words", () => {
    for (const error of [exhausted("model_not_found", 404), failure({ class: "model_not_found", status: 404 })]) {
      const { detail, headers, row } = answer(error)
      assert.deepStrictEqual(row, [404, "invalid_request_error", "model_not_found", "model"])
      assert.strictEqual(headers["x-should-retry"], "false")
      assert.notMatch(JSON.stringify(detail), /sk-live|quota/)
    }
  })

  it("that limit the rate pass on the shortest wait they asked for", () => {
    const { detail, headers, row } = answer(exhausted("rate_limited", 429, 7_200))
    assert.deepStrictEqual(row, [429, "upstream_error", "upstream_rate_limited", null])
    assert.notMatch(JSON.stringify(detail), /sk-live|insufficient_quota|billing|quota/)
    assert.strictEqual(headers["retry-after"], "8")
    assert.strictEqual(headers["retry-after-ms"], "8000")
    assert.strictEqual(headers["x-gateway-limit-kind"], "upstream")
    assert.strictEqual(detail.kind, "upstream")
    assert.strictEqual(detail.retry_after_seconds, 8)
    assert.strictEqual(detail.resets_at, "2026-11-21T12:00:08.000Z")
  })

  it("that limit the rate say one thing: who waits may ask again, and nobody is told to wait who may not", () => {
    for (const error of [exhausted("rate_limited", 429, 60_000), failure({ class: "rate_limited", status: 429 })]) {
      const { detail, headers } = answer(error)
      assert.isUndefined(headers["x-should-retry"])
      assert.include(detail.message, `Try again in ${headers["retry-after"]} s`)
    }
    assert.strictEqual(answer(exhausted("rate_limited", 429, 61_000)).headers["x-should-retry"], "false")
  })

  it("that find fault with the request are passed on in their own words", () => {
    const { detail, headers, status } = answer(
      failure({ class: "bad_request", status: 422, message: "bad n", type: "api_error", code: "bad_n", param: "n" })
    )
    assert.strictEqual(status, 422)
    assert.deepStrictEqual(detail, { type: "api_error", message: "bad n", param: "n", code: "bad_n" })
    assert.strictEqual(headers["x-should-retry"], "false")
  })

  it("that give no code get the class's, and never a status that is about the caller's key", () => {
    const rows = [
      ["context_length", "context_length_exceeded"],
      ["content_filter", "content_filter"],
      ["bad_request", "bad_request"]
    ] as const
    for (const [failureClass, code] of rows) {
      assert.deepStrictEqual(answer(exhausted(failureClass, 400)).row, [400, "invalid_request_error", code, null])
      for (const status of [0, 200, 401, 403, 429, 500]) {
        assert.strictEqual(answer(failure({ class: failureClass, status })).status, 400)
      }
    }
  })
})
