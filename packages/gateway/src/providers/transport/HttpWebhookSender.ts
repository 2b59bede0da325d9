/** Sends messages to receivers that operators configured: no redirect, no private address unless allowed, and not for long. */
import { isIP } from "node:net"
import { Effect, Layer } from "effect"
import { NotDelivered, type Webhook, WebhookSender } from "../../core/admin/WebhookSender.ts"
import { isPublicAddress, internet, type Network, pinnedTo } from "./PublicFetch.ts"

const TIMEOUT_MS = 10_000

const no = (message: string) => new NotDelivered({ message })

/** `network`: how names are resolved and addresses dialled; tests put their own in. */
const layerOver = (network: Network) =>
  Layer.succeed(WebhookSender, {
    send: (webhook) =>
      Effect.tryPromise({
        try: (signal) => post(network, webhook, signal),
        catch: (error) => (error instanceof NotDelivered ? error : no("the receiver can't be reached"))
      }).pipe(
        Effect.timeoutOrElse({
          duration: TIMEOUT_MS,
          orElse: () => Effect.fail(no(`the receiver did not respond within ${TIMEOUT_MS / 1000} s`))
        })
      )
  })

export const layer = layerOver(internet)

const post = async (network: Network, { allowPrivate, body, headers, url }: Webhook, signal: AbortSignal) => {
  const { hostname, href } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  const known = isIP(host) === 0 ? await network.resolve(host).catch(() => []) : [host]
  // Names of this machine's own files are not asked for of a name server.
  const found = known.length === 0 && allowPrivate && host === "localhost" ? ["127.0.0.1"] : known
  if (found.length === 0) throw no("the receiver's name does not resolve")
  if (!allowPrivate && !found.every(isPublicAddress)) {
    throw no("the receiver has no public address: set allow_private to allow it")
  }
  const { Agent, request } = await import("undici")
  const agent = new Agent({ connect: { lookup: pinnedTo(found.map(network.dial)) }, connections: 1, pipelining: 0 })
  try {
    const { statusCode } = await request(href, { method: "POST", dispatcher: agent, signal, headers, body })
    if (statusCode >= 300 && statusCode < 400) throw no("the receiver redirects, and no redirect is followed")
    if (statusCode < 200 || statusCode >= 300) throw no(`the receiver responds with status ${statusCode}`)
  } finally {
    // Nothing of the answer is read.
    void agent.destroy()
  }
}
