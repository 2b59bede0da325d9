/** Signing in at a real identity provider, through the real port. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Browser, PUBLIC_URL, signInYaml, startProvider } from "../../support/OpenIdProvider.ts"
import { demoYaml, startGateway } from "../../support/RunningGateway.ts"

const roles = `[{ group: gw-admins, role: admin }, { group: "team-*", team: "*" }, { group: "leads-*", team: "*", team_role: admin }]`

const startWorld = Effect.fnUntraced(function* (given = roles, more = "") {
  const idp = yield* startProvider
  idp.accounts.set("ada", { name: "Ada Lovelace", email: "ada@example.com", groups: ["gw-admins", "team-red"] })
  const gateway = yield* startGateway({ yaml: demoYaml + signInYaml(idp.issuer, given, more) })
  const browser = (): Browser => new Browser(gateway.url)
  const start = `${PUBLIC_URL}/admin/sign-in/corp`
  /** The session's two halves, as headers. */
  const signIn = Effect.fnUntraced(function* (account = "ada", one: Browser = browser()) {
    idp.state.account = account
    const { text, url } = yield* Effect.promise(() => one.follow(start))
    const code = url.split("#")[1]
    if (code === undefined) return yield* Effect.die(text)
    const { json } = yield* Effect.promise(() => one.exchange(code))
    const headers = { "x-gateway-session": json.token as string }
    const ask = (path: string) =>
      // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
      Effect.promise(async (): Promise<{ readonly status: number; readonly json: any }> => {
        const response = await one.get(`${PUBLIC_URL}/admin/${path}`, { headers })
        return { status: response.status, json: await response.json() }
      })
    return { ask, session: json, code }
  })
  return { ...gateway, idp, browser, signIn, start }
})

describe("signing in at an identity provider", () => {
  it.effect("gives the roles of the groups, and the audit log has the name", () =>
    Effect.gen(function* () {
      const { admin, signIn } = yield* startWorld()
      const { ask, session } = yield* signIn()
      assert.deepInclude(session, { object: "session", role: "user" })
      const { json: me } = yield* ask("me")
      assert.deepInclude(me, { kind: "user", name: "Ada Lovelace", email: "ada@example.com", role: "admin" })
      assert.deepStrictEqual(me.teams, [{ team: "red", role: "member" }])
      assert.strictEqual((yield* ask("keys")).status, 200)
      const { json: log } = yield* admin("GET", "/admin/audit")
      assert.deepStrictEqual(
        log.data.map(({ action, actor }: { action: string; actor: { kind: string; name: string } }) => [
          action,
          actor.kind,
          actor.name
        ]),
        [
          ["sessions.open", "user", "Ada Lovelace"],
          ["users.roles_changed", "identity_provider", null]
        ]
      )
      // The same person again, with other groups.
      const again = yield* signIn()
      assert.strictEqual((yield* again.ask("me")).json.id, me.id)
    })
  )

  it.effect("lists the providers for the sign-in page, and opens the page that was wanted", () =>
    Effect.gen(function* () {
      const { admin, browser, start } = yield* startWorld()
      const { json } = yield* admin("GET", "/admin/sign-in")
      assert.deepStrictEqual(json.data, [{ object: "sign_in_provider", name: "corp", label: "Example SSO" }])
      const nexts = [
        "keys?status=active",
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)"
      ]
      for (const next of nexts) {
        const one = browser()
        const { url } = yield* Effect.promise(() => one.follow(`${start}?next=${encodeURIComponent(next)}`))
        assert.isTrue(url.startsWith(`${PUBLIC_URL}/ui/login?next=${encodeURIComponent(next)}#`), url)
      }
    })
  )

  it.effect("sends the provider the parameters that are configured", () =>
    Effect.gen(function* () {
      const { browser, idp, start } = yield* startWorld(
        '[{ role: admin }], authorization: { prompt: consent, hint: "a b" }'
      )
      const one = browser()
      const { url } = yield* Effect.promise(() => one.follow(start))
      assert.include(url, "/ui/login#")
      const asked = new URL(one.visited.find((address) => address.startsWith(`${idp.issuer}/auth?`))!).searchParams
      assert.deepStrictEqual(
        [asked.get("prompt"), asked.get("hint"), asked.get("scope")],
        ["consent", "a b", "openid profile email"]
      )
    })
  )

  it.effect("believes no Host and no X-Forwarded header", () =>
    Effect.gen(function* () {
      const { browser, start } = yield* startWorld()
      const headers = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "https",
        forwarded: "host=evil.example"
      }
      const response = yield* Effect.promise(() => browser().get(start, { headers }))
      const to = new URL(response.headers.get("location") ?? "")
      assert.strictEqual(to.searchParams.get("redirect_uri"), `${PUBLIC_URL}/admin/sign-in/corp/callback`)
      assert.strictEqual(to.searchParams.get("code_challenge_method"), "S256")
      const [cookie = ""] = response.headers.getSetCookie()
      assert.deepStrictEqual(cookie.split("; ").slice(1).sort(), [
        "HttpOnly",
        "Max-Age=600",
        "Path=/admin",
        "SameSite=Lax"
      ])
    })
  )

  it.effect("refuses a callback without its cookie, with another state, twice, or too late", () =>
    Effect.gen(function* () {
      const { browser, idp, start } = yield* startWorld()
      idp.state.account = "ada"
      /** The address that the provider redirects to, not visited yet. */
      const callbackOf = async (one: Browser) => {
        let next = start
        while (!next.includes("/callback?")) {
          const response = await one.get(next)
          next = new URL(response.headers.get("location") ?? "", next).href
        }
        return next
      }
      const victim = browser()
      const attacker = browser()
      const stolen = yield* Effect.promise(() => callbackOf(attacker))
      const withoutCookie = yield* Effect.promise(() => victim.follow(stolen))
      assert.strictEqual(withoutCookie.status, 403)
      assert.include(withoutCookie.text, "The sign-in cookie did not come back")
      assert.include(withoutCookie.text, "server.public_url (http://127.0.0.1:4100)")
      // Login CSRF: the victim is on the way to the provider, and gets the attacker's callback.
      yield* Effect.promise(() => callbackOf(victim))
      const injected = yield* Effect.promise(() => victim.follow(stolen))
      assert.strictEqual(injected.status, 403)
      assert.include(injected.text, "corp: the response was refused")
      const late = browser()
      const callback = yield* Effect.promise(() => callbackOf(late))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* Effect.promise(() => late.follow(callback))).status, 403)
      const twice = browser()
      const once = yield* Effect.promise(() => callbackOf(twice))
      assert.include((yield* Effect.promise(() => twice.follow(once))).url, "/ui/login#")
      assert.strictEqual((yield* Effect.promise(() => twice.follow(once))).status, 403)
    })
  )

  it.effect("gives a code to one browser, once, for a minute", () =>
    Effect.gen(function* () {
      const { browser, idp, start } = yield* startWorld()
      idp.state.account = "ada"
      const codeOf = (one: Browser) => Effect.promise(async () => (await one.follow(start)).url.split("#")[1] ?? "")
      const mine = browser()
      const code = yield* codeOf(mine)
      const other = yield* Effect.promise(() => browser().exchange(code))
      assert.deepStrictEqual([other.status, other.json.error.code], [401, "invalid_sign_in_link"])
      assert.strictEqual((yield* Effect.promise(() => mine.exchange(code))).status, 201)
      assert.strictEqual((yield* Effect.promise(() => mine.exchange(code))).status, 401)
      const slow = browser()
      const old = yield* codeOf(slow)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Effect.promise(() => slow.exchange(old))).status, 401)
    })
  )

  it.effect("refuses people without a matching line, without the claim, and disabled ones, and says why", () =>
    Effect.gen(function* () {
      const { admin, browser, idp, signIn, start } = yield* startWorld()
      idp.accounts.set("bob", { name: "Bob", groups: ["others"] })
      idp.accounts.set("eve", { name: "Eve" })
      const refusal = (account: string) =>
        Effect.promise(async () => {
          idp.state.account = account
          const { status, text } = await browser().follow(start)
          assert.strictEqual(status, 403)
          return text
        })
      assert.include(yield* refusal("bob"), "No line under roles matches. Groups received: others.")
      assert.include(yield* refusal("eve"), `corp: the ID token has no claim "groups" (it has: `)
      const { ask } = yield* signIn()
      const { id } = (yield* ask("me")).json
      yield* admin("PATCH", `/admin/users/${id}`, { status: "disabled" })
      assert.strictEqual((yield* ask("me")).status, 401)
      assert.include(yield* refusal("ada"), "An administrator has disabled you")
    })
  )

  it.effect("never joins people by e-mail", () =>
    Effect.gen(function* () {
      const { idp, signIn } = yield* startWorld()
      const ada = yield* signIn()
      idp.accounts.set("mallory", { name: "Ada Lovelace", email: "ada@example.com", groups: ["team-blue"] })
      const mallory = yield* signIn("mallory")
      assert.notStrictEqual((yield* mallory.ask("me")).json.id, (yield* ada.ask("me")).json.id)
      assert.strictEqual((yield* mallory.ask("me")).json.role, null)
    })
  )

  it.effect("answers while the provider is down with what is wrong, and the master key goes on working", () =>
    Effect.gen(function* () {
      const { admin, browser, idp, start } = yield* startWorld()
      idp.state.isDown = true
      const { status, text } = yield* Effect.promise(() => browser().follow(start))
      assert.strictEqual(status, 403)
      assert.include(text, `corp: it can't be reached at ${idp.issuer}`)
      assert.strictEqual((yield* admin("GET", "/admin/keys")).status, 200)
      const unknown = yield* Effect.promise(() => browser().follow(`${PUBLIC_URL}/admin/sign-in/other`))
      assert.strictEqual(unknown.status, 404)
    })
  )
})

describe("revalidation", () => {
  it.effect("takes roles away within five minutes once groups change, with one call for all sessions", () =>
    Effect.gen(function* () {
      const { admin, idp, signIn } = yield* startWorld()
      const first = yield* signIn()
      const second = yield* signIn()
      idp.accounts.set("ada", { name: "Ada Lovelace", groups: ["team-red"] })
      assert.strictEqual((yield* first.ask("me")).json.role, "admin")
      yield* TestClock.adjust("5 minutes")
      const before = idp.state.refreshes
      const both = yield* Effect.all([first.ask("me"), second.ask("me"), first.ask("me")], { concurrency: "unbounded" })
      assert.isTrue(both.every(({ status }) => status === 200))
      assert.strictEqual(idp.state.refreshes, before + 1)
      assert.strictEqual((yield* second.ask("me")).json.role, null)
      assert.strictEqual((yield* second.ask("config")).status, 403)
      // The next refresh uses the token that came with this one.
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* first.ask("me")).status, 200)
      assert.strictEqual(idp.state.refreshes, before + 2)
      const { text } = yield* admin("GET", "/metrics")
      assert.include(text, 'gateway_sign_ins_total{provider="corp",outcome="ok"} 2\n')
      assert.include(text, 'gateway_revalidations_total{provider="corp",outcome="ok"} 2\n')
    })
  )

  it.effect("ends all sessions of a person whom the provider does not know any more", () =>
    Effect.gen(function* () {
      const { admin, idp, signIn } = yield* startWorld()
      const { ask } = yield* signIn()
      idp.accounts.delete("ada")
      yield* TestClock.adjust("5 minutes")
      const { json, status } = yield* ask("me")
      assert.deepStrictEqual([status, json.error.code], [401, "invalid_session"])
      assert.deepStrictEqual((yield* admin("GET", "/admin/sessions")).json.data, [])
    })
  )

  it.effect("ends the session of a person whose groups give no role any more, and keeps roles given by hand", () =>
    Effect.gen(function* () {
      const { admin, idp, signIn } = yield* startWorld()
      const { ask } = yield* signIn()
      const { id } = (yield* ask("me")).json
      yield* admin("PATCH", `/admin/users/${id}`, { role: "viewer" })
      idp.accounts.set("ada", { groups: [] })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* ask("me")).status, 401)
      const { json: person } = yield* admin("GET", `/admin/users/${id}`)
      assert.deepStrictEqual(person.roles, [{ team: null, role: "viewer", source: "manual" }])
    })
  )

  it.effect("keeps sessions while the provider is down, for an hour", () =>
    Effect.gen(function* () {
      const { idp, signIn } = yield* startWorld()
      const { ask } = yield* signIn()
      idp.state.isDown = true
      for (let minutes = 0; minutes < 50; minutes += 10) {
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual((yield* ask("me")).json.role, "admin", `after ${minutes + 10} minutes`)
      }
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* ask("me")).status, 401)
      idp.state.isDown = false
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* ask("me")).status, 200)
    })
  )
})
