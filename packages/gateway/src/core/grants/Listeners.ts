/** Which service of this process answers calls for its leased quota. */
import { type Call, type Give, type Given, nothingGiven } from "./Grants.ts"

/** Who answers for what. */
type Listener = readonly [
  knows: (kind: string) => boolean,
  listener: (call: Call) => Given,
  lost: () => ReadonlyArray<Give>
]

/** Those that listen to calls, by what they know. */
export class Listeners {
  private readonly listeners: Array<Listener> = []

  readonly add = (...listener: Listener): void => void this.listeners.push(listener)

  answer(call: Call): Given {
    const found = this.listeners.find(([knows]) => knows(call.share.kind))
    return found === undefined ? nothingGiven : found[1](call)
  }

  /** What of all shares is kept. */
  lost(): ReadonlyArray<Give> {
    return this.listeners.flatMap(([, , lost]) => lost())
  }
}
