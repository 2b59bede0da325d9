/** Conversations that end with the assistant, for models that do not go on with its last turn by themselves. */
import type { Losses } from "./Losses.ts"

export const GO_ON = "Go on with your last answer from where it ends. Do not repeat what is there."

export const reportGoOn = (losses: Losses): void =>
  losses.drop("messages", "this model's conversations end with the user, so the last message can't be the assistant's")
