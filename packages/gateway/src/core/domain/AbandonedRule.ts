/** What becomes of the reservations of a process that no longer runs. */
import { Context } from "effect"

export const abandonedRules = ["book", "void"] as const

/**
 * What becomes of a reservation whose request is gone without a trace: its worst case is booked, as the provider may well have been
 * paid, or nothing is.
 */
export type AbandonedRule = (typeof abandonedRules)[number]

export const AbandonedRule = Context.Reference<AbandonedRule>("gateway/core/AbandonedRule", {
  defaultValue: () => "book"
})
