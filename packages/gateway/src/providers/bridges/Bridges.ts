/** The bridges that ship. A new one is a file beside this one and a name here; the first that leads somewhere is taken. */
import type { Bridge } from "./Bridge.ts"
import { chatToResponses } from "./ChatToResponses.ts"
import { CompletionsToChat } from "./CompletionsToChat.ts"
import { CountTokensHere, InputTokensHere } from "./CountTokensHere.ts"
import { CountContentTokensHere, GenerateContentToChat } from "./GenerateContentToChat.ts"
import { MessagesToChat } from "./MessagesToChat.ts"
import { responsesToChat } from "./ResponsesToChat.ts"

export const allBridges: ReadonlyArray<Bridge> = [
  responsesToChat,
  chatToResponses,
  MessagesToChat,
  CountTokensHere,
  InputTokensHere,
  GenerateContentToChat,
  CountContentTokensHere,
  CompletionsToChat
]
