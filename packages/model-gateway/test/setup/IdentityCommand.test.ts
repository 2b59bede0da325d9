import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { issuersYaml, startIssuer } from "../../../gateway/test/support/TokenIssuers.ts"
import { invoke } from "../Invoke.ts"
import { folder } from "../Support.ts"

const rules = `[{ name: main, match: { ref: main }, end_user: actor }, { name: any, match: { sub: "*:*/*:*" } }, { name: last, match: { sub: "*:*/*:*" } }]`

const start = Effect.fnUntraced(function* () {
  const path = yield* folder
  const idp = yield* startIssuer
  const config = join(path, "gateway.yaml")
  const basics = `master_key: "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"\nproviders: { demo: { vendor: demo } }\ndeployments: [demo/mini]\n`
  const provider = `
  secret: Vq7ZtR2mXc9LpWd4KsJf8HbNy6GaTe3U
  providers:
    corp: { issuer: "http://127.0.0.1:9", client_id: gw, client_secret: s, roles: [{ group: "team-*", team: "*" }] }`
  const server = `server: { public_url: "https://gateway.example.com" }\n`
  writeFileSync(config, basics + server + issuersYaml({ github: idp.issuer }, rules).trimEnd() + provider)
  const ran = (...args: ReadonlyArray<string>) => invoke(["identity", ...args, "--config", config], {})
  const written = (name: string, text: string) => {
    writeFileSync(join(path, name), text)
    return join(path, name)
  }
  return { idp, ran, written }
})

describe("identity", () => {
  it.live("check calls every provider and issuer, and says what is wrong", () =>
    Effect.gen(function* () {
      const { idp, ran } = yield* start()
      const { code, stdout } = yield* ran("check")
      assert.strictEqual(code, 1)
      assert.match(stdout, /^corp: it can't be reached at http:\/\/127\.0\.0\.1:9/m)
      assert.match(stdout, /^github: 1 key$/m)
      idp.state.issuer = "https://other.example"
      const { stdout: second } = yield* ran("check")
      assert.include(second, `github: its keys can't be fetched: discovery names issuer "https://other.example"`)
    })
  )

  it.live("test says what a token and claims get, and why not", () =>
    Effect.gen(function* () {
      const { idp, ran, written } = yield* start()
      const token = written("token", yield* Effect.promise(() => idp.token({ ref: "x" })))
      const good = yield* ran("test", "--token-file", token)
      assert.deepStrictEqual([good.code, good.stderr], [0, ""])
      for (const line of [
        '  sub: "repo:acme/app:main"',
        "github/main: ref does not match",
        "github/any: matches: the key of repo:acme/app:main",
        "github/last: matches, but an earlier rule does, too",
        "The token is valid."
      ]) {
        assert.include(good.stdout, `${line}\n`)
      }
      const old = written("old", yield* Effect.promise(() => idp.token({ aud: "another", ref: "main", sub: "x" })))
      const bad = yield* ran("test", "--token-file", old)
      assert.deepStrictEqual(
        [bad.code, bad.stderr],
        [1, "The token is not valid: the check of its claim aud failed.\n"]
      )
      assert.include(bad.stdout, "github/main: matches, but needs one text of at most 256 bytes in actor\n")
      const claims = (of: object) => ran("test", "--claims", written("claims.json", JSON.stringify(of)))
      assert.include((yield* claims({ iss: idp.issuer, sub: "x" })).stdout, "No rule matches.\n")
      assert.include((yield* claims({ iss: "http://127.0.0.1:9", groups: ["team-a"] })).stdout, "corp: member in a\n")
      assert.include((yield* claims({ iss: "http://127.0.0.1:9" })).stdout, 'the ID token has no claim "groups"')
      const { code, stderr } = yield* claims({ iss: "https://else.example" })
      assert.strictEqual(code, 1)
      assert.include(stderr, 'iss is "https://else.example", and ')
      assert.strictEqual((yield* ran("test")).code, 2)
      assert.include((yield* ran("test", "--claims", "/none")).stderr, "/none can't be read, or is no JSON")
    })
  )
})
