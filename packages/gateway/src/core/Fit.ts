/** Whether the worst case of an attempt fits into what is left of its budgets. */
import { BudgetExceeded, type LimitScope } from "./Errors.ts"
import type { NanoUsd } from "./Money.ts"
import { type MostUsed, outputThatFits, sheetOf, worstCase } from "./Pricing.ts"
import type { Held } from "./ScopeBudgets.ts"
import type { Intent } from "./SpendLedger.ts"

/** Where the output limit comes from that was promised to nobody: enough for nearly every answer, and a bound all the same. */
const ASSUMED_MAX_OUTPUT = 16_384

/** Below this an answer is not worth starting: better to say that the budget is nearly used up. */
const MIN_USEFUL_OUTPUT = 256

export interface Fit {
  readonly amount: NanoUsd
  readonly maxOutput: number | undefined
}

/** The worst case of an intent, lowered where the caller gave no limit and the room asks for it; or why it can't be held. */
export const fit = (intent: Intent, held: ReadonlyArray<Held>, input: number, now: number): Fit | BudgetExceeded => {
  const { price } = intent.deployment
  const sheet = price === undefined || intent.tier === undefined ? price : (sheetOf(price, intent.tier) ?? price)
  if (sheet === undefined) return { amount: 0, maxOutput: undefined }
  const known = intent.maxOutput ?? intent.deployment.maxOutputTokens
  // Of a window that is known the input has its part.
  const left = Math.max(MIN_USEFUL_OUTPUT, (intent.deployment.contextWindow ?? Number.POSITIVE_INFINITY) - input)
  const output = known ?? Math.min(ASSUMED_MAX_OUTPUT, left)
  if (held.length === 0) {
    // Held against nothing, but booked if this process dies: no more than the model can write.
    const written = Math.min(output, intent.deployment.maxOutputTokens ?? output)
    return { amount: worstCase(sheet, most(input, written * intent.choices), now), maxOutput: undefined }
  }
  const amount = worstCase(sheet, most(input, output * intent.choices), now)
  const room = leastRoom(held)
  if (amount <= room) return { amount, maxOutput: known === undefined ? output : undefined }
  if (intent.maxOutput === undefined) {
    const lowered = Math.floor(outputThatFits(sheet, most(input, 0), room, now) / intent.choices)
    if (lowered >= MIN_USEFUL_OUTPUT) {
      return { amount: worstCase(sheet, most(input, lowered * intent.choices), now), maxOutput: lowered }
    }
  }
  const least =
    intent.maxOutput === undefined ? worstCase(sheet, most(input, MIN_USEFUL_OUTPUT * intent.choices), now) : amount
  // What is missing may be less than is rounded off.
  return refusal(intent, held, Math.max(least, room + 1), now)
}

/** All of the input may be audio: nobody has looked. */
const most = (input: number, output: number): MostUsed => ({ input: 0, audioInput: input, output })

const leastRoom = (held: ReadonlyArray<Held>): NanoUsd => {
  let least = Number.POSITIVE_INFINITY
  for (const { scope } of held) for (const window of scope.windows) least = Math.min(least, window.room)
  return least
}

/** Of all windows without room the one that keeps the caller waiting longest. */
const refusal = (intent: Intent, held: ReadonlyArray<Held>, needed: NanoUsd, now: number): BudgetExceeded => {
  const full = held.flatMap(({ scope }) => scope.windows).filter((window) => window.room < needed)
  // With nothing in flight it would not fit either: only the next window helps. Else those in flight may leave room.
  const usedUp = full.filter((window) => window.budget.limit - window.spent < needed)
  const isUsedUp = usedUp.length > 0
  const window = (isUsedUp ? usedUp : full).reduce((a, b) => (b.end > a.end ? b : a))
  const [kind, ...rest] = window.scope.split(":")
  const resetsAt = Number.isFinite(window.end) ? window.end : null
  return new BudgetExceeded({
    kind: isUsedUp ? "budget" : "budget_reserved",
    scope: kind as LimitScope,
    subject: rest.join(":"),
    keyId: intent.caller.key.id,
    window: window.budget.window,
    limit: window.budget.limit,
    used: isUsedUp ? window.spent : window.spent + window.reserved,
    needed,
    retryAfterSeconds: !isUsedUp ? 1 : resetsAt === null ? 86_400 : Math.max(1, Math.ceil((resetsAt - now) / 1000)),
    resetsAt
  })
}
