import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { describeSettings } from "../../../model-gateway/src/configuration/Describe.ts"
import { certificate } from "../support/Certificates.ts"
import { environment, parse, problemsOf, withBasics } from "./Support.ts"

const outside = {
  environment: { ...environment, DATABASE_URL: "postgres://gw:geheim@db.example.com/books?sslmode=require" }
}

const settingsOf = (text: string) => Result.getOrThrowWith(parse(withBasics(text), outside), (invalid) => invalid)

const told = (text: string, url?: string) =>
  problemsOf(
    withBasics(text),
    url === undefined ? outside : { environment: { ...environment, DATABASE_URL: url } }
  ).map((problem) => (typeof problem === "string" ? problem : JSON.stringify(problem)))

describe("store.postgres", () => {
  it("has an address, and defaults for the rest", () => {
    const { postgres } = settingsOf('store: { postgres: { url: "${DATABASE_URL}" } }').store
    assert.strictEqual(Redacted.value(postgres!.url), outside.environment.DATABASE_URL)
    const { url: _, ...rest } = postgres!
    assert.deepStrictEqual(rest, {
      ca: undefined,
      schema: "model_gateway",
      cluster: undefined,
      connections: 4,
      statementTimeoutMs: 30_000,
      leaseMs: 10_000
    })
  })

  it("is shown without its user and password", () => {
    const shown = describeSettings(
      settingsOf('store: { postgres: { url: "${DATABASE_URL}", schema: other, cluster: production, lease: 5s } }')
    )
    assert.include(
      shown,
      "PostgreSQL at db.example.com:5432/books, schema other, cluster production, 8 connections, lease 5s"
    )
    assert.notInclude(shown, "geheim")
  })

  it("says what is wrong, with nothing of the address", () => {
    const store = 'store: { postgres: { url: "${DATABASE_URL}" } }'
    for (const [url, words] of [
      ["mysql://gw:geheim@db/books", "does not begin with postgres://"],
      ["geheim", "this is no address"],
      ["postgres://gw:geheim@db", "names no database"]
    ] as const) {
      const [only, ...more] = told(store, url)
      assert.deepStrictEqual(more, [])
      assert.include(only, words)
      assert.notInclude(only, "geheim")
    }
    assert.include(told("store: { postgres: {} }")[0], "the address of the database, as ${DATABASE_URL}")
    assert.include(told(`store: { sqlite: a.db, postgres: { url: "\${DATABASE_URL}" } }`)[0], "not both: leave one out")
    assert.lengthOf(
      told('store: { postgres: { url: "${DATABASE_URL}", schema: "A b", cluster: "a b", lease: 1ms, ca: x } }'),
      4
    )
  })

  it("says what to do about a setting that there was", () => {
    const [only, ...more] = told('store: { postgres: { url: "${DATABASE_URL}", gateways: several } }')
    assert.deepStrictEqual(more, [])
    assert.include(only, "any number of gateways works on one store: leave this out")
  })

  it("takes certificates, and nothing that only looks like one", () => {
    const store = (ca: string) => `store: { postgres: { url: "\${DATABASE_URL}", ca: ${JSON.stringify(ca)} } }`
    const bundle = certificate("authority") + certificate("stranger")
    assert.strictEqual(settingsOf(store(bundle)).store.postgres?.ca, bundle)
    const damaged = "-----BEGIN CERTIFICATE-----\nTm90IG9uZQ==\n-----END CERTIFICATE-----\n"
    for (const ca of [damaged, bundle + damaged]) {
      assert.include(told(store(ca))[0], "the certificate of an authority in PEM")
    }
  })
})
