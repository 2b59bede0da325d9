/** The vendors that the gateway knows by name: those in `vendors.json`, and those that need code. */
import type { BuiltInProtocol, ProtocolName } from "../../core/domain/Deployment.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { Anthropic, AnthropicCompatible } from "./Anthropic.ts"
import { Azure } from "./clouds/Azure.ts"
import { Bedrock, BedrockCompatible } from "./clouds/Bedrock.ts"
import { Cohere, CohereCompatible } from "./Cohere.ts"
import { OpenAiCompatible, writtenVendor, writtenVendors } from "./CompatibleVendors.ts"
import { Demo } from "./DemoVendor.ts"
import { GeminiCompatible, GoogleAiStudio } from "./google/GoogleAiStudio.ts"
import { Vertex } from "./google/Vertex.ts"
import { Mistral, MistralCompatible } from "./Mistral.ts"
import { Ollama, OllamaCompatible } from "./Ollama.ts"
import { OpenAi } from "./OpenAi.ts"

const coded = new Map(
  [OpenAi, Anthropic, Azure, Bedrock, Cohere, GoogleAiStudio, Mistral, Ollama, Vertex].map((one) => [one.name, one])
)

export const knownVendors: ReadonlyArray<Vendor> = [
  ...Object.keys(writtenVendors)
    .filter((name) => name !== OpenAiCompatible.name)
    .map((name) => coded.get(name) ?? writtenVendor(name)),
  Demo
]

/** Stand in where the configuration names a protocol and an address, but no vendor. */
const compatible: { readonly [Protocol in BuiltInProtocol]: Vendor } = {
  "openai-chat": OpenAiCompatible,
  "anthropic-messages": AnthropicCompatible,
  "mistral-chat": MistralCompatible,
  gemini: GeminiCompatible,
  bedrock: BedrockCompatible,
  "ollama-chat": OllamaCompatible,
  "cohere-v2": CohereCompatible
}

export const compatibleVendor = (protocol: ProtocolName): Vendor | undefined => compatible[protocol as BuiltInProtocol]

/** All that a deployment may name (`Deployment.vendor`). */
export const allVendors: ReadonlyArray<Vendor> = [...knownVendors, ...Object.values(compatible)]
