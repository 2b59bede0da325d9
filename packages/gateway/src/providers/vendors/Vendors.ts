/** The vendors the gateway knows by name. A new one that speaks a known protocol is a file beside this one and a line here. */
import type { BuiltInProtocol, ProtocolName } from "../../core/domain/Deployment.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { Anthropic, AnthropicCompatible } from "./Anthropic.ts"
import { Demo } from "./Demo.ts"
import { Mistral, MistralCompatible } from "./Mistral.ts"
import { Ollama } from "./Ollama.ts"
import { OpenAi } from "./OpenAi.ts"
import { OpenAiCompatible } from "./OpenAiCompatible.ts"

export const knownVendors: ReadonlyArray<Vendor> = [OpenAi, Anthropic, Mistral, Ollama, Demo]

/** Stand in where the configuration names a protocol and an address, but no vendor. */
const compatible: { readonly [Protocol in BuiltInProtocol]: Vendor } = {
  "openai-chat": OpenAiCompatible,
  "anthropic-messages": AnthropicCompatible,
  "mistral-chat": MistralCompatible
}

export const compatibleVendor = (protocol: ProtocolName): Vendor | undefined => compatible[protocol as BuiltInProtocol]

/** All that a deployment may name (`Deployment.vendor`). */
export const allVendors: ReadonlyArray<Vendor> = [...knownVendors, ...Object.values(compatible)]
