/** Sends messages to receivers that operators configured: no redirect, no private address unless allowed, and not for long. */
import { isIP, type LookupFunction } from "node:net"
import { Effect, Layer } from "effect"
import type { Agent } from "undici"
import { Pieces } from "../../core/collections/Pieces.ts"
import { NotDelivered, type Webhook, WebhookSender } from "../../core/admin/WebhookSender.ts"
import { isPublicAddress, internet, type Network, pinnedTo } from "./PublicFetch.ts"

const TIMEOUT_MS = 10_000
/** To one receiver. More messages wait for a connection. */
const MOST_CONNECTIONS = 64

const no = (message: string) => new NotDelivered({ message })

export const layerOver = (network: Network) =>
  Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const agents = new Map<boolean, Agent>()
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => Promise.all([...agents.values()].map((one) => one.destroy())))
      )
      const agentFor = async (allowPrivate: boolean): Promise<Agent> => {
        const { Agent } = await import("undici")
        const known = agents.get(allowPrivate)
        if (known !== undefined) return known
        const connect = { lookup: checkedLookup(network, allowPrivate) }
        const made = new Agent({ connect, connections: MOST_CONNECTIONS, pipelining: 1 })
        agents.set(allowPrivate, made)
        return made
      }
      return {
        send: (webhook) => {
          const { allowPrivate, timeoutMs = TIMEOUT_MS } = webhook
          return Effect.tryPromise({
            try: async (signal) => post(network, await agentFor(allowPrivate), webhook, signal),
            catch: (error) => (error instanceof NotDelivered ? error : no("the receiver can't be reached"))
          }).pipe(
            Effect.timeoutOrElse({
              duration: timeoutMs,
              orElse: () => Effect.fail(no(`the receiver did not respond within ${timeoutMs / 1000} s`))
            })
          )
        }
      }
    })
  )

export const layer = layerOver(internet)

const post = async (
  network: Network,
  agent: Agent,
  { allowPrivate, body, headers, mostBytes, url }: Webhook,
  signal: AbortSignal
): Promise<string> => {
  const { hostname, href } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  // Names are checked when a connection is made, which asks for no address of an address.
  if (isIP(host) !== 0) await checkedAddresses(network, host, allowPrivate)
  const { request } = await import("undici")
  const response = await request(href, { method: "POST", dispatcher: agent, signal, headers, body })
  const { statusCode } = response
  try {
    if (statusCode >= 300 && statusCode < 400) throw no("the receiver redirects, and no redirect is followed")
    if (statusCode < 200 || statusCode >= 300) throw no(`the receiver responds with status ${statusCode}`)
    if (mostBytes === undefined) return ""
    const pieces = new Pieces()
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      pieces.add(piece)
      if (pieces.size > mostBytes) throw no(`the receiver's response is larger than ${mostBytes} bytes`)
    }
    return pieces.whole().toString()
  } finally {
    void response.body.dump().catch(() => {})
  }
}

/** Addresses are checked and connected to at once: no second response of the name server can lead elsewhere. */
const checkedLookup = (network: Network, allowPrivate: boolean): LookupFunction => {
  const connect = async (...[hostname, options, done]: Parameters<LookupFunction>): Promise<void> => {
    const found = await checkedAddresses(network, hostname, allowPrivate).catch((error: NotDelivered) => error)
    if (found instanceof NotDelivered) done(found, "")
    else pinnedTo(found.map(network.dial))(hostname, options, done)
  }
  return (...lookup) => void connect(...lookup)
}

const checkedAddresses = async (network: Network, host: string, allowPrivate: boolean) => {
  const known = isIP(host) === 0 ? await network.resolve(host).catch(() => []) : [host]
  // Names of this machine's own files are not asked for of a name server.
  const found = known.length === 0 && allowPrivate && host === "localhost" ? ["127.0.0.1"] : known
  if (found.length === 0) throw no("the receiver's name does not resolve")
  if (!allowPrivate && !found.every(isPublicAddress)) {
    throw no("the receiver has no public address: set allow_private to allow it")
  }
  return found
}
