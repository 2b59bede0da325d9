/** A program that signs in as a person, who approves it in a browser. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { addPerson, peopleYaml, sessionOf } from "../../support/People.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"

const DEVICE = "urn:ietf:params:oauth:grant-type:device_code"

const startWorld = Effect.gen(function* () {
  const gateway = yield* startGateway({ yaml: peopleYaml })
  yield* addPerson(gateway, "ada", { teams: { red: "member" } })
  const post = (path: string, form: Readonly<Record<string, string>>) =>
    call(gateway.url, {
      method: "POST",
      path: `/oauth/${path}`,
      headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": "a-program/1.0" },
      body: new URLSearchParams(form).toString()
    })
  /** With a new session: an hour ends one. */
  const ada = (method: string, path: string) =>
    Effect.flatMap(sessionOf(gateway, "ada"), ({ headers }) =>
      call(gateway.url, { method, path: `/admin/${path}`, headers })
    )
  const begin = Effect.map(post("device_authorization", { client_id: "model-gateway-cli" }), ({ json }) => json)
  const redeem = (device_code: string) => post("token", { grant_type: DEVICE, device_code })
  const refresh = (refresh_token: string) => post("token", { grant_type: "refresh_token", refresh_token })
  const asMachine = (token: string, path = "/admin/me", method = "GET") =>
    call(gateway.url, { method, path, key: token })
  const signedIn = Effect.gen(function* () {
    const codes = yield* begin
    yield* ada("POST", `device/${codes.user_code}/approve`)
    return (yield* redeem(codes.device_code)).json
  })
  return { ...gateway, post, ada, begin, redeem, refresh, asMachine, signedIn }
})

describe("the sign-in of a program", () => {
  it.effect("takes the person's approval in a browser, and has the person's roles", () =>
    Effect.gen(function* () {
      const { ada, admin, asMachine, begin, redeem, url } = yield* startWorld
      const { json: server } = yield* call(url, { method: "GET", path: "/.well-known/oauth-authorization-server" })
      assert.strictEqual(server.token_endpoint, "http://127.0.0.1:4100/oauth/token")
      assert.isUndefined(server.authorization_endpoint)
      const codes = yield* begin
      assert.match(codes.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      assert.deepInclude(codes, {
        verification_uri: "http://127.0.0.1:4100/ui/device",
        expires_in: 600,
        interval: 5
      })
      assert.notInclude(JSON.stringify(codes), "complete")
      assert.deepStrictEqual((yield* redeem(codes.device_code)).json.error, "authorization_pending")
      assert.deepStrictEqual((yield* redeem(codes.device_code)).json.error, "slow_down")
      const { json: shown } = yield* ada("GET", `device/${codes.user_code.toLowerCase().replace("-", "%20")}`)
      assert.deepInclude(shown, { client: "a-program/1.0", address: "127.0.0.1", state: "pending" })
      assert.strictEqual((yield* ada("POST", `device/${codes.user_code}/approve`)).json.state, "approved")
      yield* TestClock.adjust("5 seconds")
      const { headers, json: tokens, status } = yield* redeem(codes.device_code)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.deepInclude(tokens, { token_type: "Bearer", expires_in: 3600, email: "ada@example.com" })
      assert.deepInclude((yield* asMachine(tokens.access_token)).json, { kind: "user", id: "user_ada" })
      // The code is spent.
      assert.strictEqual((yield* redeem(codes.device_code)).json.error, "invalid_grant")
      // A machine approves no other machine.
      const another = yield* begin
      const escalated = yield* asMachine(tokens.access_token, `/admin/device/${another.user_code}/approve`, "POST")
      assert.strictEqual(escalated.json.error.code, "not_permitted")
      const { data } = (yield* ada("GET", "me/sign-ins")).json
      assert.deepInclude(data[0], { client: "a-program/1.0", address: "127.0.0.1" })
      assert.strictEqual((yield* ada("DELETE", `me/sign-ins/${data[0].id}`)).status, 200)
      assert.strictEqual((yield* asMachine(tokens.access_token)).json.error.code, "invalid_session")
      const { json: log } = yield* admin("GET", "/admin/audit?actor=user_ada")
      assert.deepStrictEqual(
        log.data.map(({ action }: { readonly action: string }) => action),
        ["sign_ins.revoke", "sign_ins.approve"]
      )
      assert.notInclude(JSON.stringify(log), "mgw")
    })
  )

  it.effect("ends when it is refused, expires, or is guessed at", () =>
    Effect.gen(function* () {
      const { ada, begin, post, redeem } = yield* startWorld
      const denied = yield* begin
      yield* ada("POST", `device/${denied.user_code}/deny`)
      assert.strictEqual((yield* redeem(denied.device_code)).json.error, "access_denied")
      assert.strictEqual((yield* ada("POST", `device/${denied.user_code}/approve`)).status, 404)
      const late = yield* begin
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* redeem(late.device_code)).json.error, "expired_token")
      assert.strictEqual((yield* ada("POST", `device/${late.user_code}/approve`)).status, 404)
      // Four more wrong codes lock the person out, of the right one too.
      const codes = yield* begin
      for (const wrong of ["BBBB-BBBB", "CCCC-CCCC", "DDDD-DDDD", "FFFF-FFFF"]) yield* ada("GET", `device/${wrong}`)
      const locked = yield* ada("POST", `device/${codes.user_code}/approve`)
      assert.strictEqual(locked.status, 404)
      assert.include(locked.json.error.message, "After five wrong codes, wait 10 minutes.")
      yield* TestClock.adjust("10 minutes")
      for (let begun = 0; begun < 20; begun++) assert.strictEqual((yield* begin).error, undefined)
      const flood = yield* post("device_authorization", {})
      assert.deepStrictEqual([flood.status, flood.json.error], [429, "slow_down"])
      for (const [form, error] of [
        [{}, "unsupported_grant_type"],
        [{ grant_type: "password" }, "unsupported_grant_type"],
        [{ grant_type: DEVICE }, "invalid_request"],
        [{ grant_type: "refresh_token" }, "invalid_request"]
      ] as const) {
        assert.strictEqual((yield* post("token", form)).json.error, error)
      }
    })
  )

  it.effect("replaces both tokens at each refresh, and ends when an old one is used again", () =>
    Effect.gen(function* () {
      const { asMachine, refresh, signedIn } = yield* startWorld
      const first = yield* signedIn
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* asMachine(first.access_token)).status, 401)
      const second = (yield* refresh(first.refresh_token)).json
      assert.strictEqual((yield* asMachine(second.access_token)).status, 200)
      // Its client did not receive the response.
      const again = (yield* refresh(first.refresh_token)).json
      assert.strictEqual((yield* asMachine(again.access_token)).status, 200)
      yield* TestClock.adjust("1 minute")
      // Whoever was first, the thief or the owner: the other's use ends it for both.
      const reused = yield* refresh(first.refresh_token)
      assert.deepStrictEqual([reused.status, reused.json.error], [401, "invalid_grant"])
      assert.strictEqual((yield* refresh(again.refresh_token)).status, 401)
      assert.strictEqual((yield* asMachine(again.access_token)).status, 401)
      // A token that never was ends nothing.
      const other = yield* signedIn
      yield* refresh(other.refresh_token.slice(0, -1) + (other.refresh_token.endsWith("a") ? "b" : "a"))
      assert.strictEqual((yield* refresh(other.refresh_token)).status, 200)
      // Any of its tokens ends it, however often it was replaced since then.
      const stolen = yield* signedIn
      let newest = (yield* refresh(stolen.refresh_token)).json
      yield* TestClock.adjust("2 minutes")
      newest = (yield* refresh(newest.refresh_token)).json
      // Within the minute of a refresh it is only refused: a client may have called twice.
      assert.strictEqual((yield* refresh(stolen.refresh_token)).status, 401)
      assert.strictEqual((yield* asMachine(newest.access_token)).status, 200)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* refresh(stolen.refresh_token)).json.error, "invalid_grant")
      assert.strictEqual((yield* asMachine(newest.access_token)).status, 401)
    })
  )

  it.effect("is refused with its person, and ended by revoke and sign-out", () =>
    Effect.gen(function* () {
      const { admin, asMachine, post, refresh, signedIn } = yield* startWorld
      const tokens = yield* signedIn
      yield* admin("PATCH", "/admin/users/user_ada", { status: "disabled" })
      assert.strictEqual((yield* asMachine(tokens.access_token)).status, 401)
      assert.strictEqual((yield* refresh(tokens.refresh_token)).status, 401)
      yield* admin("PATCH", "/admin/users/user_ada", { status: "active" })
      assert.strictEqual((yield* asMachine(tokens.access_token)).status, 200)
      assert.strictEqual((yield* post("revoke", { token: tokens.access_token })).status, 200)
      assert.strictEqual((yield* post("revoke", { token: "unknown" })).status, 200)
      assert.strictEqual((yield* asMachine(tokens.access_token)).status, 401)
      const { access_token } = yield* signedIn
      assert.isAbove((yield* admin("POST", "/admin/users/user_ada/sign-out")).json.ended, 0)
      assert.strictEqual((yield* asMachine(access_token)).status, 401)
    })
  )

  it.effect("has no endpoint without an identity provider", () =>
    Effect.gen(function* () {
      const { url } = yield* startGateway()
      for (const path of ["device_authorization", "token", "revoke"]) {
        const answered = yield* call(url, { method: "POST", path: `/oauth/${path}`, body: "a=b" })
        assert.strictEqual(answered.status, 404)
        assert.include(answered.json.error.message, "no identity provider")
      }
    })
  )
})
