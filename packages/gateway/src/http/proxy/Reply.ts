/** Writes complete answers and errors. */
import { type GatewayError, wireError } from "../WireError.ts"
import type { AnswerHeaders, WholeAnswer } from "./Endpoint.ts"
import type { WireReply } from "./WireReply.ts"

/** `method`: of the request. */
export const replyWhole = (reply: WireReply, method: string, requestId: string, answer: WholeAnswer): void => {
  const { headers } = answer
  headers["x-request-id"] = requestId
  if (answer.kind === "json") replyText(reply, method, answer.status, headers, answer.text)
  else replyBytes(reply, method, answer.status, headers, answer.bytes)
  reply.cutIfStalled()
}

/** `text` is JSON. */
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
  error: GatewayError,
  now: number
): void => {
  if (reply.isBegun) return breakOff(reply, error, now)
  const { body, headers, status } = wireError(error, now)
  // Node reads the rest of the request's body and discards it, within the time limit of requests. Closing at once would cut off a
  // client that is still sending, and it would never see why.
  replyText(reply, method, status, { "x-request-id": requestId, ...headers }, JSON.stringify(body))
}

/** Breaks off an answer that has begun: a stream ends with one error event, any other answer just breaks. */
const breakOff = (reply: WireReply, error: GatewayError, now: number): void => {
  if (reply.isEnded || reply.isGone) return
  if (!reply.isStream) return reply.destroy()
  reply.write(errorEvent(error, now))
  reply.end(undefined)
}

/** The event that tells a stream's client that it was cut. */
export const errorEvent = (error: GatewayError, now: number): string =>
  `data: ${JSON.stringify(wireError(error, now).body)}\n\n`
