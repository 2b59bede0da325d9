/** The headers of a request that are the vendor's, without those that only the two ends of a connection may say to each other. */
import type { UpstreamRequest } from "../../core/pool/Transport.ts"

const OF_CONNECTION = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** `length`: bytes of the body, where undici can't see it. */
export const requestHeaders = (headers: UpstreamRequest["headers"], length?: number): Record<string, string> => {
  const sent: Record<string, string> = { "accept-encoding": "identity" }
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !OF_CONNECTION.has(name.toLowerCase())) sent[name] = value
  }
  if (length !== undefined) sent["content-length"] = String(length)
  return sent
}
