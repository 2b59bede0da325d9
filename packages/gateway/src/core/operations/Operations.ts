/** The operations that ship with the gateway. A new one is a folder beside this file and a name here. */
import { chat } from "./chat/Chat.ts"
import { countTokens } from "./count_tokens/CountTokens.ts"
import { messages } from "./messages/Messages.ts"
import type { Operation } from "./Operation.ts"

export const allOperations: ReadonlyArray<Operation> = [chat, messages, countTokens]

/** `path`: of the operation's endpoint, in canonical spelling. */
export const operationAt = (path: string): Operation | undefined => allOperations.find((one) => one.path === path)
