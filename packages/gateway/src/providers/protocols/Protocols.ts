/** The protocols that ship with the gateway. A new one is a folder beside these and a name here. */
import type { Protocol } from "../../core/pool/Protocol.ts"
import { AnthropicProtocol } from "./anthropic/Protocol.ts"
import { BedrockProtocol } from "./bedrock/Protocol.ts"
import { CohereProtocol } from "./cohere/Protocol.ts"
import { GeminiProtocol } from "./gemini/Protocol.ts"
import { MistralProtocol } from "./mistral/Protocol.ts"
import { OllamaProtocol } from "./ollama/Protocol.ts"
import { OpenAiProtocol } from "./openai/Protocol.ts"

export const allProtocols: ReadonlyArray<Protocol> = [
  OpenAiProtocol,
  AnthropicProtocol,
  MistralProtocol,
  GeminiProtocol,
  BedrockProtocol,
  OllamaProtocol,
  CohereProtocol
]
