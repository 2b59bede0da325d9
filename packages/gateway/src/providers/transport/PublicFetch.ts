/**
 * Fetches what a caller's URL points at, from the public internet alone. All addresses of a name are checked, and the connection goes to
 * one of them, so that no second answer of the name server can lead elsewhere. Redirects are URLs of their own.
 */
import { Resolver } from "node:dns/promises"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { Context, Effect, Schema } from "effect"
import { Pieces } from "../../core/collections/Pieces.ts"

/** Everything IANA lists as not globally reachable, and what is used to get at those: https://www.iana.org/assignments. */
const IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Answers from inside Azure on an address that looks public.
  "168.63.129.16/32"
]

/** Only 2000::/3 is given out; these parts of it are not, or hold an IPv4 address. */
const IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]

const inside = new BlockList()
for (const network of IPV4) inside.addSubnet(network.split("/")[0]!, Number(network.split("/")[1]), "ipv4")
for (const network of IPV6) inside.addSubnet(network.split("/")[0]!, Number(network.split("/")[1]), "ipv6")

const givenOut = new BlockList()
givenOut.addSubnet("2000::", 3, "ipv6")

/** False for anything that is no address. IPv4 addresses dressed up as IPv6 are not public, whatever they are. */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address)
  if (family === 4) return !inside.check(address, "ipv4")
  return family === 6 && givenOut.check(address, "ipv6") && !inside.check(address, "ipv6")
}

const MAX_REDIRECTS = 3
const TIMEOUT_MS = 10_000

/** Why nothing was fetched, in words for the caller. Nothing in it tells what is inside the operator's network. */
export class NotFetched extends Schema.TaggedError<NotFetched>()("NotFetched", { message: Schema.String }) {}

interface Fetched {
  /** Lower case, without parameters, e.g. `image/png`. */
  readonly mediaType: string
  readonly bytes: Buffer
}

export interface Wanted {
  readonly maxBytes: number
  readonly accepts: (mediaType: string) => boolean
  /** Hosts that may be in a private network. */
  readonly hosts?: ReadonlyArray<string> | undefined
}

export interface Network {
  /** All addresses of a name. */
  readonly resolve: (hostname: string) => Promise<ReadonlyArray<string>>
  /** Where a connection to a checked address really goes. */
  readonly dial: (address: string) => string
}

export const internet: Network = {
  // Not `lookup`: names that never resolve would take the threads that connections to providers need.
  resolve: async (hostname) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []))
  },
  dial: (address) => address
}

/** The response's bytes, or a fault in the caller's URL. Interruption closes the connection. */
export type Fetch = (url: string, wanted: Wanted) => Effect.Effect<Fetched, NotFetched>

export const makeFetch =
  (network: Network): Fetch =>
  (url, wanted) =>
    Effect.tryPromise({
      try: (signal) => follow(network, url, wanted, signal),
      catch: (error) => (error instanceof NotFetched ? error : no("could not be fetched"))
    }).pipe(
      Effect.timeoutOrElse({
        duration: TIMEOUT_MS,
        orElse: () => Effect.fail(no(`did not come within ${TIMEOUT_MS / 1000} s`))
      })
    )

export const PublicFetch = Context.Reference<Fetch>("gateway/providers/transport/PublicFetch", {
  defaultValue: () => makeFetch(internet)
})

const no = (message: string) => new NotFetched({ message })

const follow = async (network: Network, given: string, wanted: Wanted, signal: AbortSignal): Promise<Fetched> => {
  let url = given
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const answer = await fetchOnce(network, url, wanted, signal)
    if (typeof answer !== "string") return answer
    url = answer
  }
  throw no(`was redirected more than ${MAX_REDIRECTS} times`)
}

const fetchOnce = async (
  network: Network,
  text: string,
  wanted: Wanted,
  signal: AbortSignal
): Promise<Fetched | string> => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) throw no("is no http or https URL")
  if (url.username !== "" || url.password !== "") throw no("holds a user name or password")
  const addresses = await checkedAddresses(network, url.hostname.replace(/^\[(.*)\]$/, "$1"), wanted.hosts)
  const { Agent, request } = await import("undici")
  const agent = new Agent({ connect: { lookup: pinnedTo(addresses.map(network.dial)) }, connections: 1, pipelining: 0 })
  try {
    const { body, headers, statusCode } = await request(url.href, {
      dispatcher: agent,
      signal,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "model-gateway" }
    })
    const { location } = headers
    if (statusCode >= 300 && statusCode < 400 && typeof location === "string") {
      const next = URL.parse(location, url.href)
      if (next === null) throw no("was redirected to something that is no URL")
      return next.href
    }
    if (statusCode !== 200) throw no(`responds with status ${statusCode}`)
    const mediaType = String(headers["content-type"] ?? "")
      .split(";")[0]!
      .trim()
      .toLowerCase()
    if (!wanted.accepts(mediaType)) throw no("is not of a media type that is wanted here")
    if (headers["content-encoding"] !== undefined) throw no("is compressed, which was not requested")
    if (Number(headers["content-length"] ?? 0) > wanted.maxBytes) throw tooLarge(wanted)
    const pieces = new Pieces()
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.add(piece)
      if (pieces.size > wanted.maxBytes) throw tooLarge(wanted)
    }
    return { mediaType, bytes: pieces.whole() }
  } finally {
    // Whatever of the response was not read goes with its connection.
    void agent.destroy()
  }
}

const tooLarge = ({ maxBytes }: Wanted) => no(`is larger than ${Math.floor(maxBytes / 1024)} KiB`)

const checkedAddresses = async (
  network: Network,
  hostname: string,
  hosts: ReadonlyArray<string> = []
): Promise<ReadonlyArray<string>> => {
  const addresses =
    isIP(hostname) === 0 ? await network.resolve(hostname).catch(() => [] as ReadonlyArray<string>) : [hostname]
  // The same words for names that don't exist: who asks learns nothing about names inside.
  const isAllowed = hosts.includes(hostname.toLowerCase())
  if (addresses.length === 0 || (!isAllowed && !addresses.every(isPublicAddress))) throw no("is at no public address")
  return addresses
}

export const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_hostname, { all }, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all === true) done(null, found)
    else done(null, found[0]!.address, found[0]!.family)
  }
