import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { environment, parse, problemsOf, withBasics } from "./Support.ts"

const outside = {
  environment: {
    ...environment,
    IDENTITY_SECRET: "Vq7ZtR2mXc9LpWd4KsJf8HbNy6GaTe3U",
    OIDC_SECRET: "geheim-of-the-client"
  }
}

const identity = (
  provider: string,
  more = "",
  server = 'public_url: "https://gateway.example.com/gw", public_path: /gw'
) =>
  withBasics(`
server: { ${server} }
identity:
  secret: "\${IDENTITY_SECRET}"
  ${more}
  providers:
    corp: { ${provider} }
`)

const valid = 'issuer: "https://login.example.com", client_id: gw, client_secret: "${OIDC_SECRET}"'

describe("identity", () => {
  it("has defaults for all but issuer, client and roles", () => {
    const text = identity(`${valid}, roles: [{ group: "team-*", team: "*" }, { role: viewer }]`)
    const { identity: read } = Result.getOrThrow(parse(text, outside))
    const { providers, secrets, ...rest } = read!
    assert.deepStrictEqual(rest, {
      publicUrl: "https://gateway.example.com/gw",
      revalidateMs: 300_000,
      maxStaleMs: 3_600_000
    })
    assert.deepStrictEqual(secrets.map(Redacted.value), [outside.environment.IDENTITY_SECRET])
    const [{ clientSecret, ...corp } = providers[0]!] = providers
    assert.strictEqual(Redacted.value(clientSecret), "geheim-of-the-client")
    assert.deepStrictEqual(corp, {
      name: "corp",
      label: "corp",
      issuer: "https://login.example.com",
      clientId: "gw",
      scopes: ["openid", "profile", "email"],
      authorization: [],
      groups: "groups",
      require: [],
      rules: [
        { group: "team-*", role: undefined, team: "*", teamRole: "member" },
        { group: undefined, role: "viewer", team: undefined, teamRole: "member" }
      ]
    })
  })

  it("asks Google for a refresh token, and any provider as configured", () => {
    const at = (more: string, issuer = "https://accounts.google.com") => {
      const text = identity(`${valid.replace("https://login.example.com", issuer)}, roles: [{ role: viewer }]${more}`)
      return Object.fromEntries(Result.getOrThrow(parse(text, outside)).identity!.providers[0]!.authorization)
    }
    assert.deepStrictEqual(at(""), { access_type: "offline", prompt: "consent" })
    assert.deepStrictEqual(at(", authorization: { hd: example.com }"), { hd: "example.com" })
    assert.deepStrictEqual(at(", authorization: { prompt: consent }", "https://login.example.com"), {
      prompt: "consent"
    })
  })

  for (const [text, words] of [
    [
      identity(`${valid}, roles: [], authorization: { scope: openid }`),
      "a parameter that the gateway does not set itself"
    ],
    [identity(`${valid}, roles: [{ group: a, role: admn }]`), "admin, viewer"],
    [identity(`${valid}, roles: [{ group: "gw-*", role: admin }]`), "needs the exact name of a group"],
    [identity(`${valid}, roles: [{ group: a, team: "*" }]`), "* stands for what * in group takes"],
    [identity(`${valid}, roles: [{ group: a }]`), "this line gives no role: add role or team"],
    [identity(`${valid}, roles: [{ group: "a*b*", team: "*" }]`), "one * at most"],
    [identity(valid), "at least one line that gives a role"],
    [identity('issuer: "http://login.example.com", client_id: a, client_secret: b, roles: []'), "the issuer's address"],
    [identity(`${valid}, roles: [{ role: viewer }]`, "", "port: 4100"), "the address in the browser's address bar"],
    [
      identity(
        `${valid}, roles: [{ role: viewer }]`,
        "",
        'public_url: "https://gateway.example.com", public_path: /gw'
      ),
      "its path must be public_path, which is /gw"
    ],
    [
      identity(`${valid}, roles: [{ role: viewer }]`, "", 'public_url: "http://gateway.example.com"'),
      "the address in the browser's address bar, such as https://"
    ]
  ] as const) {
    it(`refuses a mistake: ${words}`, () => {
      const problems = problemsOf(text, outside).join("\n")
      assert.include(problems, words)
      assert.notInclude(problems, "geheim")
    })
  }

  it("refuses a short secret without showing it", () => {
    const short = { environment: { ...outside.environment, IDENTITY_SECRET: "kurz-und-geheim" } }
    const problems = problemsOf(identity(`${valid}, roles: [{ role: viewer }]`), short).join("\n")
    assert.include(problems, "shorter than 32 characters")
    assert.notInclude(problems, "geheim")
  })
})
