/** Where a request comes from: the address of its connection, or the one that a trusted proxy reports. */
import { BlockList, isIP } from "node:net"

/** The parts of a request that tell its address. */
export interface AddressSource {
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** IPv4 as it is; IPv6 as its /64, which is what one customer gets. "" where there is no address (a Unix socket). */
export type ClientAddress = (request: AddressSource) => string

/** `trusted`: proxies (addresses, CIDR). Behind them the right-most other entry of `X-Forwarded-For` counts. */
export const clientAddress = (trusted: ReadonlyArray<string>): ClientAddress => {
  const exact = exactAddress(trusted)
  return (request) => grouped(exact(request))
}

/** The same with all of an IPv6 address. */
export const exactAddress = (trusted: ReadonlyArray<string>): ClientAddress => {
  const isProxy = addressTest(trusted)

  return ({ headers, socket }) => {
    let address = plain(socket.remoteAddress ?? "")
    if (trusted.length === 0 || address === "" || !isProxy(address)) return address
    const forwarded = headers["x-forwarded-for"]
    const entries = (typeof forwarded === "string" ? forwarded : "").split(",")
    for (let index = entries.length - 1; index >= 0; index--) {
      const entry = plain(entries[index]!.trim())
      // Whatever is left of an unreadable entry may be forged.
      if (isIP(entry) === 0) break
      address = entry
      if (!isProxy(entry)) break
    }
    return address
  }
}

/** Whether the caller's connection is encrypted: only a trusted proxy may say so, as the gateway itself speaks plain HTTP. */
export const isEncrypted = (trusted: ReadonlyArray<string>): ((request: AddressSource) => boolean) => {
  const isProxy = addressTest(trusted)
  return ({ headers, socket }) => {
    const told = headers["x-forwarded-proto"]
    // Each proxy adds its own word at the end: the last one is the trusted proxy's.
    const last = typeof told === "string" ? told.split(",").at(-1)?.trim().toLowerCase() : undefined
    return last === "https" && isProxy(plain(socket.remoteAddress ?? ""))
  }
}

/** Whether an address, without brackets and zone, is one of the given addresses and networks. */
export const addressTest = (networks: ReadonlyArray<string>): ((address: string) => boolean) => {
  const known = new BlockList()
  for (const network of networks) {
    const [address = "", prefix] = network.split("/")
    const family = isIP(address) === 6 ? "ipv6" : "ipv4"
    if (prefix === undefined) known.addAddress(address, family)
    else known.addSubnet(address, Number(prefix), family)
  }
  return (address) => address !== "" && known.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")
}

export const isNetwork = (text: string): boolean => {
  try {
    addressTest([text])
    return true
  } catch {
    return false
  }
}

/** Without port, brackets, zone and the IPv6 form of an IPv4 address. */
const plain = (text: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  const bare = (bracketed ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text).replace(/%.*$/, "")
  return /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare
}

const grouped = (address: string): string => {
  if (!address.includes(":")) return address
  const [head = "", tail = ""] = address.toLowerCase().split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === "" ? [] : tail.split(":")
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0")
  const groups = address.includes("::") ? [...left, ...zeros, ...right] : left
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`
}
