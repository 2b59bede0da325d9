/** The bridges that ship with the gateway. The first that leads to an operation of the model is taken. */
import type { Bridge } from "./Bridge.ts"
import { chatToResponses } from "./ChatToResponses.ts"
import { responsesToChat } from "./ResponsesToChat.ts"

export const allBridges: ReadonlyArray<Bridge> = [responsesToChat, chatToResponses]
