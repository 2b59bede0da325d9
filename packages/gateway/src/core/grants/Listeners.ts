/** Which service of this process answers calls for its leased quota. */
import { type QuotaCall, type Give, type Given, nothingGiven } from "./Grants.ts"

/** Who answers for what. */
type QuotaListener = readonly [
  knows: (kind: string) => boolean,
  listener: (call: QuotaCall) => Given,
  lost: () => ReadonlyArray<Give>
]

/** Those that listen to calls, by what they know. */
export class Listeners {
  private readonly listeners: Array<QuotaListener> = []

  readonly add = (...listener: QuotaListener): void => void this.listeners.push(listener)

  answer(call: QuotaCall): Given {
    const found = this.listeners.find(([knows]) => knows(call.share.kind))
    return found === undefined ? nothingGiven : found[1](call)
  }

  /** What of all shares is kept. */
  lost(): ReadonlyArray<Give> {
    return this.listeners.flatMap(([, , lost]) => lost())
  }
}
