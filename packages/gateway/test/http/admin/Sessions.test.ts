import { assert, describe, it } from "@effect/vitest"
import { OpenedSession, Session, SessionList, SessionsEnded } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Answered, call } from "../../support/RawHttp.ts"
import { masterKey, startGateway, temporaryStore } from "../../support/RunningGateway.ts"
import { conforms, rowOf } from "../AdminClient.ts"

const NOON = Date.UTC(2026, 10, 21, 12)
const INVALID = [401, "authentication_error", "invalid_session", null]

type Headers = Readonly<Record<string, string>>

const signIn = (url: string, key = masterKey, headers: Headers = {}) =>
  call(url, { path: "/admin/session", headers, body: { master_key: key } })

const cookieOf = ({ headers }: Answered) => headers["set-cookie"]?.[0] ?? ""

/** Both halves as the page of the gateway sends them. */
const halvesOf = (answer: Answered) => ({
  cookie: `other=1; ${cookieOf(answer).split(";")[0]}`,
  "x-gateway-session": String(answer.json.token),
  "sec-fetch-site": "same-origin"
})

/** A gateway at noon, and a browser that is signed in. */
const start = Effect.fnUntraced(function* (options: Parameters<typeof startGateway>[0] = {}) {
  yield* TestClock.setTime(NOON)
  const gateway = yield* startGateway(options)
  const opened = yield* signIn(gateway.url)
  const send = (method: string, path: string, headers: Headers = halvesOf(opened)) =>
    call(gateway.url, { method, path, headers })
  return {
    gateway,
    opened,
    send,
    halves: halvesOf(opened),
    get: (headers: Headers) => send("GET", "/admin/keys", headers)
  }
})

describe("signing in", () => {
  it.effect("gives two halves, which open /admin together and nothing else", () =>
    Effect.gen(function* () {
      const { get, halves, opened, send } = yield* start()
      assert.strictEqual(opened.status, 201)
      conforms(OpenedSession, opened.json)
      assert.match(
        cookieOf(opened),
        /^mgw_session=[0-9A-Za-z]{43}; HttpOnly; SameSite=Strict; Path=\/admin; Max-Age=28800$/
      )
      assert.strictEqual(opened.headers["cache-control"], "no-store")
      const { token, ...session } = opened.json
      assert.strictEqual(session.expires_at, "2026-11-21T20:00:00.000Z")
      assert.strictEqual((yield* get(halves)).status, 200)
      const me = yield* send("GET", "/admin/session")
      conforms(Session, me.json)
      assert.deepStrictEqual(me.json, session)
      assert.notInclude(me.text, token)
      const refused = yield* send("GET", "/v1/models")
      assert.deepStrictEqual(rowOf(refused), [401, "authentication_error", "missing_api_key", null])
    })
  )

  it.effect("takes the master key alone, in a body of 4 KB, and counts all failures", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { createKey, url } = yield* startGateway()
      const { secret } = yield* createKey()
      assert.deepStrictEqual(rowOf(yield* signIn(url, secret)), [403, "permission_error", "wrong_key_kind", null])
      const empty = yield* call(url, { path: "/admin/session", body: {} })
      assert.deepStrictEqual(rowOf(empty), [400, "invalid_request_error", "invalid_field", "master_key"])
      const large = yield* call(url, { path: "/admin/session", body: { master_key: "x".repeat(4_096) } })
      assert.deepStrictEqual(rowOf(large), [413, "invalid_request_error", "body_too_large", null])
      for (let tries = 0; tries < 17; tries++) {
        const answer = yield* signIn(url, `wrong-key-number-${tries}`)
        assert.deepStrictEqual(rowOf(answer), [401, "authentication_error", "invalid_api_key", null])
        assert.notInclude(answer.text, "wrong-key-number")
        assert.isUndefined(answer.headers["set-cookie"])
      }
      assert.strictEqual((yield* signIn(url, "wrong")).status, 429)
      const unreadable = yield* call(url, { path: "/admin/session", body: "{" })
      assert.deepStrictEqual([unreadable.status, unreadable.json.error.code], [429, "too_many_auth_failures"])
      assert.strictEqual((yield* signIn(url)).status, 201)
    })
  )

  it.effect("sets the cookie for the path that browsers see, and for HTTPS where a trusted proxy says so", () =>
    Effect.gen(function* () {
      const yaml = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
server: { public_path: /gw/, trusted_proxies: [127.0.0.1] }
`
      const { gateway, opened } = yield* start({ yaml })
      assert.include(cookieOf(opened), "; Path=/gw/admin;")
      assert.notInclude(cookieOf(opened), "Secure")
      const encrypted = yield* signIn(gateway.url, masterKey, {
        "x-forwarded-proto": "https",
        "x-forwarded-for": "198.51.100.7"
      })
      assert.match(cookieOf(encrypted), /; Secure$/)
      assert.strictEqual(encrypted.json.address, "198.51.100.7")
      const claimed = yield* signIn(gateway.url, masterKey, { "x-forwarded-proto": "https, http" })
      assert.notInclude(cookieOf(claimed), "Secure")
    })
  )

  it.effect("believes nobody but a trusted proxy about HTTPS", () =>
    Effect.gen(function* () {
      const { gateway } = yield* start()
      const answer = yield* signIn(gateway.url, masterKey, { "x-forwarded-proto": "https" })
      assert.notInclude(cookieOf(answer), "Secure")
    })
  )
})

describe("a link that a gateway printed", () => {
  const open = (url: string, code: string, headers: Headers = {}) =>
    call(url, { path: "/admin/session", headers, body: { code } })
  const OVER = [401, "authentication_error", "invalid_sign_in_link", null]

  it.effect("opens one session, and the audit log says what opened it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { admin, signInCode, url } = yield* startGateway()
      const code = yield* signInCode
      const opened = yield* open(url, code)
      assert.strictEqual(opened.status, 201)
      conforms(OpenedSession, opened.json)
      const keys = yield* call(url, { method: "GET", path: "/admin/keys", headers: halvesOf(opened) })
      assert.strictEqual(keys.status, 200)
      assert.deepStrictEqual(rowOf(yield* open(url, code)), OVER)
      const audit = yield* admin("GET", "/admin/audit")
      assert.deepInclude(audit.json.data[0], { action: "sessions.open", target: opened.json.id })
      assert.strictEqual(audit.json.data[0].actor.kind, "sign_in_link")
      assert.notInclude(audit.text, code)
    })
  )

  it.effect("opens nothing after five minutes, nor at another gateway, nor where the clock was set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { signInCode, url } = yield* startGateway()
      const other = yield* startGateway()
      const [first, second, third] = [yield* signInCode, yield* signInCode, yield* signInCode]
      assert.deepStrictEqual(rowOf(yield* open(other.url, first)), OVER)
      yield* TestClock.adjust("299 seconds")
      assert.strictEqual((yield* open(url, first)).status, 201)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(rowOf(yield* open(url, second)), OVER)
      yield* TestClock.setTime(NOON - 1)
      assert.deepStrictEqual(rowOf(yield* open(url, third)), OVER)
    })
  )

  it.effect("is not used up by a page of another origin, which is refused", () =>
    Effect.gen(function* () {
      const { signInCode, url } = yield* startGateway()
      const code = yield* signInCode
      for (const site of ["cross-site", "same-site"]) {
        const answer = yield* open(url, code, { "sec-fetch-site": site })
        assert.deepStrictEqual(rowOf(answer), [403, "permission_error", "cross_site", null])
      }
      assert.strictEqual((yield* open(url, code, { "sec-fetch-site": "same-origin" })).status, 201)
    })
  )

  it.effect("is counted as a wrong key where it is a guess, and no key beside it is looked at", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { signInCode, url } = yield* startGateway()
      const code = yield* signInCode
      const both = yield* call(url, { path: "/admin/session", body: { code, master_key: masterKey } })
      assert.deepStrictEqual(rowOf(both), [400, "invalid_request_error", "invalid_field", "master_key"])
      for (let tries = 0; tries < 19; tries++) assert.deepStrictEqual(rowOf(yield* open(url, `guess-${tries}`)), OVER)
      const throttled = yield* open(url, "guess")
      assert.strictEqual(throttled.status, 429)
      assert.notInclude(throttled.text, "guess")
      assert.strictEqual((yield* open(url, code)).status, 201)
    })
  )
})

describe("a session", () => {
  it.effect("opens nothing by one of its halves, nor by halves of two", () =>
    Effect.gen(function* () {
      const { gateway, get, halves } = yield* start()
      const other = halvesOf(yield* signIn(gateway.url))
      const { cookie, "x-gateway-session": token } = halves
      for (const headers of [
        { cookie },
        { "x-gateway-session": token },
        { cookie, "x-gateway-session": other["x-gateway-session"] },
        { cookie: `mgw_session=${token}`, "x-gateway-session": token },
        { cookie: "mgw_session=", "x-gateway-session": "" }
      ]) {
        assert.deepStrictEqual(rowOf(yield* get(headers)), INVALID, JSON.stringify(headers))
      }
      assert.strictEqual((yield* get({ cookie, "x-gateway-session": token })).status, 200)
    })
  )

  it.effect("is refused to pages of other origins, whatever they send", () =>
    Effect.gen(function* () {
      const { gateway, get, halves } = yield* start()
      for (const site of ["cross-site", "same-site", "none"]) {
        const row = [403, "permission_error", "cross_site", null]
        assert.deepStrictEqual(rowOf(yield* get({ ...halves, "sec-fetch-site": site })), row)
        assert.deepStrictEqual(rowOf(yield* get({ cookie: halves.cookie, "sec-fetch-site": site })), row)
        assert.deepStrictEqual(rowOf(yield* signIn(gateway.url, masterKey, { "sec-fetch-site": site })), row)
      }
    })
  )

  it.effect("gives way to Authorization, right or wrong", () =>
    Effect.gen(function* () {
      const { get, halves } = yield* start()
      const right = yield* get({ ...halves, "sec-fetch-site": "cross-site", authorization: `Bearer ${masterKey}` })
      assert.strictEqual(right.status, 200)
      const wrong = yield* get({ ...halves, authorization: "Bearer wrong" })
      assert.deepStrictEqual(rowOf(wrong), [401, "authentication_error", "invalid_api_key", null])
    })
  )

  it.effect("ends after an hour without use, and after eight hours of it", () =>
    Effect.gen(function* () {
      const { gateway, get, halves } = yield* start()
      const idle = halvesOf(yield* signIn(gateway.url))
      for (let minutes = 0; minutes < 7 * 60 + 30; minutes += 30) {
        assert.strictEqual((yield* get(halves)).status, 200, `${minutes}`)
        yield* TestClock.adjust("30 minutes")
        if (minutes === 0) assert.strictEqual((yield* get(idle)).status, 200)
        // Its last use is an hour ago.
        if (minutes === 60) assert.deepStrictEqual(rowOf(yield* get(idle)), INVALID)
      }
      assert.strictEqual((yield* get(halves)).status, 200)
      yield* TestClock.adjust("30 minutes")
      assert.deepStrictEqual(rowOf(yield* get(halves)), INVALID)
    })
  )

  it.effect("does not live longer where the clock is set back", () =>
    Effect.gen(function* () {
      const { get, halves } = yield* start()
      yield* TestClock.setTime(NOON - 60_000)
      assert.strictEqual((yield* get(halves)).status, 200)
      yield* TestClock.setTime(NOON - 3_600_000)
      assert.deepStrictEqual(rowOf(yield* get(halves)), INVALID)
    })
  )

  it.effect("ends in every tab when one signs out, and the cookie is taken back", () =>
    Effect.gen(function* () {
      const { gateway, get, halves, send } = yield* start()
      const other = halvesOf(yield* signIn(gateway.url))
      const out = yield* send("DELETE", "/admin/session")
      conforms(SessionsEnded, out.json)
      assert.match(cookieOf(out), /^mgw_session=; .*Path=\/admin; Max-Age=0$/)
      assert.deepStrictEqual(rowOf(yield* get(halves)), INVALID)
      assert.strictEqual((yield* get(other)).status, 200)
      const mine = yield* gateway.admin("DELETE", "/admin/session")
      assert.deepStrictEqual(rowOf(mine), [404, "invalid_request_error", "not_found", null])
    })
  )

  it.effect("is listed, ended by its id, and ended with all others", () =>
    Effect.gen(function* () {
      const { gateway, get, halves, opened } = yield* start()
      yield* TestClock.adjust("1 second")
      const second = yield* signIn(gateway.url)
      const list = yield* gateway.admin("GET", "/admin/sessions")
      conforms(SessionList, list.json)
      assert.deepStrictEqual(
        list.json.data.map(({ id }: { id: string }) => id),
        [second.json.id, opened.json.id]
      )
      assert.notInclude(list.text, second.json.token)
      assert.strictEqual((yield* gateway.admin("DELETE", `/admin/sessions/${opened.json.id}`)).json.ended, 1)
      assert.strictEqual((yield* gateway.admin("DELETE", `/admin/sessions/${opened.json.id}`)).status, 404)
      assert.deepStrictEqual(rowOf(yield* get(halves)), INVALID)
      yield* signIn(gateway.url)
      assert.strictEqual((yield* gateway.admin("DELETE", "/admin/sessions")).json.ended, 2)
      assert.deepStrictEqual(rowOf(yield* get(halvesOf(second))), INVALID)
      assert.deepStrictEqual((yield* gateway.admin("GET", "/admin/sessions")).json.data, [])
    })
  )

  it.effect("outlives a restart, and no other master key", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const { halves } = yield* Effect.scoped(start({ store }))
      const get = Effect.fnUntraced(function* (options: Parameters<typeof startGateway>[0]) {
        const { url } = yield* startGateway({ store, ...options })
        return yield* call(url, { method: "GET", path: "/admin/keys", headers: halves })
      }, Effect.scoped)
      assert.strictEqual((yield* get({})).status, 200)
      const other = yield* get({ masterKey: `${masterKey}2` })
      assert.deepStrictEqual(rowOf(other), INVALID)
      assert.strictEqual((yield* get({})).status, 200)
    })
  )
})
