/** The vendors the gateway knows by name. A new one that speaks a known protocol is a file beside this one and a line here. */
import type { BuiltInProtocol, ProtocolName } from "../../core/domain/Deployment.ts"
import type { Vendor } from "../../core/pool/Vendor.ts"
import { Anthropic, AnthropicCompatible } from "./Anthropic.ts"
import { Azure } from "./clouds/Azure.ts"
import { Bedrock, BedrockCompatible } from "./clouds/Bedrock.ts"
import { Cloudflare } from "./clouds/Cloudflare.ts"
import { Databricks } from "./clouds/Databricks.ts"
import { GitHubModels } from "./clouds/GitHubModels.ts"
import { Snowflake } from "./clouds/Snowflake.ts"
import { Cerebras } from "./hosts/Cerebras.ts"
import { Crusoe } from "./hosts/Crusoe.ts"
import { Fireworks } from "./hosts/Fireworks.ts"
import { Groq } from "./hosts/Groq.ts"
import { HuggingFace } from "./hosts/HuggingFace.ts"
import { Nvidia } from "./hosts/Nvidia.ts"
import { OpenRouter } from "./hosts/OpenRouter.ts"
import { Perplexity } from "./hosts/Perplexity.ts"
import { SambaNova } from "./hosts/SambaNova.ts"
import { Together } from "./hosts/Together.ts"
import { DeepSeek } from "./makers/DeepSeek.ts"
import { MiniMax } from "./makers/MiniMax.ts"
import { Moonshot } from "./makers/Moonshot.ts"
import { Qwen } from "./makers/Qwen.ts"
import { Xai } from "./makers/Xai.ts"
import { Zai } from "./makers/Zai.ts"
import { LiteLlm } from "./servers/LiteLlm.ts"
import { LlamaCpp } from "./servers/LlamaCpp.ts"
import { LmStudio } from "./servers/LmStudio.ts"
import { SgLang } from "./servers/SgLang.ts"
import { Tgi } from "./servers/Tgi.ts"
import { Vllm } from "./servers/Vllm.ts"
import { Cohere, CohereCompatible } from "./makers/Cohere.ts"
import { Demo } from "./DemoVendor.ts"
import { GeminiCompatible, GoogleAiStudio } from "./google/GoogleAiStudio.ts"
import { Jina } from "./makers/Jina.ts"
import { Mistral, MistralCompatible } from "./Mistral.ts"
import { Ollama, OllamaCompatible } from "./servers/Ollama.ts"
import { OpenAi } from "./OpenAi.ts"
import { OpenAiCompatible } from "./OpenAiCompatible.ts"
import { Vertex } from "./google/Vertex.ts"
import { Voyage } from "./makers/Voyage.ts"

export const knownVendors: ReadonlyArray<Vendor> = [
  OpenAi,
  Anthropic,
  Azure,
  Bedrock,
  Cerebras,
  Cloudflare,
  Cohere,
  Crusoe,
  Databricks,
  DeepSeek,
  Fireworks,
  GitHubModels,
  GoogleAiStudio,
  Groq,
  HuggingFace,
  Jina,
  LiteLlm,
  LlamaCpp,
  LmStudio,
  MiniMax,
  Mistral,
  Moonshot,
  Nvidia,
  Ollama,
  OpenRouter,
  Perplexity,
  Qwen,
  SambaNova,
  SgLang,
  Snowflake,
  Tgi,
  Together,
  Vertex,
  Vllm,
  Voyage,
  Xai,
  Zai,
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
