/** The protocols that ship with the gateway. A new one is a folder beside these and a name here. */
import type { ChatProtocol } from "../../core/pool/Protocol.ts"
import { AnthropicMessages } from "./AnthropicMessages.ts"
import { OpenAiChat } from "./openai/Chat.ts"

export const allProtocols: ReadonlyArray<ChatProtocol> = [OpenAiChat, AnthropicMessages]
