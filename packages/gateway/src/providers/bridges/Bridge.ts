/** Serves an operation that a protocol lacks through one that it has: translates the request, and the response or its stream. */
import { Result } from "effect"
import { type ProviderFailure, Unsupported } from "../../core/domain/Failures.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { UpstreamCall, Dialect, Protocol, LiftedAnswer, StreamEvent } from "../../core/pool/Protocol.ts"

export interface Bridge {
  readonly from: OperationName
  readonly to: OperationName
  readonly down: (call: UpstreamCall) => Result.Result<UpstreamCall, Unsupported>
  /** What the caller calls a parameter of the lowered request. Left out: names are the same. */
  readonly nameOf?: (param: string, call: UpstreamCall) => string
  readonly up: (answer: LiftedAnswer, call: UpstreamCall) => LiftedAnswer
  readonly upStream: (call: UpstreamCall) => {
    readonly push: (event: StreamEvent) => ReadonlyArray<StreamEvent>
    readonly end: () => ReadonlyArray<StreamEvent>
  }
  readonly here?: Dialect["here"]
}

type SpokenDialects = Protocol["speaks"]

/** A model's own dialect, or the first bridge to one of its dialects, which may lead over a further bridge. */
export const dialectFor = (
  speaks: SpokenDialects,
  bridges: ReadonlyArray<Bridge>,
  operation: OperationName
): Dialect | undefined => {
  const own = speaks.get(operation)
  if (own !== undefined) return own
  // None leads back.
  const further = bridges.filter(({ from }) => from !== operation)
  for (const bridge of bridges) {
    const dialect = bridge.from === operation ? dialectFor(speaks, further, bridge.to) : undefined
    if (dialect !== undefined) return over(bridge, dialect)
  }
  return undefined
}

export const dialectBy = (
  speaks: SpokenDialects,
  bridges: ReadonlyArray<Bridge>,
  operation: OperationName,
  use: OperationName
): Dialect | undefined => {
  const own = speaks.get(use)
  return own === undefined ? undefined : dialectFor(new Map([[use, own]]), bridges, operation)
}

export const operationsOf = (speaks: SpokenDialects, bridges: ReadonlyArray<Bridge>): ReadonlySet<OperationName> =>
  new Set(
    [...speaks.keys(), ...bridges.map(({ from }) => from)].filter(
      (operation) => dialectFor(speaks, bridges, operation) !== undefined
    )
  )

export const renamed = (
  lowered: ReturnType<Dialect["lower"]>,
  nameOf: (param: string) => string,
  dropped: ReadonlyArray<string> = []
): ReturnType<Dialect["lower"]> =>
  Result.mapBoth(lowered, {
    onFailure: ({ code, message, param }) => {
      const theirs = nameOf(param)
      const words = message.replaceAll(`\`${param}\``, `\`${theirs}\``)
      return new Unsupported({ message: words, param: theirs, ...(code === undefined ? {} : { code }) })
    },
    onSuccess: (wire) =>
      dropped.length + wire.dropped.length === 0
        ? wire
        : { ...wire, dropped: [...dropped, ...wire.dropped.map(nameOf)] }
  })

const over = (bridge: Bridge, dialect: Dialect): Dialect => {
  // Decoding a response needs the translated request, so it is kept for as long as the call.
  const below = new WeakMap<UpstreamCall, UpstreamCall>()
  // So is the response as it was, for a provider that answers a stream request with it.
  const untranslated = new WeakMap<LiftedAnswer, LiftedAnswer>()
  const lowerCall = (call: UpstreamCall): UpstreamCall => below.get(call) ?? call
  return {
    spoken: dialect.spoken ?? bridge.to,
    ...(dialect.failure === undefined ? undefined : { failure: dialect.failure }),
    lower: (call) =>
      Result.flatMap(bridge.down(call), (lowered) => {
        below.set(call, lowered)
        const { dropped = [] } = lowered
        const nameOf = (param: string) => bridge.nameOf?.(param, call) ?? param
        return renamed(dialect.lower(lowered), nameOf, dropped)
      }),
    lift: (text, call): Result.Result<LiftedAnswer, ProviderFailure> =>
      Result.map(dialect.lift(text, lowerCall(call)), (answer) => {
        const lifted = bridge.up(answer, call)
        untranslated.set(lifted, answer)
        return lifted
      }),
    stream: (call) => {
      const lifter = dialect.stream(lowerCall(call))
      const bridged = bridge.upStream(call)
      return {
        push: (event) => lifter.push(event).flatMap((one) => bridged.push(one)),
        end: () => [...lifter.end().flatMap((one) => bridged.push(one)), ...bridged.end()]
      }
    },
    ...(bridge.here === undefined ? undefined : { here: bridge.here }),
    ...(dialect.replay === undefined
      ? undefined
      : {
          replay: (answer: LiftedAnswer, call: UpstreamCall) => {
            const bridged = bridge.upStream(call)
            const events = dialect.replay!(untranslated.get(answer) ?? answer, lowerCall(call))
            return [...events.flatMap((one) => bridged.push(one)), ...bridged.end()]
          }
        })
  }
}
