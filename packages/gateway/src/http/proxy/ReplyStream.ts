/**
 * Server-sent events to a plain `node:http` response: as fast as the client reads and no faster, a comment now and then while there
 * is nothing to say, and the exact cost as a trailer.
 */
import type { ServerResponse } from "node:http"
import { Clock, Effect, Schedule, Stream } from "effect"
import type { Answer } from "../../core/call/CallInput.ts"
import { nanoToDecimal } from "../../core/domain/Money.ts"
import { servedBy } from "./AnswerHeaders.ts"
import { errorEvent } from "./Reply.ts"
import { cutIfStalled, taken } from "./Backpressure.ts"

const KEEP_ALIVE_MS = 15_000
export const KEEP_ALIVE = ": keep-alive\n\n"
const EARLY_TRAILERS = "x-gateway-cost-usd, x-gateway-decision, x-gateway-deployment, x-gateway-retries"

/** A stream whose head is out. */
export interface OpenedStream {
  /** When something was written last, epoch ms. */
  wroteAt: number
  /** The headers named a first attempt, and more than the cost is told at the end. */
  readonly isEarly: boolean
}

/** Writes the head; from here on a comment goes out whenever nothing else did for a while. */
export const openStream = (response: ServerResponse, headers: Readonly<Record<string, string>>, isEarly = false) =>
  Effect.flatMap(Clock.currentTimeMillis, (wroteAt) => {
    // Set, not written: Node forgets the headers that `writeHead` gets, and whoever ends this answer has to know what it is.
    response.setHeader("content-type", "text/event-stream; charset=utf-8")
    response.writeHead(200, {
      ...headers,
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-gateway-cost-final": "false",
      // HTTP/1.0 has no chunks to put a trailer after.
      ...(response.useChunkedEncodingByDefault ? { trailer: isEarly ? EARLY_TRAILERS : "x-gateway-cost-usd" } : {})
    })
    const opened: OpenedStream = { wroteAt, isEarly }
    const keepAlive = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (Math.abs(now - opened.wroteAt) < KEEP_ALIVE_MS || response.writableNeedDrain || response.destroyed) return
      opened.wroteAt = now
      response.write(KEEP_ALIVE)
    })
    return Effect.as(Effect.forkScoped(Effect.repeat(keepAlive, Schedule.spaced(KEEP_ALIVE_MS / 3))), opened)
  })

/** `early`: its head, where that is out already; then `headers` are not used. */
export const replyStream = Effect.fnUntraced(function* (
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  answer: Extract<Answer, { readonly kind: "stream" }>,
  stalledMs: number,
  early?: OpenedStream
) {
  const opened = early ?? (yield* openStream(response, headers))
  const clock = yield* Clock.Clock
  const write = (text: string) => {
    // Who left may be read on for, to learn what it cost.
    if (text === "" || response.destroyed) return Effect.void
    opened.wroteAt = clock.currentTimeMillisUnsafe()
    return response.write(text) ? Effect.void : taken(response, stalledMs).pipe(Effect.catch(hangUp))
  }
  // From here on it is a caller that left.
  const hangUp = () => Effect.sync(() => void response.destroy())
  yield* Stream.runForEachArray(answer.events, (texts) => write(texts.length === 1 ? texts[0] : texts.join(""))).pipe(
    Effect.catch((error) => Effect.flatMap(Clock.currentTimeMillis, (now) => write(errorEvent(error, now))))
  )
  if (response.destroyed) return
  const settled = answer.settled()
  if (settled !== undefined) {
    const cost = { "x-gateway-cost-usd": nanoToDecimal(settled.cost ?? 0) }
    response.addTrailers(opened.isEarly ? { ...cost, ...servedBy(settled) } : cost)
  }
  response.end()
  cutIfStalled(response, stalledMs)
})
