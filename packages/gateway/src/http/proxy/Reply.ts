/** Writing answers to a plain `node:http` response. */
import type { ServerResponse } from "node:http"
import { type GatewayError, wireError } from "../WireError.ts"

export const replyJson = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown
): void => replyText(response, status, { ...headers }, JSON.stringify(body))

/** `text` is JSON. The headers are its own from here on. */
export const replyText = (
  response: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  text: string
): void => {
  if (response.headersSent || response.destroyed) return
  headers["content-type"] = "application/json"
  headers["content-length"] = Buffer.byteLength(text)
  response.writeHead(status, headers)
  response.end(response.req.method === "HEAD" ? undefined : text)
}

export const replyError = (response: ServerResponse, requestId: string, error: GatewayError, now: number): void => {
  if (response.headersSent) return breakOff(response, error, now)
  const { body, headers, status } = wireError(error, now)
  // What is left of the request's body Node reads and throws away, within the time limit of requests. To close at once would cut
  // off a client that still sends, and it would never see why.
  replyJson(response, status, { "x-request-id": requestId, ...headers }, body)
}

/** An answer that has begun and can't be finished: a stream says so in one event, anything else just breaks. */
const breakOff = (response: ServerResponse, error: GatewayError, now: number): void => {
  if (response.writableEnded || response.destroyed) return
  const isStream = String(response.getHeader("content-type")).startsWith("text/event-stream")
  if (isStream) response.end(errorEvent(error, now))
  else response.destroy()
}

/** The event that tells a client of a stream that it was cut. */
export const errorEvent = (error: GatewayError, now: number): string =>
  `data: ${JSON.stringify(wireError(error, now).body)}\n\n`
