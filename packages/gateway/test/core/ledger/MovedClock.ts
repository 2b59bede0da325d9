/** A clock that is set forwards and backwards, often to either side of a moment at which a budget window ends. */
import type { Budget } from "../../../src/core/domain/Budget.ts"
import { quickSpanAt } from "./SpendModel.ts"
import { DAY, type seeded } from "../call/Support.ts"

/** Epoch ms. One move in three goes back. */
export const movedClock = (chance: ReturnType<typeof seeded>, now: number, budgets: ReadonlyArray<Budget>): number => {
  const isBack = chance.next() < 0.33
  const timed = budgets.filter(({ window }) => window !== "total")
  if (timed.length === 0 || chance.next() < 0.5) {
    return now + (isBack ? -1 : 1) * Math.floor(chance.next() ** 3 * 40 * DAY)
  }
  const { end, start } = quickSpanAt(chance.pick(timed), now)
  // The last moment before the present window, or the first one after it.
  return isBack ? start - 1 : end
}
