/** The failures of calls that did not get a usable response. */
import { Effect, Pull } from "effect"
import { Pieces } from "../../core/collections/Pieces.ts"
import { decisionName } from "../../core/domain/Deployment.ts"
import { ProviderFailure, truncated, Unsupported } from "../../core/domain/Failures.ts"
import type { AuthFailed } from "../../core/pool/Auth.ts"
import type { Dialect, UpstreamCall } from "../../core/pool/Protocol.ts"
import type { OpenResponse, TransportFailure } from "../../core/pool/Transport.ts"
import type { PoolMember } from "./Member.ts"

/** The router filters such deployments. A pool without a router needs this check. */
export const notSpoken = ({ deployment, operation }: UpstreamCall): Unsupported =>
  new Unsupported({
    message: `${decisionName(deployment)} can't serve ${operation}: choose another model`,
    param: "model"
  })

export const refusal = (
  member: PoolMember,
  { failure = member.protocol.failure }: Dialect,
  head: OpenResponse,
  call: UpstreamCall
): Effect.Effect<never, ProviderFailure> =>
  Effect.flatMap(textOf(head.chunks), (text) => Effect.fail(member.dialects.advised(failure({ ...head, text }), call)))

/** Bytes of an error body that are read: the error is at its beginning. */
const MAX_ERROR_BYTES = 64 * 1024

const textOf = Effect.fnUntraced(function* (chunks: OpenResponse["chunks"]) {
  const pieces = new Pieces()
  while (pieces.size < MAX_ERROR_BYTES) {
    // If the body breaks off, the status is enough.
    const batch = yield* Pull.catchDone(chunks, () => Effect.void).pipe(Effect.orElseSucceed(() => "broken" as const))
    if (batch === "broken") return ""
    if (batch === undefined) break
    for (const piece of batch) pieces.add(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
  }
  return pieces.whole().toString("utf8")
})

const fromTransport = (failure: Pick<TransportFailure, "kind" | "message">): ProviderFailure =>
  new ProviderFailure({
    class: (
      {
        refused: "unavailable",
        reset: "unavailable",
        cut: "truncated",
        connect_timeout: "connect_timeout",
        first_byte_timeout: "first_token_timeout",
        idle_timeout: "idle_timeout",
        total_timeout: "total_timeout",
        too_large: "truncated",
        full: "connections_full"
      } as const
    )[failure.kind],
    status: 0,
    message: failure.message,
    type: null,
    code: null,
    param: null
  })

/** Nothing was sent, or no response came. */
export const unanswered = (failure: TransportFailure | AuthFailed): ProviderFailure =>
  failure._tag === "TransportFailure"
    ? fromTransport(failure)
    : new ProviderFailure({ class: "auth", status: 0, message: failure.message, type: null, code: null, param: null })

/** A complete response that is late has not begun either. */
export const unansweredWhole = (failure: TransportFailure | AuthFailed): ProviderFailure =>
  failure._tag === "TransportFailure" && (failure.kind === "idle_timeout" || failure.kind === "total_timeout")
    ? fromTransport({ kind: "first_byte_timeout", message: failure.message })
    : unanswered(failure)

/** The head was accepted, so a later failure breaks the response off. */
export const brokenOff = ({ kind, message }: TransportFailure): ProviderFailure => {
  const failure = truncated(message)
  return kind === "idle_timeout" || kind === "total_timeout"
    ? new ProviderFailure({ ...failure, class: kind, message })
    : failure
}
