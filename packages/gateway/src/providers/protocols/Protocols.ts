/** The protocols by name. */
import type { ProtocolName } from "../../core/Deployment.ts"
import type { ChatProtocol } from "../../core/Provider.ts"
import { AnthropicMessages } from "./AnthropicMessages.ts"
import { OpenAiChat } from "./OpenAiChat.ts"

const protocols: { readonly [Name in ProtocolName]: ChatProtocol } = {
  "openai-chat": OpenAiChat,
  "anthropic-messages": AnthropicMessages
}

export const protocolNamed = (name: ProtocolName): ChatProtocol => protocols[name]
