import type { Route } from "../../core/domain/Deployment.ts"
import { ProviderFailure } from "../../core/domain/Failures.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import { type FeatureTest, holds, ROUTING_FEATURES } from "../../core/operations/RequestFeatures.ts"
import type { Dialect, Protocol, UpstreamCall } from "../../core/pool/Protocol.ts"
import { type Bridge, dialectBy, dialectFor } from "../bridges/Bridge.ts"

interface DialectWay extends FeatureTest {
  readonly dialect: Dialect
}

const MOST_LEARNT = 16

export class Dialects {
  private readonly speaks: Protocol["speaks"]
  private readonly bridges: ReadonlyArray<Bridge>
  private readonly routes: ReadonlyArray<Route>
  /** By operation: the first way whose test holds is taken. The last has none. Empty: the operation can't be served. */
  private readonly ways = new Map<OperationName, ReadonlyArray<DialectWay>>()
  private readonly learnt = new Map<OperationName, number>()

  constructor(speaks: Protocol["speaks"], bridges: ReadonlyArray<Bridge>, routes: ReadonlyArray<Route> = []) {
    this.speaks = speaks
    this.bridges = bridges
    this.routes = routes
  }

  /** Undefined if its API can't serve the operation. */
  of({ instead, operation, request: { features = 0 } }: UpstreamCall): Dialect | undefined {
    const ways = this.ways.get(operation) ?? this.made(operation)
    if (instead !== undefined) return dialectBy(this.speaks, this.bridges, operation, instead)
    for (const way of ways) if (holds(features, way)) return way.dialect
    return undefined
  }

  /** The refusal; the operation that it advises is left out where the call was for that one, or it can't be asked for. */
  advised(failure: ProviderFailure, call: UpstreamCall): ProviderFailure {
    const { instead, message } = failure
    if (instead === undefined) return failure
    const { operation } = call
    const isNew = (this.of(call)?.spoken ?? operation) !== instead
    if (isNew && dialectBy(this.speaks, this.bridges, operation, instead) !== undefined) return failure
    const { instead: _, ...rest } = failure
    return new ProviderFailure({ ...rest, message })
  }

  /** The operation that the deployment advised has worked: it is asked for at once by requests that are alike. */
  learn({ instead, operation, request: { features = 0 } }: UpstreamCall): void {
    const dialect = instead === undefined ? undefined : dialectBy(this.speaks, this.bridges, operation, instead)
    const count = this.learnt.get(operation) ?? 0
    if (dialect === undefined || count >= MOST_LEARNT) return
    const ways = this.ways.get(operation) ?? this.made(operation)
    // Another request may have taught it meanwhile.
    if (ways.find((way) => holds(features, way))?.dialect.spoken === instead) return
    const mask = features & ROUTING_FEATURES
    this.learnt.set(operation, count + 1)
    this.ways.set(operation, [{ mask, not: ROUTING_FEATURES & ~mask, dialect }, ...ways])
  }

  private made(operation: OperationName): ReadonlyArray<DialectWay> {
    const { bridges, routes, speaks } = this
    const usual = dialectFor(speaks, bridges, operation)
    if (usual === undefined) return []
    const spoken = usual.spoken ?? operation
    const others = routes.flatMap((route): ReadonlyArray<DialectWay> => {
      if (route.in !== spoken) return []
      const dialect = dialectBy(speaks, bridges, operation, route.use)
      return dialect === undefined ? [] : [{ mask: route.mask, not: route.not, dialect }]
    })
    const ways = [...others, { mask: 0, not: 0, dialect: usual }]
    this.ways.set(operation, ways)
    return ways
  }
}
