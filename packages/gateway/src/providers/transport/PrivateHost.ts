/** Whether a host is inside somebody's network, as far as it can be known here. */
import { isIP } from "node:net"
import { Context, Effect } from "effect"
import { isPublicAddress, internet } from "./PublicFetch.ts"

/** All addresses of a name; none where it is not known. Tests put their own in. */
export const HostAddresses = Context.Reference<(hostname: string) => Promise<ReadonlyArray<string>>>(
  "gateway/providers/transport/HostAddresses",
  { defaultValue: () => internet.resolve }
)

/** Names that no public name server gives an address: RFC 6761, 6762, 8375, 9476, and what networks are used to. */
const INTERNAL =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|corp|home|private|test|home\.arpa|svc|cluster)$/

/** In lower case and without brackets. Undefined where there is none, and where parsers may differ about which it is. */
export const hostOf = (url: string): string | undefined => {
  const authority = /^[a-z]+:\/*([^/?#]*)/i.exec(url.trim())?.[1] ?? ""
  if (/[\\@\s]/.test(authority)) return undefined
  const host = URL.parse(url.trim())
    ?.hostname.replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
  return host === "" ? undefined : host?.toLowerCase()
}

/** A name that has no address here is not known to be private: the server's own name server may know it. */
export const isPrivateHost = Effect.fnUntraced(function* (host: string) {
  if (isIP(host) !== 0) return !isPublicAddress(host)
  if (!host.includes(".") || INTERNAL.test(host)) return true
  const addressesOf = yield* HostAddresses
  const addresses = yield* Effect.promise(() => addressesOf(host).catch((): ReadonlyArray<string> => []))
  return !addresses.every(isPublicAddress)
})
