/** Addresses and networks (CIDR). */
import { BlockList, isIP } from "node:net"

export const isNetwork = (value: string): boolean => {
  const [address = "", prefix, ...rest] = value.split("/")
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  return bits > 0 && fits && rest.length === 0
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
