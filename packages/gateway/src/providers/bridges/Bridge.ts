/**
 * Serves an operation that a protocol lacks through one that it has. Pure: the request is translated on the way down, the answer
 * and its stream on the way up.
 */
import { Result } from "effect"
import type { ProviderFailure, Unsupported } from "../../core/domain/Failures.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { LiftedAnswer, StreamEvent } from "../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall, Dialect, Protocol } from "../../core/pool/Protocol.ts"

/** Usage and failures pass unchanged. */
export interface Bridge {
  readonly from: OperationName
  readonly to: OperationName
  readonly down: (call: UpstreamCall) => Result.Result<UpstreamCall, Unsupported>
  /** `call`: the original call. */
  readonly up: (answer: LiftedAnswer, call: UpstreamCall) => LiftedAnswer
  readonly upStream: (call: UpstreamCall) => {
    readonly push: (event: StreamEvent) => ReadonlyArray<StreamEvent>
    readonly end: () => ReadonlyArray<StreamEvent>
  }
  /** As a dialect's: answers in place of the provider. */
  readonly here?: Dialect["here"]
  /** As a dialect's, of an answer that `up` has translated. */
  readonly replay?: Dialect["replay"]
}

type Spoken = Protocol["speaks"]

/** A model's own dialect, or the first bridge to one of its dialects. Undefined if it can't serve the operation. */
export const dialectFor = (
  speaks: Spoken,
  bridges: ReadonlyArray<Bridge>,
  operation: OperationName
): Dialect | undefined => {
  const own = speaks.get(operation)
  if (own !== undefined) return own
  for (const bridge of bridges) {
    const dialect = bridge.from === operation ? speaks.get(bridge.to) : undefined
    if (dialect !== undefined) return over(bridge, dialect)
  }
  return undefined
}

/** All operations that `dialectFor` finds a dialect for. */
export const operationsOf = (speaks: Spoken, bridges: ReadonlyArray<Bridge>): ReadonlySet<OperationName> =>
  new Set([...speaks.keys(), ...bridges.filter(({ to }) => speaks.has(to)).map(({ from }) => from)])

/** `dialect` under `bridge`. */
const over = (bridge: Bridge, dialect: Dialect): Dialect => {
  // Decoding an answer needs the translated request, so it is kept for as long as the call.
  const below = new WeakMap<UpstreamCall, UpstreamCall>()
  return {
    lower: (call) =>
      Result.flatMap(bridge.down(call), (lowered) => {
        below.set(call, lowered)
        const { dropped = [] } = lowered
        return Result.map(dialect.lower(lowered), (wire) =>
          dropped.length === 0 ? wire : { ...wire, dropped: [...dropped, ...wire.dropped] }
        )
      }),
    lift: (text, call): Result.Result<LiftedAnswer, ProviderFailure> =>
      Result.map(dialect.lift(text, below.get(call) ?? call), (answer) => bridge.up(answer, call)),
    stream: (call) => {
      const lifter = dialect.stream(below.get(call) ?? call)
      const bridged = bridge.upStream(call)
      return {
        push: (event) => lifter.push(event).flatMap((one) => bridged.push(one)),
        end: () => [...lifter.end().flatMap((one) => bridged.push(one)), ...bridged.end()]
      }
    },
    ...(bridge.here === undefined ? undefined : { here: bridge.here }),
    ...(bridge.replay === undefined ? undefined : { replay: bridge.replay })
  }
}
