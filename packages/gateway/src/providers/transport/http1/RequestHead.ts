/** The head of a request of HTTP/1.1. */
import type { UpstreamRequest } from "../../../core/pool/Transport.ts"
import { TOKEN, VALUE, whole } from "./Grammar.ts"

/** What the transport says itself, or what only the connection's two ends may say to each other. */
const OWN = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const NAME = whole(TOKEN)
const FIT = whole(VALUE)
const TARGET = /^\/[\x21-\xff]*$/

/**
 * With its empty line, a character for each byte. `length`: bytes of the body; undefined where there is none. Gives back why it can't
 * be sent where it can't: a line end in a value would begin another header, or another request.
 */
export const requestHead = (
  host: string,
  path: string,
  { headers, method }: Pick<UpstreamRequest, "headers" | "method">,
  length: number | undefined
): { readonly head: string } | { readonly flaw: string } => {
  if (!TARGET.test(path)) return { flaw: `its path has a character that no request can have: ${JSON.stringify(path)}` }
  let head = `${method ?? "POST"} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\naccept-encoding: identity\r\n`
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || OWN.has(name.toLowerCase())) continue
    if (!NAME.test(name)) return { flaw: `${JSON.stringify(name)} is no name of a header` }
    // Values are often secrets.
    if (!FIT.test(value)) return { flaw: `header ${name} has a character that no header can have` }
    head += `${name}: ${value}\r\n`
  }
  return { head: length === undefined ? `${head}\r\n` : `${head}content-length: ${length}\r\n\r\n` }
}
