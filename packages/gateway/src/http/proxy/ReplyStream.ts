/** Writes server-sent events no faster than the client reads, comments while there is nothing to send, and trailers at the end. */
import { Clock, Effect, Schedule, Stream } from "effect"
import type { AnswerHeaders, EventAnswer } from "../routing/Endpoint.ts"
import { wireError } from "../errors/WireError.ts"
import { endBroken, errorEvent, identify } from "./Reply.ts"
import type { WireReply } from "../routing/WireReply.ts"

const KEEP_ALIVE_MS = 15_000
export const KEEP_ALIVE = ": keep-alive\n\n"

/** A stream whose head is out. */
export interface OpenedStream {
  /** When something was written last, epoch milliseconds. */
  wroteAt: number
  /** Its head was sent before there was a response. */
  readonly isEarly: boolean
  /** Of a list: something was written. */
  hasItems: boolean
}

/** The events as they are or, of a list, as its items, which ends only where the response is complete. */
const framed = ({ errors }: WireReply, opened: OpenedStream, events: string): string => {
  if (errors.isList !== true) return events
  const items = events
    .split("\n\n")
    .flatMap((event) => (event.startsWith("data: ") ? [event.slice("data: ".length)] : []))
  if (items.length === 0) return "\n"
  const start = opened.hasItems ? ",\n" : "["
  opened.hasItems = true
  return start + items.join(",\n")
}

/** Writes the head. From then on a comment is sent whenever nothing else was for a while. */
export const openStream = (
  reply: WireReply,
  requestId: string,
  headers: AnswerHeaders,
  announced: string,
  isEarly = false
) =>
  Effect.flatMap(Clock.currentTimeMillis, (wroteAt) => {
    identify(reply, headers, requestId)
    const isList = reply.errors.isList === true
    headers["content-type"] = isList ? "application/json; charset=utf-8" : "text/event-stream; charset=utf-8"
    headers["x-accel-buffering"] = "no"
    reply.open(headers, announced)
    const opened: OpenedStream = { wroteAt, isEarly, hasItems: false }
    const keepAlive = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (Math.abs(now - opened.wroteAt) < KEEP_ALIVE_MS || reply.isFull || reply.isGone) return
      opened.wroteAt = now
      reply.write(framed(reply, opened, KEEP_ALIVE))
    })
    return Effect.as(Effect.forkScoped(Effect.repeat(keepAlive, Schedule.spaced(KEEP_ALIVE_MS / 3))), opened)
  })

/** `early`: the stream whose head is already sent; the response's headers are not used then. */
export const replyStream = Effect.fnUntraced(function* (
  reply: WireReply,
  requestId: string,
  answer: EventAnswer,
  early?: OpenedStream
) {
  const opened = early ?? (yield* openStream(reply, requestId, answer.headers, answer.announced))
  const clock = yield* Clock.Clock
  const write = (text: string) => {
    // The caller may be gone while the stream is read to its end, to learn what it cost.
    if (text === "" || reply.isGone) return Effect.void
    opened.wroteAt = clock.currentTimeMillisUnsafe()
    return reply.write(framed(reply, opened, text)) ? Effect.void : reply.taken
  }
  const isComplete = yield* Stream.runForEachArray(answer.events, (texts) =>
    write(texts.length === 1 ? texts[0] : texts.join(""))
  ).pipe(
    Effect.as(true),
    Effect.catch((error) => {
      const now = clock.currentTimeMillisUnsafe()
      const event = answer.broken?.(wireError(error, now).body.error) ?? errorEvent(reply, requestId, error, now)
      return Effect.as(write(event), false)
    })
  )
  if (reply.isGone) return
  if (!isComplete) return endBroken(reply)
  if (reply.errors.isList === true) reply.write(opened.hasItems ? "]" : "[]")
  reply.end(answer.trailers(opened.isEarly))
  reply.cutIfStalled()
})
