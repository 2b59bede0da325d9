import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { environment, masterKey, parse, problemsOf, withBasics } from "./Support.ts"

const settingsOf = (text: string, outside = {}) => Result.getOrThrowWith(parse(text, outside), (invalid) => invalid)

const basics = withBasics("")

describe("interpolation", () => {
  it("fills in variables, defaults and files, anywhere in a text", () => {
    const text = withBasics(`store: { sqlite: "/\${DIR}/\${NAME:-gateway}.db" }`).replace(
      "${GATEWAY_MASTER_KEY}",
      "${file:/run/secrets/master}"
    )
    const settings = settingsOf(text, {
      environment: { ...environment, DIR: "srv" },
      files: { "/run/secrets/master": `${masterKey}\n` }
    })
    assert.strictEqual(settings.store.sqlite, "/srv/gateway.db")
    assert.strictEqual(Redacted.value(settings.masterKey), masterKey)
  })

  it("reads the environment from a Map as well", () => {
    assert.deepStrictEqual(problemsOf(basics, { environment: new Map(Object.entries(environment)) }), [])
  })

  it("leaves $${ as a plain ${ and other dollars alone", () => {
    const { deployments } = settingsOf(basics.replace("demo/mini", () => '"demo/$${A}$B$"'))
    assert.strictEqual(deployments[1]?.model, "${A}$B$")
  })

  it("does not fill in what was filled in", () => {
    const settings = settingsOf(withBasics(`store: { sqlite: "/\${DIR}" }`), {
      environment: { ...environment, DIR: "${OPENAI_API_KEY}" }
    })
    assert.strictEqual(settings.store.sqlite, "/${OPENAI_API_KEY}")
  })

  it("makes a number of a text that is one ${…} and nothing else", () => {
    const port = (value: string) =>
      parse(withBasics(`server: { port: "${value}" }`), { environment: { ...environment, PORT: "8080" } })
    assert.strictEqual(Result.getOrThrow(port("${PORT}")).server.port, 8080)
    assert.strictEqual(Result.getOrThrow(port("${PORT_2:-8081}")).server.port, 8081)
    assert.isTrue(Result.isFailure(port("1${PORT}")))
    assert.deepStrictEqual(problemsOf(withBasics('server: { port: "${OPENAI_KEY_2}" }')), [
      'gateway.yaml:4:17 server.port: "${OPENAI_KEY_2}" (filled in) is not a whole number from 0 to 65535'
    ])
  })

  it("names a variable that is missing or empty, where it stands, and how to set it", () => {
    const { OPENAI_API_KEY: _, ...others } = environment
    assert.deepStrictEqual(problemsOf(basics, { environment: others }), [
      "gateway.yaml:2:33 providers.openai.api_key: the environment variable OPENAI_API_KEY is not set; set it before the start (export OPENAI_API_KEY=…) or write a default: ${OPENAI_API_KEY:-…}"
    ])
    assert.deepStrictEqual(problemsOf(basics, { environment: { ...environment, OPENAI_API_KEY: "" } }), [
      "gateway.yaml:2:33 providers.openai.api_key: the environment variable OPENAI_API_KEY is empty; set it before the start (export OPENAI_API_KEY=…) or write a default: ${OPENAI_API_KEY:-…}"
    ])
    assert.match(problemsOf(basics.replace("OPENAI_API_KEY", "OPENAI_APIKEY"))[0]!, /did you mean "OPENAI_API_KEY"\?$/)
  })

  it("takes the default for an empty variable, like a shell", () => {
    const settings = settingsOf(withBasics('server: { host: "${HOST:-::1}" }'), {
      environment: { ...environment, HOST: "" }
    })
    assert.strictEqual(settings.server.host, "::1")
  })

  it("names a file that is missing or empty", () => {
    const text = basics.replace("${OPENAI_API_KEY}", "${file:secrets/openai}")
    const place = "gateway.yaml:2:33 providers.openai.api_key: the file secrets/openai can't be used:"
    assert.deepStrictEqual(problemsOf(text), [`${place} no such file; it must hold the value and nothing else`])
    assert.deepStrictEqual(problemsOf(text, { files: { "secrets/openai": "\n" } }), [
      `${place} it is empty; it must hold the value and nothing else`
    ])
  })

  it("tells every ${ that can't be read", () => {
    for (const piece of ["${", "${}", "${1A}", "${A B}", "${A:-${B}}", "${file:}"]) {
      assert.deepStrictEqual(problemsOf(withBasics(`server: { host: "${piece}" }`)), [
        "gateway.yaml:4:17 server.host: a ${ that can't be read; write ${NAME}, ${NAME:-default} or ${file:/path}, and $${ for a plain ${"
      ])
    }
    assert.lengthOf(problemsOf(withBasics('server: { host: "${NO_A}-${NO_B}" }')), 2)
  })
})
