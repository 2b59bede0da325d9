import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse, problemsOf, withBasics } from "./Support.ts"

const GITHUB = "https://token.actions.githubusercontent.com"

const issuers = (rules: string, issuer = GITHUB, more = "audience: gw,", before = "") =>
  withBasics(`
${before}
identity:
  issuers:
    ci: { issuer: "${issuer}", ${more} rules: ${rules} }
`)

const provider = `
server: { public_url: "https://gateway.example.com" }
`

describe("identity.issuers", () => {
  it("needs no identity provider, and has defaults for all but issuer, audience and rules", () => {
    const text = issuers(`[{ name: main, match: { repository_id: "1", ref: [refs/heads/main, "refs/tags/*"] }, team: ci,
      key: { budgets: [{ usd: 1.5 }, { usd: 1, window: day }], limits: { rpm: 3 } } }]`)
    const settings = Result.getOrThrow(parse(text))
    assert.isUndefined(settings.identity)
    assert.deepStrictEqual(settings.issuers, [
      {
        name: "ci",
        issuer: GITHUB,
        audience: ["gw"],
        jwksUrl: undefined,
        rules: [
          {
            name: "ci/main",
            match: [
              ["repository_id", ["1"]],
              ["ref", ["refs/heads/main", "refs/tags/*"]]
            ],
            per: "sub",
            endUser: undefined,
            maxSubjects: 10_000,
            key: {
              team: "ci",
              models: [],
              tags: [],
              limits: { rpm: 3, tpm: undefined, maxParallel: undefined },
              budgets: [
                { limit: 1_500_000_000, window: "total", timeZone: "UTC" },
                { limit: 1_000_000_000, window: "day", timeZone: "UTC" }
              ]
            }
          }
        ]
      }
    ])
  })

  const rule = '{ name: a, match: { repository_id: "1" } }'
  for (const [text, words] of [
    [issuers("[]"), "this list is empty; it must hold rules"],
    [issuers("[{ name: a }]"), '"match" is required: the claims that a token must have, with their values'],
    [issuers("[{ name: a, match: {} }]"), "this matches every token: name at least one claim"],
    [issuers("[{ match: { repository_id: x } }]"), '"name" is required: a name of your own that never changes'],
    [issuers(`[${rule}, ${rule}]`), '"a" is there twice'],
    [issuers("[{ name: A b, match: { repository_id: x } }]"), '"A b" is no name of lower-case letters'],
    [issuers("[{ name: a, match: { repository_id: 12 } }]"), "12 is not a value of the claim"],
    [issuers("[{ name: a, mach: { repository_id: x } }]"), '"mach" is not a field here; did you mean "match"?'],
    [
      issuers("[{ name: a, match: { repository: acme/app } }]"),
      "anybody can get a token of this issuer: match repository_id or repository_owner_id, without *"
    ],
    [issuers('[{ name: a, match: { repository_owner_id: "1*" } }]'), "match repository_id or repository_owner_id"],
    [issuers("[{ name: a, match: { ref: x } }]", `${GITHUB}/enterprise`), "match repository_id or"],
    [issuers("[{ name: a, match: { ref: x } }]", "https://github.corp/_services/token"), "match repository_id or"],
    [issuers("[{ name: a, match: { ref: x } }]", "https://gitlab.com"), "match project_id or namespace_id"],
    [issuers("[{ name: a, match: { aud: x } }]", "https://accounts.google.com"), "match sub or email, without *"],
    [issuers(`[${rule}]`, GITHUB, ""), '"audience" is required: what aud must be'],
    [issuers(`[${rule}]`, "http://idp.example.com"), "is not the issuer's address"],
    [issuers(`[${rule.replace("}", "}, key: { budgets: [{ window: day }] }")}]`), '"usd" is required'],
    [
      `${issuers(`[${rule}]`, GITHUB, "audience: [gw, dashboard],", provider)}
  secret: Vq7ZtR2mXc9LpWd4KsJf8HbNy6GaTe3U
  providers:
    corp: { issuer: "https://login.example.com", client_id: dashboard, client_secret: s, roles: [{ role: viewer }] }`,
      "this is the client_id of an identity provider"
    ],
    [
      `${issuers(`[${rule}]`)}
    same: { issuer: "${GITHUB}", audience: other, rules: [${rule}] }`,
      `"${GITHUB}" is there twice`
    ]
  ] as const) {
    it(`refuses a mistake: ${words}`, () => {
      assert.include(problemsOf(text).join("\n"), words)
    })
  }

  it("asks for a provider or an issuer, and for a secret where there is a provider", () => {
    assert.include(problemsOf(withBasics("identity: {}")).join("\n"), '"providers" is required: at least one provider')
    const text = withBasics(`${provider}
identity:
  providers:
    corp: { issuer: "https://login.example.com", client_id: gw, client_secret: s, roles: [{ role: viewer }] }`)
    assert.include(problemsOf(text).join("\n"), '"secret" is required: at least 32 random characters, as ${NAME}')
  })
})
