/** The protocols by name. */
import type { ProtocolName } from "../../core/Deployment.ts"
import type { ChatProtocol } from "../../core/Provider.ts"
import * as Anthropic from "./AnthropicMessages.ts"
import { OpenAiChat } from "./OpenAiChat.ts"

const protocols: { readonly [Name in ProtocolName]: ChatProtocol } = {
  "openai-chat": OpenAiChat,
  "anthropic-messages": ("AnthropicMessages" in Anthropic ? Anthropic.AnthropicMessages : (Anthropic as any).anthropicMessages) as ChatProtocol
}

export const protocolNamed = (name: ProtocolName): ChatProtocol => protocols[name]
