/** The bridges that ship with the gateway. A new one is a file beside this one and a name here. */
import type { Bridge } from "./Bridge.ts"
import { CountTokensHere } from "./CountTokensHere.ts"
import { MessagesToChat } from "./MessagesToChat.ts"

export const allBridges: ReadonlyArray<Bridge> = [MessagesToChat, CountTokensHere]
