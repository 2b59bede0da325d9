/** The protocols by name. */
import type { ProtocolName } from "../../core/domain/Deployment.ts"
import type { ChatProtocol } from "../../core/pool/Protocol.ts"
import { AnthropicMessages } from "./AnthropicMessages.ts"
import { OpenAiChat } from "./openai/Chat.ts"

const protocols: { readonly [Name in ProtocolName]: ChatProtocol } = {
  "openai-chat": OpenAiChat,
  "anthropic-messages": AnthropicMessages
}

export const protocolNamed = (name: ProtocolName): ChatProtocol => protocols[name]
