/** What happens to the reservations that a dead process left open. */
import { Context } from "effect"

export const abandonedRules = ["estimate", "book", "void"] as const

/** `estimate` charges the input and what can have been written, `book` the reservation, `void` nothing. See `abandonedCost`. */
export type AbandonedRule = (typeof abandonedRules)[number]

export const AbandonedRule = Context.Reference<AbandonedRule>("gateway/core/AbandonedRule", {
  defaultValue: () => "estimate"
})
