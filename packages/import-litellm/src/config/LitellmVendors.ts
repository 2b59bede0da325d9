/**
 * Which vendor of this gateway a LiteLLM model is of (its names are those of https://docs.litellm.ai/docs/providers). Only spellings that
 * differ are listed here: which vendors there are, `knownVendors` says.
 */
import type { KnownVendor } from "@model-gateway/gateway/internal/core/domain/Settings"
import type { Vendor } from "@model-gateway/gateway/internal/core/pool/Vendor"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"

/** LiteLLM's name → ours, where they are not the same but for case and punctuation. */
export const spellings: { readonly [prefix: string]: string } = {
  together_ai: "together",
  fireworks_ai: "fireworks",
  nvidia_nim: "nvidia",
  vertex_ai: "vertex",
  vertex_ai_beta: "vertex",
  hosted_vllm: "vllm",
  ollama_chat: "ollama",
  dashscope: "qwen",
  cohere_chat: "cohere",
  litellm_proxy: "litellm",
  jina_ai: "jina",
  zhipu: "zai",
  azure_text: "azure",
  "text-completion-openai": "openai",
  custom_openai: "openai",
  openai_like: "openai"
}

/** Servers of one's own that speak OpenAI's protocol at `api_base`. */
const openAiServers = new Set(["xinference", "llamafile"])

/** What LiteLLM knows without a prefix. */
const bareNames: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(gpt-|chatgpt-|o\d|text-embedding-|dall-e|whisper-|tts-|omni-moderation|text-moderation|ft:)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "vertex"],
  [/^command-/, "cohere"]
]

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_.]/g, "")

/** By LiteLLM's prefix. The demo vendor is ours alone. */
export const vendorOf = (prefix: string): Vendor | undefined => {
  const wanted = plain(spellings[prefix.toLowerCase()] ?? prefix)
  const namesOf = ({ aliases = [], name }: KnownVendor) => [name, ...aliases]
  return knownVendors.find((vendor) => vendor.name !== "demo" && namesOf(vendor).some((name) => plain(name) === wanted))
}

export interface Upstream {
  /** Undefined: a server that speaks OpenAI's protocol at an address of its own. */
  readonly vendor: Vendor | undefined
  readonly model: string
  /** Bedrock's, where it is part of the name. */
  readonly region?: string
  /** LiteLLM calls its Responses where callers ask for chat. */
  readonly isResponses?: boolean
}

/** Of `provider/model`, or of a bare name; a text says why there is none. */
export const upstreamOf = (written: string, provider: string | undefined): Upstream | string => {
  const slash = written.indexOf("/")
  const prefix = provider ?? (slash > 0 ? written.slice(0, slash) : undefined)
  const own = provider === undefined ? slash + 1 : written.startsWith(`${provider}/`) ? provider.length + 1 : 0
  const model = written.slice(own)
  if (prefix === undefined) {
    const [, name] = bareNames.find(([match]) => match.test(written)) ?? []
    const vendor = name === undefined ? undefined : vendorOf(name)
    return vendor === undefined ? "its name does not identify the vendor: write <provider>/<model>" : { vendor, model }
  }
  if (model === "") return "its name ends after the provider"
  if (openAiServers.has(prefix)) return { vendor: undefined, model }
  const vendor = vendorOf(prefix)
  if (vendor === undefined) {
    return /^[\w.-]{1,40}$/.test(prefix)
      ? `this gateway has no vendor ${prefix}; if its server speaks OpenAI's protocol, add it with protocol: openai-chat and base_url`
      : "this gateway has no vendor of that name"
  }
  if (vendor.name === "bedrock") return bedrock(vendor, model)
  if (model.startsWith("responses/")) return { vendor, model: model.slice("responses/".length), isResponses: true }
  return { vendor, model: vendor.name === "vertex" ? model.replace(/^(gemini|chat)\//, "") : model }
}

const ROUTES = /^(converse|converse_like|invoke)\//

const bedrock = (vendor: Vendor, written: string): Upstream => {
  const model = written.replace(ROUTES, "")
  const [, region, rest] = /^([a-z]{2}(?:-[a-z]+)+-\d)\/(.+)$/.exec(model) ?? []
  return region === undefined || rest === undefined ? { vendor, model } : { vendor, model: rest, region }
}
