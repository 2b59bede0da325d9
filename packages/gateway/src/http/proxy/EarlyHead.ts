/**
 * The head of a stream before its first token, for callers behind proxies that cut what is silent for a minute. It names the first
 * attempt, as nobody knows yet who will answer; the last event and the trailers tell who did.
 */
import type { ServerResponse } from "node:http"
import { Deferred, Effect, Fiber } from "effect"
import type { RoutingMetadata } from "../../core/operations/RoutingMetadata.ts"
import { KEEP_ALIVE, type OpenedStream, openStream } from "./ReplyStream.ts"

interface Options<R> {
  readonly response: ServerResponse
  /** Milliseconds without an answer until the head is written. */
  readonly afterMs: number
  readonly headersOf: (report: RoutingMetadata) => Effect.Effect<Record<string, string>, never, R>
}

/**
 * Asks, and writes the head meanwhile if that takes long and a first attempt was made. `ask` is given what is to be told of
 * attempts. `opened`: undefined where the answer came in time. What fails after the head is out ends as an error event.
 */
export const withEarlyHead = Effect.fnUntraced(function* <A, E, R, R2>(
  { afterMs, headersOf, response }: Options<R2>,
  ask: (attempting: (report: RoutingMetadata) => void) => Effect.Effect<A, E, R>
) {
  const first = Deferred.makeUnsafe<RoutingMetadata>()
  let opened: OpenedStream | undefined
  const open = Effect.gen(function* () {
    const headers = yield* headersOf(yield* Deferred.await(first))
    opened = yield* openStream(response, headers, true)
    response.write(KEEP_ALIVE)
  })
  const waiting = yield* Effect.forkScoped(Effect.delay(open, afterMs))
  const answer = yield* ask((report) => void Deferred.doneUnsafe(first, Effect.succeed(report)))
  yield* Fiber.interrupt(waiting)
  return { answer, opened }
})
