/** The protocols that ship with the gateway. A new one is a folder beside these and a name here. */
import type { Protocol } from "../../core/pool/Protocol.ts"
import { AnthropicProtocol } from "./anthropic/AnthropicProtocol.ts"
import { BedrockProtocol } from "./bedrock/BedrockProtocol.ts"
import { CohereProtocol } from "./cohere/CohereProtocol.ts"
import { GeminiProtocol } from "./gemini/GeminiProtocol.ts"
import { MistralProtocol } from "./mistral/MistralProtocol.ts"
import { OllamaProtocol } from "./ollama/OllamaProtocol.ts"
import { OpenAiProtocol } from "./openai/OpenAiProtocol.ts"

export const allProtocols: ReadonlyArray<Protocol> = [
  OpenAiProtocol,
  AnthropicProtocol,
  MistralProtocol,
  GeminiProtocol,
  BedrockProtocol,
  OllamaProtocol,
  CohereProtocol
]
