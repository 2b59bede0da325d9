/** A deployment: one model at one provider, with everything needed to call it and to price its response. */
import type { Redacted } from "effect"
import type { UpstreamConnection } from "./Connection.ts"
import type { BoundRules } from "./pricing/BoundRules.ts"
import type { ModelFacts } from "./models/ModelFacts.ts"
import type { OperationName } from "./OperationName.ts"
import type { Presets } from "./Presets.ts"
import type { PriceSheet } from "./pricing/Pricing.ts"
import type { ProviderOptions } from "./ProviderOptions.ts"
import type { TierSetting } from "./pricing/ServiceTier.ts"

/** The protocols that ship with the gateway. A configuration may name only these; an embedder's vendor may name others. */
export const protocols = [
  "openai-chat",
  "anthropic-messages",
  "mistral-chat",
  "gemini",
  "bedrock",
  "ollama-chat",
  "cohere-v2"
] as const
export type BuiltInProtocol = (typeof protocols)[number]
export type ProtocolName = string

/** What a deployment can do. Requests that need more are not sent to it. */
export const capabilities = [
  "chat",
  "stream",
  "tools",
  "json_schema",
  "images",
  "audio",
  "files",
  "reasoning",
  "embeddings"
] as const
export type Capability = (typeof capabilities)[number]

/** Which calls a provider still completes and bills after their connection was closed. */
export const billedAfterDisconnect = ["none", "plain", "all"] as const
export type BillsAfterDisconnect = (typeof billedAfterDisconnect)[number]

/** Milliseconds. `firstToken` counts from the request being sent, `idle` between two pieces of a response. */
export interface CallTimeouts {
  readonly connect: number
  readonly firstToken: number
  readonly idle: number
  readonly total: number
}

export interface Timeouts extends CallTimeouts {
  /** The shortest limit for a non-streamed response; longer where the deployment is known to need more. */
  readonly response: number
}

export const jsonSchemaWays = ["tool", "json_mode"] as const
export type JsonSchemaWay = (typeof jsonSchemaWays)[number]

/** Where a model at a vendor departs from its protocol's specification. */
export interface Quirks {
  /** Its responses follow the specification exactly, so none is repaired. */
  readonly isNative?: boolean
  /** It refuses schemas of tools whose top is no plain object. */
  readonly topLevelObjects?: boolean
  /** It accepts the role `developer`; other models get `system`. */
  readonly takesDevelopers?: boolean
  /** The name of the output limit that it accepts; `either`: the caller's name is kept. Left out: `max_tokens`. */
  readonly outputLimit?: "max_tokens" | "max_completion_tokens" | "either"
  /** The least `max_output_tokens` that its Responses take; a lower limit becomes this one. Left out: 1. */
  readonly leastOutput?: number
  readonly tellsNoStreamUsage?: boolean
  /** Its images come as base64 only, and it refuses `response_format`. */
  readonly onlyInlineImages?: boolean
  /** Whether it takes cache marks. `refused`: callers' own are removed. Left out: they pass. */
  readonly cacheMarks?: "taken" | "refused"
  /** The values of `reasoning_effort` that it takes, lowest first; others become the nearest. Empty: none. Left out: all. */
  readonly efforts?: ReadonlyArray<string>
  /** The field of chat that turns reasoning off: `thinking: { type: "disabled" }`, `enable_thinking: false`. Left out: an effort. */
  readonly thinkingSwitch?: "thinking" | "enable_thinking"
  /** By the features of a request. */
  readonly adaptations?: ReadonlyArray<Adaptation>
  /** It returns one choice per call: `n` choices take `n` calls. */
  readonly oneChoice?: boolean
  /** How it follows a JSON schema without `response_format`: a forced tool call, or JSON mode and the prompt. Left out: it takes it. */
  readonly jsonSchema?: JsonSchemaWay
  /** Chat parameters that are left out for it and named in the response, such as `tools[].function.strict`. */
  readonly refuses?: ReadonlyArray<string>
  /** Parameters that have another name there. */
  readonly renames?: { readonly [name: string]: string }
  /** Numbers that it takes only from the first to the second. */
  readonly ranges?: { readonly [name: string]: readonly [least: number, most: number] }
  /** It chooses among servers of several prices, and takes the most that a caller wants to pay (`provider.max_price`). */
  readonly takesMaxPrice?: boolean
  readonly timesTranscripts?: boolean
  /** How Gemini's protocol asks for vectors: several texts as predictions, or one at a time. Left out: in a batch. */
  readonly embeds?: "predict" | "one"
  /** Anthropic's API behind another host's addresses: which model is meant stands there, and a version in the body. */
  readonly anthropicHost?: "vertex"
}

/** What is changed in a request before it is sent to a model, where the features of the request match. Bits: as of `Route`. */
export interface Adaptation {
  readonly mask: number
  readonly not: number
  /** `drop`: `to` is the default value. `set`: to `to`. `rename`: to `to`. `clamp`: into `least` to `most`. */
  readonly action: "drop" | "set" | "clamp" | "rename" | "refuse"
  /** Its path: `temperature`, `tools[].function.strict`, `include=VALUE` for an entry of a list. */
  readonly field: string
  readonly to?: string | number
  readonly least?: number
  readonly most?: number
  /** Why, in words for the caller. */
  readonly note?: string
}

/** An operation that a model refuses for some requests, and the operation that serves them. Bits: `core/operations/RequestFeatures.ts`. */
export interface Route {
  readonly in: OperationName
  /** Features that a request has, all of them, and features that it has not, none of them. */
  readonly mask: number
  readonly not: number
  readonly use: OperationName
  /** Which requests these are, in plain words. */
  readonly why: string
}

export interface ProviderEndpoint {
  readonly protocol: ProtocolName
  /** Without a trailing slash. */
  readonly baseUrl: string
}

export interface Deployment {
  readonly id: string
  /** The provider's name in the configuration: the first half of `<provider>/<model>`. */
  readonly provider: string
  /** The vendor whose endpoint, authentication and quirks apply, e.g. `openai`. */
  readonly vendor: string
  readonly protocol: ProtocolName
  /** The model name that is sent upstream. */
  readonly model: string
  /** The model that it is, where `model` is a name of the operator's own. */
  readonly baseModel?: string | undefined
  /** Without a trailing slash; protocol paths are appended, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** Appended to every path: `api-version=2024-10-21`. */
  readonly query?: string | undefined
  /** Fields of the provider's configuration that only its vendor has. */
  readonly options?: ProviderOptions | undefined
  /** Keys that calls take in turn. Empty where the provider needs none. */
  readonly apiKeys: ReadonlyArray<Redacted.Redacted<string>>
  /** Prices with their origin; undefined when the price is unknown. */
  readonly price: PriceSheet | undefined
  /** Tokens of input and output together; undefined when unknown. */
  readonly contextWindow: number | undefined
  /** Tokens; undefined when unknown. */
  readonly maxOutputTokens: number | undefined
  /** An output limit that the model accepts, for requests that need one and have none. */
  readonly assumedMaxOutput?: number | undefined
  /** How much it can bill for a request's contents. */
  readonly bounds?: BoundRules
  /** What the model catalogue says of the model. Left out: nothing. */
  readonly facts?: ModelFacts
  readonly supports: ReadonlySet<Capability>
  /** The operations that the model has natively. Left out: all that its protocol speaks. Others need a bridge. */
  readonly operations?: ReadonlySet<OperationName> | undefined
  /** Operations that it has in another protocol, at an address of their own. Left out: none. */
  readonly endpoints?: ReadonlyMap<OperationName, ProviderEndpoint> | undefined
  /** By the features of a request. The first that matches counts. Left out: none. */
  readonly routes?: ReadonlyArray<Route> | undefined
  /** Left out: `none`. */
  readonly billsAfterDisconnect?: BillsAfterDisconnect
  /** Whether it bills reasoning that it does not show: `always` (unless reasoning is off), or only when the request `asked` for reasoning. */
  readonly hidesReasoning?: "always" | "asked" | undefined
  /** It fetches nothing by address: images, documents and recordings must be inside the request. Its own files stay addresses. */
  readonly inlineImages?: boolean
  /** A server of the operator's: what it would fetch from a private network is refused. */
  readonly refusesPrivateMedia?: boolean
  /** Hosts of private networks from which the gateway fetches media for it. */
  readonly mediaHosts?: ReadonlyArray<string> | undefined
  readonly quirks?: Quirks | undefined
  /** Tokens a second of the fastest model of its kind, until one was measured. Left out: as at OpenAI. */
  readonly assumedRate?: number | undefined
  /** The service tier for requests that name none; undefined: see `ServiceTier`. */
  readonly serviceTier?: TierSetting | undefined
  /** `allow`: callers may choose who pays the provider (`workspace_id`, `billing_policy`). Left out: those fields are removed. */
  readonly callerBilling?: "allow" | undefined
  readonly presets?: Presets | undefined
  /** Where it processes data, in the operator's word. Left out: nobody said. */
  readonly region?: string | undefined
  /** It keeps nothing of a request. Left out: nobody said. */
  readonly zdr?: boolean | undefined
  /** The deployment of all models (`openai/*`) of which this is one. It has its id, health, keys and limits. */
  readonly wildcard?: Deployment | undefined
  readonly weight: number
  /** With priority order, the lowest number is tried first. */
  readonly priority: number
  readonly maxInFlight: number | undefined
  /** The most concurrent calls to its provider's address. */
  readonly maxConnections?: number | undefined
  /** Proxy and certificates for its provider. Left out: those of the system. */
  readonly connection?: UpstreamConnection | undefined
  readonly timeouts: Timeouts
}

/** `<provider>/<model>`: what the caller sees in `X-Gateway-Decision`. */
export const decisionName = (deployment: Deployment): string => `${deployment.provider}/${deployment.model}`

/** Whether it stands for all models that its `model`, with one `*`, matches. It is never called itself. */
export const isWildcard = ({ model }: Pick<Deployment, "model">): boolean => model.includes("*")
