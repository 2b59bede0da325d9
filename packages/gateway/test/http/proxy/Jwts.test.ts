/** Callers with JWTs in place of virtual keys, through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { generateSecret, SignJWT } from "jose"
import { demoYaml, startGateway } from "../../support/RunningGateway.ts"
import { call } from "../../support/RawHttp.ts"
import { issuersYaml, startIssuer, type TokenClaims } from "../../support/TokenIssuers.ts"

const rules = `[
  { name: main, match: { repository_owner_id: "12", ref: refs/heads/main }, team: ci, end_user: actor,
    key: { per: repository, models: [fast], tags: [ci], limits: { rpm: 5 }, budgets: [{ usd: 5, window: day }] } },
  { name: any, match: { sub: "repo:acme/*:*" } , max_subjects: 2 } ]`

const GOOD = { repository: "acme/app", repository_owner_id: "12", ref: "refs/heads/main", actor: "ada" }

const startWorld = Effect.fnUntraced(function* (given = rules, more = "") {
  const idp = yield* startIssuer
  const server = "server: { auth_failures_per_minute: 1000 }"
  const yaml = demoYaml + issuersYaml({ github: idp.issuer }, given, more) + server
  const gateway = yield* startGateway({ yaml })
  const models = (key: string, headers = {}) => call(gateway.url, { method: "GET", path: "/v1/models", key, headers })
  const chat = (key: string, headers = {}) =>
    call(gateway.url, {
      method: "POST",
      path: "/v1/chat/completions",
      key,
      headers,
      body: { model: "fast", messages: [{ role: "user", content: "Hi" }] }
    })
  /** Status and error code of a token with these claims. */
  const tried = Effect.fnUntraced(function* (token: string | Promise<string>) {
    const { json, status } = yield* models(yield* Effect.promise(async () => token))
    return [status, json.error?.code ?? "ok"] as const
  })
  const of = (claims: TokenClaims = {}) => Effect.promise(() => idp.token(claims))
  return { ...gateway, idp, models, chat, tried, of }
})

describe("callers with JWTs", () => {
  it.effect("have one key for each rule and subject, with the settings of the first rule that matches", () =>
    Effect.gen(function* () {
      const { admin, chat, of } = yield* startWorld()
      const token = yield* of(GOOD)
      const first = yield* chat(token, { "x-gateway-end-user": "mallory" })
      assert.strictEqual(first.status, 200, first.text)
      // Another token of the same subject, and one of another subject.
      assert.strictEqual((yield* chat(yield* of({ ...GOOD, jti: "2" }))).status, 200)
      assert.strictEqual((yield* chat(yield* of({ ...GOOD, repository: "acme/web" }))).status, 200)
      assert.strictEqual((yield* chat(yield* of({ ...GOOD, ref: "refs/heads/x" }))).status, 200)
      const { json: keys } = yield* admin("GET", "/admin/keys")
      const shown = keys.data.map((key: { name: string; team: string | null }) => [key.name, key.team])
      assert.sameDeepMembers(shown, [
        ["acme/app", "ci"],
        ["acme/web", "ci"],
        ["repo:acme/app:main", null]
      ])
      const key = keys.data.find((one: { name: string }) => one.name === "acme/app")
      assert.deepInclude(key, { models: ["fast"], tags: ["ci"] })
      assert.strictEqual(key.limits.rpm, 5)
      assert.strictEqual(key.budgets[0].usd, 5)
      const { json: requests } = yield* admin("GET", `/admin/requests?key=${key.id}`)
      assert.deepStrictEqual(
        requests.data.map(({ end_user }: { end_user: string }) => end_user),
        ["ada", "ada"]
      )
    })
  )

  it.effect("are told what is wrong, with the status of its kind", () =>
    Effect.gen(function* () {
      const { idp, models, of } = yield* startWorld()
      const now = 1_000_000
      yield* TestClock.adjust(`${now} seconds`)
      const message = Effect.fnUntraced(function* (token: string) {
        const { headers, json, status } = yield* models(token)
        return `${status} ${headers["www-authenticate"] ?? "-"} ${json.error.code}: ${json.error.message}`
      })
      const invalid = '401 Bearer error="invalid_token" invalid_token: The token is not valid: '
      for (const [claims, words] of [
        [{ aud: "another" }, `${invalid}the check of its claim aud failed.`],
        [{ exp: undefined }, `${invalid}the check of its claim exp failed.`],
        [{ iat: undefined }, `${invalid}the check of its claim iat failed.`],
        [{ nbf: now + 600 }, `${invalid}the check of its claim nbf failed.`],
        [
          { ...GOOD, actor: undefined },
          `${invalid}the rule github/main reads one text of at most 256 bytes from its claim actor.`
        ],
        [{ exp: now - 61 }, '401 Bearer error="invalid_token" expired_token: The token has expired. Get a new one.'],
        [
          { iat: now - 86_500 },
          '401 Bearer error="invalid_token" expired_token: The token has expired. Get a new one.'
        ],
        [
          { iss: "https://elsewhere.example" },
          "401 Bearer unknown_issuer: This gateway accepts no tokens of the issuer that this token names (`iss`)."
        ],
        [
          { sub: "repo:acme-evil/app:x" },
          "403 - no_matching_rule: No rule of the issuer github matches this token. Run `model-gateway identity test` with it to see why."
        ]
      ] as const) {
        assert.strictEqual(yield* message(yield* of(claims)), words)
      }
      for (const [header, words] of [
        [{ kid: "unknown" }, "its issuer has no such key (kid and alg)."],
        [{ typ: "logout+jwt" }, "its typ is not JWT."]
      ] as const) {
        assert.strictEqual(yield* message(yield* Effect.promise(() => idp.token({}, header))), invalid + words)
      }
      const token = yield* of()
      assert.strictEqual(yield* message(`${token.slice(0, -8)}AAAAAAAA`), `${invalid}its signature is wrong.`)
      assert.strictEqual(yield* message("eyJhbGciOiJub25lIn0.x"), `${invalid}it is no signed JWT of at most 12 KB.`)
      // The clocks of issuers differ by up to a minute.
      assert.strictEqual((yield* models(yield* of({ exp: now - 59 }))).status, 200)
      assert.strictEqual((yield* models(yield* of({ iat: now + 59 }))).status, 200)
    })
  )

  it.effect("never reach /admin", () =>
    Effect.gen(function* () {
      const { adminUrl, models, of } = yield* startWorld()
      const key = yield* of(GOOD)
      assert.strictEqual((yield* models(key)).status, 200)
      for (const path of ["/admin/keys", "/admin/me", "/admin/info"]) {
        assert.strictEqual((yield* call(adminUrl, { method: "GET", path, key })).status, 401)
      }
    })
  )

  it.effect("are refused when their key is disabled or revoked, whatever token comes later", () =>
    Effect.gen(function* () {
      const { admin, of, tried } = yield* startWorld()
      const token = yield* of(GOOD)
      assert.deepStrictEqual(yield* tried(token), [200, "ok"])
      const { json: keys } = yield* admin("GET", "/admin/keys")
      const path = `/admin/keys/${keys.data[0].id}`
      assert.strictEqual((yield* admin("PATCH", path, { disabled: true })).status, 200)
      assert.deepStrictEqual(yield* tried(token), [401, "disabled_api_key"])
      assert.strictEqual((yield* admin("DELETE", path)).status, 200)
      assert.deepStrictEqual(yield* tried(token), [401, "revoked_api_key"])
      assert.deepStrictEqual(yield* tried(yield* of({ ...GOOD, jti: "later" })), [401, "revoked_api_key"])
    })
  )

  it.effect("cannot make more keys than max_subjects, and those that exist go on", () =>
    Effect.gen(function* () {
      const { models, of, tried } = yield* startWorld()
      const subject = (branch: string) => of({ sub: `repo:acme/app:${branch}` })
      assert.deepStrictEqual(yield* tried(yield* subject("a")), [200, "ok"])
      assert.deepStrictEqual(yield* tried(yield* subject("b")), [200, "ok"])
      const { json, status } = yield* models(yield* subject("c"))
      assert.strictEqual(status, 403)
      assert.deepInclude(json.error, {
        code: "too_many_jwt_subjects",
        message:
          "The rule github/any has as many keys as its max_subjects allows, so it makes none for another subject."
      })
      assert.deepStrictEqual(yield* tried(yield* subject("a")), [200, "ok"])
    })
  )

  it.effect("keep working while keys rotate, and for an hour without the issuer", () =>
    Effect.gen(function* () {
      const { idp, models, of, tried } = yield* startWorld(`[{ name: all, match: { sub: "*" }, key: { per: aud } }]`)
      const long = (sub: string) => Effect.promise(() => idp.token({ sub, exp: 80_000 }))
      const before = yield* long("a")
      assert.deepStrictEqual(yield* tried(before), [200, "ok"])
      // A token with a key that the issuer has just got.
      const second = yield* Effect.promise(() => idp.addKey("second"))
      yield* TestClock.adjust("30 seconds")
      const after = yield* Effect.promise(() => idp.token({ sub: "b", exp: 80_000 }, {}, second))
      assert.deepStrictEqual(yield* tried(after), [200, "ok"])
      // A key that left the set: tokens that are remembered end with the next fetch.
      idp.state.keys.shift()
      assert.deepStrictEqual(yield* tried(before), [200, "ok"])
      yield* TestClock.adjust("10 minutes")
      const ended = Effect.repeat(tried(before), { until: ([status]) => status === 401, times: 1000 })
      assert.deepStrictEqual(yield* ended, [401, "invalid_token"])
      assert.deepStrictEqual(yield* tried(after), [200, "ok"])
      idp.state.isDown = true
      yield* TestClock.adjust("59 minutes")
      assert.deepStrictEqual(yield* tried(after), [200, "ok"])
      yield* TestClock.adjust("2 minutes")
      const { headers, json, status } = yield* models(after)
      assert.deepStrictEqual([status, headers["retry-after"]], [503, "5"])
      assert.deepInclude(json.error, {
        code: "issuer_unavailable",
        message: "The keys of the issuer github can't be used at the moment. Try again later."
      })
      idp.state.isDown = false
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* tried(after), [200, "ok"])
      assert.deepStrictEqual(yield* tried(yield* of({ sub: "x", aud: "other" })), [401, "invalid_token"])
    })
  )

  it.effect("make one fetch in 30 seconds, however many keys they name", () =>
    Effect.gen(function* () {
      const { idp, tried } = yield* startWorld()
      const named = (kid: string) => Effect.promise(() => idp.token({}, { kid }))
      assert.deepStrictEqual(yield* tried(idp.token()), [200, "ok"])
      assert.strictEqual(idp.state.fetches, 1)
      yield* TestClock.adjust("30 seconds")
      const odd = ["../../etc/passwd", "__proto__", "' OR 1=1 --", "constructor", "", "first\u0000", "\u{1F511}"]
      const kids = [...odd, ...Array.from({ length: 40 }, (_, index) => `kid-${index}`)]
      const results = yield* Effect.forEach(kids, (kid) => Effect.flatMap(named(kid), tried), { concurrency: 8 })
      assert.isTrue(results.every(([status]) => status === 401))
      assert.strictEqual(idp.state.fetches, 2)
    })
  )

  it.effect("are refused with any algorithm but an asymmetric one that their key has", () =>
    Effect.gen(function* () {
      const { idp, tried } = yield* startWorld()
      const rsa = yield* Effect.promise(() => idp.addKey("rsa", "RS256"))
      const now = Math.floor((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) / 1000)
      const body = {
        iss: idp.issuer,
        aud: "https://gateway.example.com",
        sub: "repo:acme/app:x",
        iat: now,
        exp: now + 600
      }
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const publicKey = new TextEncoder().encode(JSON.stringify(rsa.jwk))
      const shared = yield* Effect.promise(() => generateSecret("HS256"))
      const good = (yield* Effect.promise(() => idp.token(body))).split(".")
      const crafted: Array<string> = []
      for (const kid of ["first", "rsa"]) {
        for (const alg of ["none", "None", "NONE", "", "hs256", "RS1", "ES256K", "dir"]) {
          crafted.push(`${part({ alg, kid })}.${part(body)}.`, `${part({ alg, kid })}.${part(body)}.${good[2]}`)
        }
        for (const [alg, key] of [
          ["HS256", publicKey],
          ["HS512", publicKey],
          ["HS256", shared]
        ] as const) {
          crafted.push(yield* Effect.promise(() => new SignJWT(body).setProtectedHeader({ alg, kid }).sign(key)))
        }
      }
      assert.deepStrictEqual(yield* tried(good.join(".")), [200, "ok"])
      // The signature of one body under another, where the first is remembered, of one algorithm under another, and a header that says what is critical.
      crafted.push(`${good[0]}.${part({ ...body, sub: "repo:acme/x:y" })}.${good[2]}`)
      const swapped = yield* Effect.promise(() => idp.token(body, { alg: "RS256" }, rsa))
      crafted.push([part({ alg: "PS256", kid: "rsa" }), ...swapped.split(".").slice(1)].join("."))
      crafted.push(
        [part({ alg: "RS256", kid: "rsa", crit: ["b64"], b64: false }), ...swapped.split(".").slice(1)].join(".")
      )
      assert.isAtLeast(crafted.length, 40)
      for (const token of crafted) assert.strictEqual((yield* tried(token))[0], 401, token)
      assert.deepStrictEqual(yield* tried(swapped), [200, "ok"])
    })
  )

  it.effect("name no address that the gateway then calls", () =>
    Effect.gen(function* () {
      const { idp, tried } = yield* startWorld()
      const trap = yield* startIssuer
      const { jwk } = trap.first
      const jku = `${trap.issuer}/keys`
      for (const header of [{ jku }, { x5u: jku }, { jwk }, { jku, jwk, kid: "first" }]) {
        const given = { kid: "trap", ...header }
        const token = trap.token({ iss: idp.issuer }, given as never)
        assert.deepStrictEqual(yield* tried(token), [401, "invalid_token"])
      }
      assert.strictEqual(trap.state.fetches, 0)
    })
  )

  it.effect("of one issuer are not accepted as those of another that has a key of the same name", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* startIssuer, yield* startIssuer]
      const yaml = issuersYaml({ one: one.issuer, two: two.issuer }, `[{ name: all, match: { sub: "*:*/*:*" } }]`)
      const gateway = yield* startGateway({ yaml: demoYaml + yaml })
      const status = Effect.fnUntraced(function* (token: Promise<string>) {
        return (yield* call(gateway.url, {
          method: "GET",
          path: "/v1/models",
          key: yield* Effect.promise(() => token)
        })).status
      })
      assert.strictEqual(yield* status(one.token()), 200)
      assert.strictEqual(yield* status(two.token()), 200)
      assert.strictEqual(yield* status(one.token({ iss: two.issuer })), 401)
      assert.strictEqual(yield* status(two.token({ iss: one.issuer })), 401)
      assert.strictEqual(yield* status(one.token({ iss: `${one.issuer}/` })), 401)
      // Each has the subject's key of its own.
      const { json } = yield* gateway.admin("GET", "/admin/keys")
      assert.lengthOf(json.data, 2)
    })
  )

  it.effect("are refused while discovery redirects, names another issuer, or an address of a cloud's metadata", () =>
    Effect.gen(function* () {
      const { idp, of, tried } = yield* startWorld()
      const token = yield* of({ ...GOOD, exp: 9000 })
      const { issuer } = idp
      for (const change of [
        { redirect: `${issuer}/elsewhere` },
        { issuer: `${issuer}/` },
        { jwksUri: "https://169.254.169.254/keys" },
        { jwksUri: "http://keys.example.com/keys" }
      ]) {
        Object.assign(idp.state, { redirect: "", issuer, jwksUri: `${issuer}/keys`, ...change })
        assert.deepStrictEqual(yield* tried(token), [503, "issuer_unavailable"], JSON.stringify(change))
        yield* TestClock.adjust("30 seconds")
      }
      Object.assign(idp.state, { jwksUri: `${issuer}/keys` })
      assert.deepStrictEqual(yield* tried(token), [200, "ok"])
    })
  )

  it.effect("are counted by issuer and outcome", () =>
    Effect.gen(function* () {
      const { admin, of, tried } = yield* startWorld()
      const token = yield* of(GOOD)
      yield* tried(token)
      yield* tried(token)
      yield* tried(yield* of({ aud: "x" }))
      yield* tried(yield* of({ iss: "https://elsewhere.example" }))
      const { text } = yield* admin("GET", "/metrics")
      const lines = text.split("\n").filter((line) => /^gateway_(jwt|jwks)/.test(line))
      assert.sameMembers(lines, [
        'gateway_jwt_verifications_total{issuer="github",outcome="ok"} 1',
        'gateway_jwt_verifications_total{issuer="github",outcome="invalid_token"} 1',
        'gateway_jwt_verifications_total{issuer="",outcome="unknown_issuer"} 1',
        'gateway_jwks_age_seconds{issuer="github"} 0'
      ])
    })
  )
})
