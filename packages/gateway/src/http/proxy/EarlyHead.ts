/**
 * Sends the head of a stream before its first token, for proxies that cut silent connections. It names the first attempt; the
 * last event and the trailers name the deployment that responded.
 */
import { Effect, Fiber } from "effect"
import type { EarlyAnswer } from "../routing/Endpoint.ts"
import { replyWhole } from "./Reply.ts"
import { KEEP_ALIVE, type OpenedStream, openStream, replyStream } from "./ReplyStream.ts"
import type { WireReply } from "../routing/WireReply.ts"

/** Waits for the response, and writes the head early if that takes long. A failure after that becomes an error event. */
export const replyEarly = Effect.fnUntraced(function* (
  reply: WireReply,
  method: string,
  requestId: string,
  { afterMs, announced, answer, headers }: EarlyAnswer
) {
  let opened: OpenedStream | undefined
  const open = Effect.gen(function* () {
    opened = yield* openStream(reply, requestId, yield* headers, announced, true)
    reply.write(reply.errors.isList === true ? "\n" : KEEP_ALIVE)
  })
  const waiting = yield* Effect.forkScoped(Effect.delay(open, afterMs))
  const ready = yield* answer
  yield* Fiber.interrupt(waiting)
  if (ready.kind === "stream") return yield* replyStream(reply, requestId, ready, opened)
  return yield* replyWhole(reply, method, requestId, ready)
})
