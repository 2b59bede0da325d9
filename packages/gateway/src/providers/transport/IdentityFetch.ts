/** The one way to identity providers and issuers: no redirect, no metadata service, not for long, not much. */
import { isIP } from "node:net"
import { type Network, pinnedTo } from "./PublicFetch.ts"

export const TIMEOUT_MS = 5_000
const MOST_BYTES = 256 * 1024

export const makeIdentityFetch =
  (network: Network) =>
  async (url: string, options: object): Promise<Response> => {
    const undici = await import("undici")
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1")
    const named = isIP(host) === 0 && host !== "localhost" ? await network.resolve(host) : []
    const local = [host, ...named].some((one) => /^(169\.254\.|fe[89ab]|fd00:ec2:|100\.100\.100\.200$)/i.test(one))
    if (local) throw new Error("it has an address that is link-local or a cloud's metadata service")
    const lookup = named.length === 0 ? {} : { lookup: pinnedTo(named.map(network.dial)) }
    const agent = new undici.Agent({ connect: lookup, connections: 1, maxResponseSize: MOST_BYTES })
    try {
      const response = await undici.fetch(url, {
        ...options,
        dispatcher: agent,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS)
      })
      const body = response.status === 204 ? null : await response.arrayBuffer()
      return new Response(body, { status: response.status, headers: [...response.headers] })
    } finally {
      void agent.destroy()
    }
  }
