/** Several gateways in one process, which share limits through one owner. */
import { Effect } from "effect"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import type { Give, ShareName, SharedGrants, SharedBudget } from "../../../src/core/grants/Grants.ts"
import { Listeners } from "../../../src/core/grants/Listeners.ts"
import type { GrantOwner, Member } from "./GrantOwner.ts"

export interface MemoryNode {
  readonly grants: SharedGrants
  readonly member: Member
  /** Between the node and the owner; what is given back while it is down arrives when it is up again. Question and answer take `ms`. */
  readonly link: { isUp: boolean; ms: number; questions: number }
}

export const joinInMemory = (
  owner: GrantOwner,
  standing: (shares: ReadonlyArray<ShareName>) => Effect.Effect<ReadonlyArray<SharedBudget>, StoreUnavailable>
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
