/** Google's models, wherever Google serves them. What each can do is in the model catalogue. */
import type { Vendor } from "../../../core/pool/Vendor.ts"
import { operationsIn } from "../CompatibleVendors.ts"

const chatting = operationsIn("chat")

/** Models that draw answer chats as well, and what chats has Google's own API. */
export const googleOperations: NonNullable<Vendor["operations"]> = (model, options, facts) => {
  const has = chatting(model, options, facts)
  return has.includes("chat") ? [...has, "generate_content", "count_content_tokens"] : has
}
