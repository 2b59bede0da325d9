/** Each `/v1` request becomes one fiber, straight from the `node:http` event. Other paths go to `fallback`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Clock } from "effect"
import type { Cors } from "../proxy/Cors.ts"
import type { Proxy } from "../proxy/Proxy.ts"
import { echoedRequestId, newRequestId } from "../shared/RequestId.ts"
import type { RequestListener } from "../node/ConnectionState.ts"
import { NodeReply } from "../node/NodeReply.ts"
import { NodeRequest } from "../node/NodeRequest.ts"

export type HttpListener = (request: IncomingMessage, response: ServerResponse) => void

const NO_PARAMS = {}

export const proxyListener =
  (
    proxy: Proxy,
    cors: Cors,
    clock: Clock.Clock,
    stalledClientMs: number,
    publicPath: string,
    fallback: HttpListener
  ): RequestListener =>
  (incoming, response) => {
    if (publicPath !== "/") takeOff(publicPath, incoming)
    // Only browsers send it.
    if (incoming.headers.origin !== undefined && answered(cors, clock, incoming, response)) return
    const match = proxy.match(incoming.method ?? "GET", incoming.url ?? "/")
    if (match === undefined) return void fallback(incoming, response)
    const requestId = newRequestId(clock.currentTimeMillisUnsafe())
    const echoedId = echoedRequestId(incoming.headers["x-request-id"]) ?? requestId
    const params = "endpoint" in match ? match.params : NO_PARAMS
    const request = new NodeRequest(incoming, response, { params, requestId, echoedId })
    const answering = proxy.serve(match, request, new NodeReply(response, stalledClientMs))
    return () => {
      if (!response.writableFinished) proxy.left(request, answering)
    }
  }

/** Proxies in front either remove `server.public_path` or pass it on. */
const takeOff = (publicPath: string, incoming: IncomingMessage): void => {
  const target = incoming.url ?? "/"
  if (!target.startsWith(publicPath)) return
  const path = target.slice(publicPath.length)
  if (path.startsWith("/")) incoming.url = path
  else if (path === "" || path.startsWith("?")) incoming.url = `/${path}`
}

/** A browser that asks beforehand is answered; any other response gets what its page needs to read it. */
const answered = (
  cors: Cors,
  clock: Clock.Clock,
  { headers, method, url }: IncomingMessage,
  response: ServerResponse
) => {
  const preflight = cors.preflight(method ?? "GET", url ?? "/", headers)
  const added = preflight ?? cors.headers(url ?? "/", headers)
  for (const [name, value] of Object.entries(added)) response.setHeader(name, value)
  if (preflight === undefined) return false
  const id = newRequestId(clock.currentTimeMillisUnsafe())
  response.writeHead(204, { "x-request-id": echoedRequestId(headers["x-request-id"]) ?? id }).end()
  return true
}
