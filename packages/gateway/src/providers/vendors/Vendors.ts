/** The vendors the gateway knows by name. A new one that speaks a known protocol is a file beside this one and a line here. */
import type { ProtocolName } from "../../core/domain/Deployment.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { Anthropic, AnthropicCompatible } from "./Anthropic.ts"
import { Demo } from "./Demo.ts"
import { Ollama } from "./Ollama.ts"
import { OpenAi } from "./OpenAi.ts"
import { OpenAiCompatible } from "./OpenAiCompatible.ts"

export const knownVendors: ReadonlyArray<Vendor> = [OpenAi, Anthropic, Ollama, Demo]

/** Stand in where the configuration names a protocol and an address, but no vendor. */
const compatible: { readonly [Protocol in ProtocolName]: Vendor } = {
  "openai-chat": OpenAiCompatible,
  "anthropic-messages": AnthropicCompatible
}

export const compatibleVendor = (protocol: ProtocolName): Vendor => compatible[protocol]

const byName = new Map([...knownVendors, ...Object.values(compatible)].map((vendor) => [vendor.name, vendor]))

/** The vendor of a deployment (`Deployment.vendor`), the compatible ones included. */
export const vendorNamed = (name: string): Vendor | undefined => byName.get(name)
