/** Several nodes in one process: each has shares of what one owner gives out. For tests, and to read how it works. */
import { Effect } from "effect"
import { StoreUnavailable } from "../domain/Errors.ts"
import type { GrantOwner, Member } from "./GrantOwner.ts"
import {
  type Call,
  type Give,
  type Given,
  nothingGiven,
  type ShareName,
  type SharedGrants,
  type Standing
} from "./Grants.ts"

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

export interface MemoryNode {
  readonly grants: SharedGrants
  readonly member: Member
  /** Between the node and the owner; what is given back while it is down arrives when it is up again. Question and answer take `ms`. */
  readonly link: { isUp: boolean; ms: number; questions: number }
}

export const joinInMemory = (
  owner: GrantOwner,
  standing: (shares: ReadonlyArray<ShareName>) => Effect.Effect<ReadonlyArray<Standing>, StoreUnavailable>
): MemoryNode => {
  const link = { isUp: true, ms: 0, questions: 0 }
  const listeners = new Listeners()
  let waiting: Array<Give> = []
  const deliver = () => {
    owner.given(member, waiting)
    waiting = []
  }
  const member: Member = {
    call: (call) =>
      Effect.suspend(() => {
        if (!link.isUp) return Effect.never
        const given = listeners.answer(call)
        waiting.push({ share: call.share, amount: given.amount })
        deliver()
        return Effect.succeed(given)
      })
  }
  owner.join(member)
  const over = <A>(effect: Effect.Effect<A, StoreUnavailable>) =>
    Effect.suspend(() => {
      if (!link.isUp) return Effect.fail(new StoreUnavailable({ message: "The owner of the limits can't be reached." }))
      deliver()
      if (link.ms === 0) return effect
      const halfWay = Effect.sleep(link.ms / 2)
      return Effect.andThen(halfWay, Effect.tap(effect, halfWay))
    })
  const grants: SharedGrants = {
    isInForce: () => true,
    ask: (asks) => {
      link.questions++
      return over(owner.ask(member, asks))
    },
    give: (gives) => {
      waiting.push(...gives)
      if (link.isUp) deliver()
    },
    called: listeners.add,
    standing: (shares) => over(standing(shares))
  }
  return { grants, member, link }
}
