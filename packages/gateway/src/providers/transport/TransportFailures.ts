/** What an error of a connection means, in words an operator can act on: the origin and the cause, never a stack. */
import { TransportFailure } from "../../core/pool/Transport.ts"

type Kind = TransportFailure["kind"]

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

const NO_TLS = /^(EPROTO|ERR_SSL_)/
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS_/

/** `connected`: the request was on its way, so the connection existed. */
export const failureOf = (error: unknown, origin: string, connected: boolean): TransportFailure => {
  const { code, message } = described(error)
  const entry = known[code]
  if (entry !== undefined) return failure(entry[0], `${origin} ${entry[1]}`, code)
  if (connected) return failure("reset", `${origin} broke the connection before the response was complete`, code)
  if (code === "ETIMEDOUT") return failure("connect_timeout", `${origin} did not accept the connection in time`, code)
  if (NO_TLS.test(code)) return failure("refused", `${origin} does not speak TLS, or no version of it that we do`, code)
  if (UNTRUSTED.test(code))
    return failure("refused", `${origin} has a certificate that can't be trusted: ${message}`, code)
  return failure("refused", `${origin} broke the connection while it was being made`, code)
}

const failure = (kind: Kind, sentence: string, code: string): TransportFailure =>
  new TransportFailure({ kind, message: code === "" ? sentence : `${sentence} (${code})` })

const described = (error: unknown): { readonly code: string; readonly message: string } => {
  if (!(error instanceof Error)) return { code: "", message: String(error) }
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return { code, message: error.message.replace(/\s+/g, " ").trim() }
}
