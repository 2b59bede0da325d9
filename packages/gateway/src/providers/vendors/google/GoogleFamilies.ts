/** Google's models, wherever Google serves them. What each can do is in the model catalogue. */
import { operationsIn } from "../Compatible.ts"

export const googleStarters = [
  "gemini-3.5-flash-lite",
  "gemini-3.8-flash",
  "gemini-3.1-pro-preview",
  "gemini-3.1-pro-preview"
]

/** Models that draw answer chats as well. */
export const googleOperations = operationsIn("chat")
