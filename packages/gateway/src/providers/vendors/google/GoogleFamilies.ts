/** Google's models, wherever Google serves them. What each can do is in the model catalogue. */
import { operationsIn } from "../CompatibleVendors.ts"

/** Models that draw answer chats as well. */
export const googleOperations = operationsIn("chat")
