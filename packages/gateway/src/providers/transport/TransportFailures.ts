/** What an error of undici or of a connection means, in words an operator can act on: the origin and the cause, never a stack. */
import { TransportFailure } from "../../core/pool/Transport.ts"
import { BodyFailed } from "./RequestBody.ts"

type Kind = TransportFailure["kind"]

/** There is no connection to a proxy. `cause`: why. */
export class ProxyFailed extends Error {
  readonly proxy: string

  constructor(proxy: string, cause: Error) {
    super("the proxy can't be reached", { cause })
    this.proxy = proxy
  }
}

/** Error codes of Node that have one meaning whenever they come. */
const known: { readonly [code: string]: readonly [Kind, string] } = {
  ECONNREFUSED: ["refused", "refused the connection"],
  ENOTFOUND: ["refused", "can't be reached: its name does not resolve"],
  EAI_AGAIN: ["refused", "can't be reached: the name server did not respond"],
  EHOSTUNREACH: ["refused", "can't be reached: no route to it"],
  ENETUNREACH: ["refused", "can't be reached: no route to its network"],
  EADDRNOTAVAIL: ["refused", "can't be reached: this machine has no free address or port for the connection"],
  EMFILE: ["refused", "can't be reached: this process has too many open files"]
}

/** A server says so after the handshake, too. */
const UNKNOWN_CLIENT = /ALERT_(CERTIFICATE|BAD_CERTIFICATE|HANDSHAKE_FAILURE|UNKNOWN_CA)/
const WANTS_CERTIFICATE = "refused the TLS handshake: it may want a client certificate (tls.cert and tls.key)"
const NO_TLS = /^(EPROTO|ERR_SSL_)/
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS_/
const BROKEN = "broke the connection before the response was complete"

export interface Called {
  /** Scheme, host and port. */
  readonly name: string
  /** The proxy that it may have gone through. */
  readonly proxy?: string | undefined
}

/** `connected`: the request was on its way, so the connection existed. */
export const failureOf = (error: unknown, called: Called, connected: boolean): TransportFailure => {
  const { name, proxy } = called
  if (error instanceof BodyFailed) return failure("reset", `${name} can't be sent all of the request: ${error.message}`)
  const { code, message } = described(error)
  const byProxy = proxyFailure(error, code, message, proxy)
  if (byProxy !== undefined) return failure("refused", `${name} can't be called: ${byProxy}`)
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") {
    return failure("refused", `${name} can't be called: ${message}`)
  }
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") {
    return failure("reset", `${name} was dropped: the gateway is closing its connections`)
  }
  if (connected) return whileConnected(name, error, code, message)
  const { kind, what } = whileConnecting(code, message)
  return failure(kind, `${name} ${what}${proxy === undefined ? "" : ` (through the proxy ${proxy})`}`, code)
}

const whileConnected = (name: string, error: unknown, code: string, message: string): TransportFailure => {
  const entry = known[code]
  if (entry !== undefined) return failure(entry[0], `${name} ${entry[1]}`, code)
  if (UNKNOWN_CLIENT.test(code)) return failure("refused", `${name} ${WANTS_CERTIFICATE}`, code)
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return failure("reset", `${name} responded with a head that is larger than is accepted`)
  }
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    return failure("reset", `${name} sent a response of another length than it announced`)
  }
  const flaw = notHttp(error, code, message)
  if (flaw !== undefined) return failure("reset", `${name} responded with something that is not HTTP: ${flaw}`)
  return failure("reset", `${name} ${BROKEN}`, code.startsWith("UND_ERR") ? "" : code)
}

/** What undici's parser says of a response that is none. An end in the middle of one is a broken connection. */
const notHttp = (error: unknown, code: string, message: string): string | undefined => {
  if (code === "UND_ERR_SOCKET" && message.startsWith("bad ")) return message
  if (!(error instanceof Error) || error.name !== "HTTPParserError") return undefined
  // `Response does not match the HTTP/1.1 protocol (Invalid character in chunk size)`
  const flaw = /\((.+)\)$/.exec(message)?.[1] ?? message
  return flaw === "Invalid EOF state" ? undefined : flaw
}

const whileConnecting = (code: string, message: string): { readonly kind: Kind; readonly what: string } => {
  const entry = known[code]
  if (entry !== undefined) return { kind: entry[0], what: entry[1] }
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") {
    return { kind: "connect_timeout", what: "did not accept the connection in time" }
  }
  if (UNKNOWN_CLIENT.test(code)) return { kind: "refused", what: WANTS_CERTIFICATE }
  if (NO_TLS.test(code)) return { kind: "refused", what: "does not speak TLS, or no version of it that we do" }
  if (UNTRUSTED.test(code)) {
    return { kind: "refused", what: `has a certificate that can't be trusted: ${message}` }
  }
  return { kind: "refused", what: "broke the connection while it was being made" }
}

/** What is wrong with the proxy; undefined where nothing is. */
const proxyFailure = (error: unknown, code: string, message: string, proxy = "in between"): string | undefined => {
  if (error instanceof ProxyFailed) {
    // Undici wraps the error of a certificate for another name.
    const { cause: given } = error
    const cause = described(given instanceof Error && given.name === "SecureProxyConnectionError" ? given.cause : given)
    const { what } = whileConnecting(cause.code, cause.message)
    return `the proxy ${error.proxy} ${what}${cause.code === "" ? "" : ` (${cause.code})`}`
  }
  const status = /^Proxy response \((\d+)\)/.exec(message)?.[1]
  if (status === "407" || message === "Proxy Authentication Required (407)") {
    return `the proxy ${proxy} wants other credentials (407); write them into its address: http://user:password@host:port`
  }
  if (status !== undefined) return `the proxy ${proxy} refused to connect, with status ${status}`
  if (code === "UND_ERR_PRX_CONN") return `the proxy ${proxy} broke the connection`
  return undefined
}

const failure = (kind: Kind, sentence: string, code = ""): TransportFailure =>
  new TransportFailure({ kind, message: code === "" ? sentence : `${sentence} (${code})` })

const described = (error: unknown): { readonly code: string; readonly message: string } => {
  if (!(error instanceof Error)) return { code: "", message: String(error) }
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return { code, message: error.message.replace(/\s+/g, " ").trim() }
}
