/** The system prompt of a message, as texts. */
import { Predicate } from "effect"

/** Claude Code begins its prompt with this line for Anthropic's books. It differs between calls of one session. */
const BILLING = /^x-anthropic-billing-header:/

/** Without the line above, which would make each call look like a session of its own, and spoil every prompt cache. */
export const systemTexts = (system: unknown): ReadonlyArray<string> => {
  if (typeof system === "string") return system === "" ? [] : [system]
  if (!Array.isArray(system)) return []
  return system.flatMap((block) => {
    const text: unknown = Predicate.hasProperty(block, "text") ? block.text : undefined
    return typeof text === "string" && text !== "" && !BILLING.test(text) ? [text] : []
  })
}
