/** Writes complete responses and errors. */
import type { Effect } from "effect"
import { type EndpointError, wireError } from "../errors/WireError.ts"
import type { AnswerHeaders, WholeAnswer } from "../routing/Endpoint.ts"
import type { WireReply } from "../routing/WireReply.ts"

/** `method`: of the request. The effect completes when the response has left: until then its bytes are in memory. */
export const replyWhole = (
  reply: WireReply,
  method: string,
  requestId: string,
  answer: WholeAnswer
): Effect.Effect<void> => {
  const { headers } = answer
  identify(reply, headers, requestId)
  if (answer.kind === "json") replyText(reply, method, answer.status, headers, answer.text)
  else replyBytes(reply, method, answer.status, headers, answer.bytes)
  reply.cutIfStalled()
  return reply.flushed
}

/** Which methods a path takes. Nobody's key is asked for: monitors, scanners and browsers behind proxies ask without one. */
export const replyMethods = (reply: WireReply, requestId: string, methods: ReadonlyArray<string>): void => {
  const headers: AnswerHeaders = { allow: [...methods, "OPTIONS"].join(", ") }
  identify(reply, headers, requestId)
  reply.whole(204, headers, undefined)
  reply.cutIfStalled()
}

/** Responses are for one key: nothing between the gateway and its caller may share them. */
export const identify = (reply: WireReply, headers: AnswerHeaders, requestId: string): void => {
  headers["x-request-id"] = requestId
  headers["cache-control"] = "private, no-store"
  const { idHeader } = reply.errors
  if (idHeader !== undefined) headers[idHeader] = requestId
}

const replyText = (reply: WireReply, method: string, status: number, headers: AnswerHeaders, text: string): void => {
  if (reply.isBegun || reply.isGone) return
  headers["content-type"] = "application/json"
  headers["content-length"] = Buffer.byteLength(text)
  reply.whole(status, headers, method === "HEAD" ? undefined : text)
}

const replyBytes = (
  reply: WireReply,
  method: string,
  status: number,
  headers: AnswerHeaders,
  bytes: Uint8Array
): void => {
  if (reply.isBegun || reply.isGone) return
  headers["content-length"] = bytes.length
  reply.whole(status, headers, method === "HEAD" ? undefined : bytes)
}

export const replyError = (
  reply: WireReply,
  method: string,
  requestId: string,
  error: EndpointError,
  now: number
): void => {
  if (reply.isBegun) return breakOff(reply, requestId, error, now)
  const wire = wireError(error, now)
  const body = reply.errors.body(wire, requestId)
  // Node discards the rest of the request's body. Closing would cut off a client that still sends.
  const headers: AnswerHeaders = { ...wire.headers }
  identify(reply, headers, requestId)
  replyText(reply, method, reply.errors.status?.(wire) ?? wire.status, headers, JSON.stringify(body))
}

/** Breaks off a response that has begun: a stream ends with one error event, any other response just breaks. */
const breakOff = (reply: WireReply, requestId: string, error: EndpointError, now: number): void => {
  if (reply.isEnded || reply.isGone) return
  if (!reply.isStream) return reply.destroy()
  reply.write(errorEvent(reply, requestId, error, now))
  endBroken(reply)
}

/** Ends a stream behind its error event. Codex shows the error only of a body that ends as usual. */
export const endBroken = (reply: WireReply): void => {
  if (reply.errors.endsStream !== true) return reply.breakOff()
  reply.end(undefined)
  reply.cutIfStalled()
}

export const errorEvent = (reply: WireReply, requestId: string, error: EndpointError, now: number): string =>
  reply.errors.event(wireError(error, now), requestId)
