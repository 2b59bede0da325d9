/** docs/errors.md, and the page of each code, against the errors that there are. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigurationRefused } from "../../src/core/domain/Configuration.ts"
import * as Core from "../../src/core/domain/Errors.ts"
import { failureClasses } from "@model-gateway/protocol"
import { ProviderFailure, Unsupported } from "../../src/core/domain/Failures.ts"
import * as Http from "../../src/http/errors/RequestErrors.ts"
import { type EndpointError, wireError } from "../../src/http/errors/WireError.ts"
import { readDocument, root } from "../support/DocumentFiles.ts"

const page = readDocument("docs/errors.md")

const limited = { scope: "key", subject: "key_1", keyId: "key_1", limit: 1, used: 1, retryAfterSeconds: 1 } as const
const budget = { ...limited, window: "day", needed: 1, resetsAt: null }
const upstream = { message: "no", type: null, code: null, param: null }
/** 503 and 504 are passed on as such. */
const statuses = [500, 503, 504]

/** One of each kind; a new error is a line here. */
const examples: { readonly [Tag in EndpointError["_tag"]]: ReadonlyArray<Extract<EndpointError, { _tag: Tag }>> } = {
  Unauthorized: (
    [
      "missing_api_key",
      "invalid_api_key",
      "revoked_api_key",
      "expired_api_key",
      "disabled_api_key",
      "suspended_api_key",
      "invalid_session",
      "invalid_service_token",
      "invalid_sign_in_link",
      "invalid_token",
      "expired_token",
      "unknown_issuer"
    ] as const
  ).map((code) => new Core.Unauthorized({ code })),
  TokenRefused: (["no_matching_rule", "too_many_jwt_subjects", "issuer_unavailable"] as const).map(
    (code) => new Core.TokenRefused({ code, issuer: "github", rule: "github/ci" })
  ),
  OutsideTeamPolicy: [new Core.OutsideTeamPolicy({ param: "expires_at", message: "expires_at must be earlier." })],
  AddressNotAllowed: [
    new Core.AddressNotAllowed({ keyId: "key_1", address: "192.0.2.7" }),
    new Core.AddressNotAllowed({ keyId: "key_1", address: "" })
  ],
  NotPermitted: [new Core.NotPermitted({ action: "keys.create", needs: "the role admin", has: "viewer" })],
  CrossSite: [new Http.CrossSite()],
  WrongKeyKind: [new Http.WrongKeyKind({ expected: "master" })],
  TooManyAuthFailures: [new Http.TooManyAuthFailures({ retryAfterSeconds: 1 })],
  NoRoom: (["key", "process", "disk"] as const).map((of) => new Core.NoRoom({ of, limitBytes: 1024 })),
  TooManyStreams: [new Http.TooManyStreams({ most: 20 })],
  BadRequest: (
    [
      [400, "malformed_request"],
      [408, "request_timeout"],
      [417, "expectation_failed"],
      [431, "headers_too_large"]
    ] as const
  ).map(([status, code]) => new Http.BadRequest({ status, code, message: "no" })),
  NoAllowedProvider: [new Core.NoAllowedProvider({ model: "m", reasons: [] })],
  NoRouteMeetsPolicy: [new Core.NoRouteMeetsPolicy({ model: "m", keyId: "key_1", reasons: [] })],
  ModelNotAllowed: [new Core.ModelNotAllowed({ model: "m", keyId: "key_1" })],
  ModelNotFound: [new Core.ModelNotFound({ model: "m", nearest: [] })],
  NotFound: [new Core.NotFound({ what: "key", id: "key_1" })],
  TeamInUse: [new Core.TeamInUse({ team: "red", keys: 2 })],
  PreviousResponseNotFound: [new Core.PreviousResponseNotFound({ id: "resp_1" })],
  UnknownPath: [new Http.UnknownPath({ method: "GET", path: "/x" })],
  WebSocketNotServed: [new Http.WebSocketNotServed()],
  SocketRefused: (["in_flight", "expired"] as const).map((why) => new Http.SocketRefused({ why })),
  MethodNotAllowed: [new Http.MethodNotAllowed({ method: "GET", path: "/x", allow: ["POST"] })],
  InvalidJson: [new Http.InvalidJson({ message: "no" })],
  InvalidForm: [new Http.InvalidForm({ message: "no" })],
  RequestExceedsLimit: [
    new Core.RequestExceedsLimit({ scope: "key", subject: "key_1", keyId: "key_1", limit: 10, asked: 20 })
  ],
  InvalidField: [new Core.InvalidField({ param: "n", message: "no" })],
  Unsupported: [
    new Unsupported({ param: "n", message: "no" }),
    new Unsupported({ param: "n", message: "no", code: "cost_unbounded" })
  ],
  NoCapableDeployment: [true, false].map(
    (isTooLong) => new Core.NoCapableDeployment({ model: "m", isTooLong, reasons: [] })
  ),
  EndUserRefused: (["end_user_required", "end_user_blocked"] as const).map(
    (code) => new Core.EndUserRefused({ code, keyId: "key_1", endUser: "a" })
  ),
  OlderGateways: [new Core.OlderGateways({ names: ["old"] })],
  TooManyScopes: [new Core.TooManyScopes({ scopes: 70, most: 64 })],
  PriceUnknown: [new Core.PriceUnknown({ model: "m", keyId: "key_1" })],
  BodyTooLarge: [new Http.BodyTooLarge({ limitBytes: 1 })],
  UnsupportedMediaType: [new Http.UnsupportedMediaType({ message: "no" })],
  RateLimited: [new Core.RateLimited({ ...limited, kind: "rpm", resetsAt: 0 })],
  BudgetExceeded: (["budget", "budget_reserved"] as const).map((kind) => new Core.BudgetExceeded({ ...budget, kind })),
  ConfigurationRefused: (["no_file", "invalid"] as const).map(
    (why) => new ConfigurationRefused({ why, message: "no" })
  ),
  IdempotencyConflict: (["in_use", "reused", "answer_too_large"] as const).map(
    (why) => new Core.IdempotencyConflict({ why })
  ),
  GuardrailDenied: [
    new Core.GuardrailDenied({ check: "pii", rule: "email", stage: "request", verdicts: [] }),
    new Core.GuardrailDenied({ check: "dlp", rule: "webhook", stage: "request", retryAfter: 1, verdicts: [] })
  ],
  GuardrailUnknown: [new Core.GuardrailUnknown({ name: "strict", known: [] })],
  OutOfRotation: [new Core.OutOfRotation({ model: "m" })],
  Exhausted: failureClasses.flatMap((failure) =>
    statuses.map((status) => new Core.Exhausted({ class: failure, status, message: "no", attempts: 2 }))
  ),
  ProviderFailure: failureClasses.flatMap((failure) =>
    statuses.map((status) => new ProviderFailure({ class: failure, status, ...upstream }))
  ),
  StoreUnavailable: [new Core.StoreUnavailable({ message: "no" })],
  Draining: [new Core.Draining()],
  InternalFault: [new Http.InternalFault()]
}

/** The rows of the page: code → statuses. */
const documented = new Map<string, string>()
for (const [, status, codes] of page.matchAll(/^\| ([^|]+) \| ([^|]*`[^|]*) \|/gm)) {
  for (const [, code] of codes?.matchAll(/`([a-z_]+)`/g) ?? []) documented.set(code ?? "", status ?? "")
}

describe("the page of errors", () => {
  it("has every code, with the statuses it comes with, and no other", () => {
    const seen = new Set<string>()
    for (const error of Object.values(examples).flat()) {
      const { body, status } = wireError(error, 0)
      const code = body.error.code ?? ""
      seen.add(code)
      const said = documented.get(code)
      assert.isDefined(said, `${code} has no row`)
      // Of what the provider says of the request the status is the provider's.
      const isOfProvider = (error._tag === "Exhausted" || error._tag === "ProviderFailure") && error.class !== "auth"
      if (said !== "as upstream" && !(isOfProvider && code === "context_length_exceeded")) {
        assert.include(said.split(", "), String(status), code)
      }
    }
    for (const code of documented.keys()) {
      if (code !== "code")
        assert.lengthOf(page.match(new RegExp(`<a id="${code}"></a>`, "g")) ?? [], 1, `anchor ${code}`)
    }
    assert.deepStrictEqual(
      [...documented.keys()].filter((code) => !seen.has(code) && code !== "code"),
      []
    )
  })
})

describe("each code", () => {
  const codes = [...documented.keys()].filter((code) => code !== "code")

  it("has a page, and no page is of another", () => {
    assert.sameMembers(
      readdirSync(join(root, "docs", "errors")),
      codes.map((code) => `${code}.md`)
    )
  })

  for (const code of codes) {
    it(`${code}: its page says the same status, what happened and what to do`, () => {
      const text = readDocument(`docs/errors/${code}.md`)
      const { status } =
        /^# `(?<code>\w+)`\n\n\*Status (?<status>[^*]+)\*\n\n[^]+\n\n## What to do\n\n\S/.exec(text)?.groups ?? {}
      assert.isDefined(status, "the form of the page")
      assert.isTrue(text.startsWith(`# \`${code}\``), "its title")
      assert.include(page, `](errors/${code}.md)`)
      const said = documented.get(code) ?? ""
      if (said !== "as upstream") assert.deepStrictEqual(status?.match(/\d+/g), said.match(/\d+/g))
    })
  }
})
