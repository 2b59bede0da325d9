/** Answers that are known beforehand, played in time, under the caller's time limits. All waiting is Effect's, for test clocks. */
import { Cause, Clock, Effect } from "effect"
import {
  TransportFailure,
  type OpenResponse,
  type UpstreamHead,
  type UpstreamRequest,
  type WholeResponse
} from "../../core/pool/Transport.ts"

/** `at`: milliseconds after the request. */
export interface Piece {
  readonly at: number
  readonly bytes: Uint8Array
}

/** A response with a head. `ending`: what follows the last piece; `reset` breaks the connection, `silence` leaves it open. */
export interface Answering extends UpstreamHead {
  /** When the head comes, in milliseconds after the request; `Infinity` for never. */
  readonly headAt: number
  readonly pieces: ReadonlyArray<Piece>
  readonly ending: "complete" | "reset" | "silence"
}

/** No head at all: the call fails `at` milliseconds after the request. */
interface Failing {
  readonly failure: TransportFailure
  readonly at: number
}

export type Playback = Answering | Failing

const decoder = new TextDecoder()

/** Plays to a caller who wants the complete response. `name` is what failures call this upstream. */
export const playWhole = Effect.fnUntraced(function* (name: string, request: UpstreamRequest, playback: Playback) {
  const arrive = yield* arrivals(name, request)
  const { status, headers, pieces, ending } = yield* headOf(arrive, playback)
  for (const piece of pieces) yield* arrive(piece.at, "piece")
  if (ending !== "complete") return yield* broken(name, ending, arrive)
  const bytes = joined(pieces)
  return { status, headers, text: decoder.decode(bytes), bytes } satisfies WholeResponse
})

export const playOpen = Effect.fnUntraced(function* (name: string, request: UpstreamRequest, playback: Playback) {
  const arrive = yield* arrivals(name, request)
  const { status, headers, headAt, pieces, ending } = yield* headOf(arrive, playback)
  const timed = pieces.some((piece) => piece.at > headAt)
  // What comes in one go with the head ends the wait for the first byte.
  if (!timed && pieces.length > 0) yield* arrive(headAt, "piece")
  let read = 0
  const chunks: OpenResponse["chunks"] = Effect.suspend((): OpenResponse["chunks"] => {
    const piece = pieces[read]
    if (piece === undefined) return ending === "complete" ? Cause.done() : broken(name, ending, arrive)
    read = timed ? read + 1 : pieces.length
    if (timed) return Effect.as(arrive(piece.at, "piece"), [piece.bytes] as const)
    return Effect.succeed([piece.bytes, ...pieces.slice(1).map(({ bytes }) => bytes)] as const)
  })
  return { status, headers, chunks } satisfies OpenResponse
})

type Arrive = (at: number, what: "head" | "piece") => Effect.Effect<void, TransportFailure>

const headOf = (arrive: Arrive, playback: Playback): Effect.Effect<Answering, TransportFailure> =>
  "failure" in playback
    ? Effect.andThen(arrive(playback.at, "head"), Effect.fail(playback.failure))
    : Effect.as(arrive(playback.headAt, "head"), playback)

/** Waits for something that comes at a time after the request, or fails when one of the request's limits passes before. */
const arrivals = (name: string, { timeouts }: UpstreamRequest): Effect.Effect<Arrive> =>
  Effect.map(Clock.currentTimeMillis, (start) => {
    let anyPiece = false
    return Effect.fnUntraced(function* (at: number, what: "head" | "piece") {
      const elapsed = (yield* Clock.currentTimeMillis) - start
      const silentUntil = anyPiece ? elapsed + timeouts.idle : timeouts.firstToken
      const limit = Math.min(silentUntil, timeouts.total)
      if (what === "piece") anyPiece = true
      const next = Math.min(at, limit)
      if (next > elapsed) yield* Effect.sleep(next - elapsed)
      if (at < limit && elapsed < timeouts.total) return
      if (limit === timeouts.total) return yield* failed("total_timeout", `${name} took longer than ${limit} ms`)
      if (silentUntil === timeouts.firstToken) {
        return yield* failed("first_byte_timeout", `${name} did not begin to respond within ${limit} ms`)
      }
      return yield* failed("idle_timeout", `${name} sent nothing for ${timeouts.idle} ms`)
    })
  })

const broken = (name: string, ending: "reset" | "silence", arrive: Arrive): Effect.Effect<never, TransportFailure> =>
  ending === "reset"
    ? failed("cut", `${name} broke the connection before the response was complete`)
    : Effect.andThen(arrive(Infinity, "piece"), Effect.never)

const failed = (kind: TransportFailure["kind"], message: string): Effect.Effect<never, TransportFailure> =>
  Effect.fail(new TransportFailure({ kind, message }))

const joined = (pieces: ReadonlyArray<Piece>): Uint8Array =>
  pieces.length === 1 ? pieces[0]!.bytes : Buffer.concat(pieces.map((piece) => piece.bytes))
