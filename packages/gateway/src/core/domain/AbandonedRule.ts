/** What happens to the reservations that a dead process left open. */
import { Context } from "effect"

export const abandonedRules = ["book", "void"] as const

/** `book` books the worst case, as the provider may well have billed it; `void` books nothing. */
export type AbandonedRule = (typeof abandonedRules)[number]

export const AbandonedRule = Context.Reference<AbandonedRule>("gateway/core/AbandonedRule", {
  defaultValue: () => "book"
})
