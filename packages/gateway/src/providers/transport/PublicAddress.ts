/** Which addresses belong to the public internet. All others may be somebody's network, this machine, or a cloud's metadata. */
import { BlockList, isIP } from "node:net"

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
