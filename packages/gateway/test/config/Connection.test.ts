/** `proxy` and `tls` of a provider, and the proxies of the environment, as a configuration is read. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { describeSettings } from "../../../model-gateway/src/configuration/Describe.ts"
import { certificate, certificates } from "../support/Certificates.ts"
import { environment, masterKey, parse } from "./Support.ts"

const read = (name: string) => readFileSync(join(certificates, name), "utf8")

const files = {
  "ca.pem": certificate("authority"),
  "client.pem": read("server.pem"),
  "client.key": read("server.key"),
  "other.pem": certificate("stranger"),
  "half.pem": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
  "locked.key": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n"
}

const settingsWith = (fields: string, variables: Readonly<Record<string, string>> = {}) =>
  parse(
    `master_key: ${masterKey}\nproviders: { openai: { api_key: k-0123456789abcdef, ${fields} } }\ndeployments: [openai/m]\n`,
    { files, environment: { ...environment, ...variables } }
  )

const problems = (...given: Parameters<typeof settingsWith>): ReadonlyArray<string> => {
  const result = settingsWith(...given)
  return Result.isFailure(result) ? result.failure.problems.map(({ message, path }) => `${path}: ${message}`) : []
}

describe("the connection to a provider", () => {
  it("is read: a proxy, authorities, a client certificate", () => {
    const settings = Result.getOrThrow(
      settingsWith(
        "proxy: 'http://me:s3cret@proxy:3128', tls: { ca: '${file:ca.pem}', cert: '${file:client.pem}', key: '${file:client.key}' }"
      )
    )
    const connection = settings.providers[0]?.connection
    assert.strictEqual(Redacted.value(connection!.proxy!), "http://me:s3cret@proxy:3128")
    assert.strictEqual(connection?.tls?.ca, files["ca.pem"].trimEnd())
    assert.strictEqual(Redacted.value(connection!.tls!.key!), files["client.key"].trimEnd())
    const told = describeSettings(settings)
    assert.include(told, "through its own proxy, with its own certificate authority, with a client certificate")
    for (const secret of ["s3cret", "PRIVATE KEY"]) {
      assert.notInclude(told, secret)
      assert.notInclude(JSON.stringify(settings), secret)
    }
    assert.notProperty(Result.getOrThrow(settingsWith("tls: {}")).providers[0], "connection")
  })

  it.each([
    ["socks5://me:s3cret@proxy:1080", "this is a SOCKS proxy, which the gateway can't use"],
    ["ftp://proxy", "this proxy is neither http:// nor https://"],
    ["proxy:3128", "this proxy is neither http:// nor https://"],
    ["s3cret", "this is no address of a proxy"],
    ["http://proxy:3128/path", "this address of a proxy has more than a host and a port"]
  ])("refuses the proxy %s, in the file and in the environment", (proxy, found) => {
    const wanted = "an address such as http://proxy.example.com:3128"
    assert.deepStrictEqual(problems(`proxy: '${proxy}'`), [`providers.openai.proxy: ${found}; write ${wanted}`])
    for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]) {
      assert.deepStrictEqual(problems("", { [name]: proxy }), [
        `: the environment variable ${name} can't be used: ${found}; set it to ${wanted}`
      ])
    }
    assert.deepStrictEqual(problems("", { HTTPS_PROXY: proxy, https_proxy: "http://proxy:3128" }), [])
  })

  it.each([
    ["ca: '${file:gone.pem}'", "ca", /^the file gone\.pem can't be used: no such file/],
    [
      "ca: /etc/ssl/ca.pem",
      "ca",
      /^this is the path of a file, not its text; write certificates in PEM, such as \$\{file:/
    ],
    ["ca: none", "ca", /^this is no certificate; write certificates in PEM/],
    ["ca: '${file:half.pem}'", "ca", /^this certificate can't be read; write/],
    ["ca: '${file:client.key}'", "ca", /^this certificate can't be read; write/],
    ["cert: '${file:client.pem}'", "key", /^"key" is required beside cert: a private key in PEM/],
    ["key: '${file:client.key}'", "cert", /^"cert" is required beside key: certificates in PEM/],
    [
      "cert: '${file:client.pem}', key: '${file:locked.key}'",
      "key",
      /^this private key can't be read; write .* without a pass/
    ],
    ["cert: '${file:client.pem}', key: '${file:client.pem}'", "key", /^this private key can't be read/],
    ["cert: '${file:other.pem}', key: '${file:client.key}'", "key", /^this is not the key of cert$/]
  ])("refuses tls: { %s }", (tls, field, message) => {
    const [first = "", ...others] = problems(`tls: { ${tls} }`)
    assert.deepStrictEqual(others, [])
    const path = `providers.openai.tls.${field}: `
    assert.isTrue(first.startsWith(path), first)
    assert.match(first.slice(path.length), message)
    assert.notInclude(first, "BEGIN")
  })
})
