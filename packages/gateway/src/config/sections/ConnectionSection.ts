/** How a provider is reached: `proxy` and `tls` of a provider, and the proxies that the environment names. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"
import { Redacted, Result, Schema } from "effect"
import type { UpstreamConnection } from "../../core/domain/Connection.ts"
import { fieldOf, refuseWith } from "../Decode.ts"
import type { Here } from "../Here.ts"
import { type Environment, lookUp } from "../Interpolation.ts"
import { type Report, wholeFile } from "../Problem.ts"
import { group, readBy, textOf } from "../SettingValues.ts"

const PROXY_ALLOWED = "an address such as http://proxy.example.com:3128"

/** Nothing of the value is repeated: it may hold a password. */
const whyNoProxy = (value: string): string | undefined => {
  const url = URL.parse(value)
  if (url === null) return "this is no address of a proxy"
  if (url.protocol.startsWith("socks")) return "this is a SOCKS proxy, which the gateway can't use"
  if (url.protocol !== "http:" && url.protocol !== "https:") return "this proxy is neither http:// nor https://"
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return "this address of a proxy has more than a host and a port"
  }
  return undefined
}

const hidden = (expected: string, why: (value: string) => string | undefined) =>
  readBy(
    textOf,
    Schema.String.annotate({ expected, hidden: true }).check(
      refuseWith(
        expected,
        (value) => {
          const found = why(value)
          return found === undefined ? undefined : `${found}; write ${expected}`
        },
        "something else"
      )
    )
  )

const CERTIFICATES = "certificates in PEM, such as ${file:/etc/ssl/ca.pem}"
const PRIVATE_KEY = "a private key in PEM without a passphrase, such as ${file:/run/secrets/client.key}"

/** A path is meant as the file's text. */
const whyNotPem = (value: string, what: string, read: (value: string) => void): string | undefined => {
  if (!value.includes("-----BEGIN")) {
    return /[\\/.]/.test(value) ? "this is the path of a file, not its text" : `this is no ${what}`
  }
  return Result.isFailure(Result.try(() => read(value))) ? `this ${what} can't be read` : undefined
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const certificates = hidden(CERTIFICATES, (value) =>
  whyNotPem(value, "certificate", (pem) => {
    const all = pem.match(CERTIFICATE) ?? []
    if (all.length === 0) throw new Error("none")
    for (const one of all) new X509Certificate(one)
  })
)

const privateKey = Schema.RedactedFromValue(
  hidden(PRIVATE_KEY, (value) => whyNotPem(value, "private key", (pem) => void createPrivateKey(pem)))
)

const Tls = group({
  ca: Schema.optionalKey(certificates),
  cert: Schema.optionalKey(certificates),
  key: Schema.optionalKey(privateKey)
})

export const connectionFields = {
  proxy: Schema.optionalKey(Schema.RedactedFromValue(hidden(PROXY_ALLOWED, whyNoProxy))),
  tls: Schema.optionalKey(Tls)
}

/** Undefined where nothing is said of the connection. */
export const connectionOf = ({
  proxy,
  tls
}: {
  readonly proxy?: Redacted.Redacted<string>
  readonly tls?: typeof Tls.Type
}): UpstreamConnection | undefined => {
  const hasTls = tls !== undefined && Object.keys(tls).length > 0
  if (proxy === undefined && !hasTls) return undefined
  return { ...(proxy === undefined ? {} : { proxy }), ...(hasTls ? { tls } : {}) }
}

/** A client certificate and its key belong together. */
export const checkConnection = (provider: Here): void => {
  const here = provider.field("tls")
  if (here === undefined || !here.isGroup) return
  if (here.has("cert") !== here.has("key")) {
    const [there, missing] = here.has("cert") ? ["cert", "key"] : ["key", "cert"]
    return here.missing(missing, missing === "key" ? PRIVATE_KEY : CERTIFICATES, { when: ` beside ${there}` })
  }
  const cert = fieldOf(here, "cert", certificates)
  const key = fieldOf(here, "key", privateKey)
  if (cert === undefined || key === undefined) return
  const both = Result.try(() => createSecureContext({ cert, key: Redacted.value(key) }))
  if (Result.isFailure(both)) {
    here.field("key")?.problem("this is not the key of cert", "the private key of cert", "another key")
  }
}

/** A wrong variable would fail each call: nothing starts with it. */
export const checkProxyVariables = (environment: Environment, report: Report): void => {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY"]) {
    const lower = name.toLowerCase()
    const set = lookUp(environment, lower) === undefined ? name : lower
    const found = whyNoProxy(lookUp(environment, set) ?? "http://none")
    if (found === undefined) continue
    const message = `the environment variable ${set} can't be used: ${found}; set it to ${PROXY_ALLOWED}`
    report.add(wholeFile, "", { found, allowed: PROXY_ALLOWED, message })
  }
}
