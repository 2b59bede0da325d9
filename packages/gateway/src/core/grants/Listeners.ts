/** Which service of this process handles recalls of leased quota. */
import { type QuotaCall, type Give, type Given, nothingGiven } from "./Grants.ts"

type QuotaListener = readonly [
  knows: (kind: string) => boolean,
  listener: (call: QuotaCall) => Given,
  lost: () => ReadonlyArray<Give>
]

export class Listeners {
  private readonly listeners: Array<QuotaListener> = []

  readonly add = (...listener: QuotaListener): void => void this.listeners.push(listener)

  answer(call: QuotaCall): Given {
    const found = this.listeners.find(([knows]) => knows(call.share.kind))
    return found === undefined ? nothingGiven : found[1](call)
  }

  /** What running requests keep of all leases. */
  lost(): ReadonlyArray<Give> {
    return this.listeners.flatMap(([, , lost]) => lost())
  }
}
