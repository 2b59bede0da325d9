/**
 * A deployment: one model at one provider, with everything needed to call it and to price its answer.
 */
import type { Redacted } from "effect"
import type { BoundRules } from "./BoundRules.ts"
import type { PriceSheet } from "./Pricing.ts"
import type { TierSetting } from "./ServiceTier.ts"

/** The wire languages that the gateway brings along. A configuration may name these; an embedder's vendor may name others. */
export const protocols = ["openai-chat", "anthropic-messages"] as const
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

/** Which calls a provider generates and bills to their end although their connection was closed. */
export const billedAfterDisconnect = ["none", "plain", "all"] as const
export type BillsAfterDisconnect = (typeof billedAfterDisconnect)[number]

/** Milliseconds. `firstToken` counts from the request being sent, `idle` between two pieces of an answer. */
export interface CallTimeouts {
  readonly connect: number
  readonly firstToken: number
  readonly idle: number
  readonly total: number
}

export interface Timeouts extends CallTimeouts {
  /** The least that an answer which comes all at once may take; more where the deployment is known to take longer. */
  readonly response: number
}

/** Where one model at one vendor differs from its protocol's book. */
export interface Quirks {
  /** Its answers are the book's own words: none is repaired. */
  readonly isNative?: boolean
  /** It knows the role `developer`; others get `system`. */
  readonly takesDevelopers?: boolean
  /** The name of the output limit that it takes; `either`: the caller's. Left out: `max_tokens`. */
  readonly outputLimit?: "max_tokens" | "max_completion_tokens" | "either"
}

export interface Deployment {
  readonly id: string
  /** The provider's name in the configuration: the first half of `<provider>/<model>`. */
  readonly provider: string
  /** The vendor whose endpoint, authentication and quirks apply, e.g. `openai`. */
  readonly vendor: string
  readonly protocol: ProtocolName
  /** What the upstream is asked for. */
  readonly model: string
  /** Without a trailing slash; protocol paths are appended, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** A pool: calls take them in turn. Empty where the provider wants none. */
  readonly apiKeys: ReadonlyArray<Redacted.Redacted<string>>
  /** Prices with their origin; undefined when nobody knows the price. */
  readonly price: PriceSheet | undefined
  /** Tokens of input and output together; undefined when unknown. */
  readonly contextWindow: number | undefined
  /** Tokens; undefined when unknown. */
  readonly maxOutputTokens: number | undefined
  /** An output limit that it takes, for requests that have to be given one. */
  readonly assumedMaxOutput?: number | undefined
  /** How much of a request's contents it can be billed for. */
  readonly bounds?: BoundRules
  readonly supports: ReadonlySet<Capability>
  /** Left out: `none`. */
  readonly billsAfterDisconnect?: BillsAfterDisconnect
  /** It thinks without saying all of it, and bills that: `always`, unless told not to, or only when `asked` to. */
  readonly hidesReasoning?: "always" | "asked" | undefined
  /** Images must be in the request: it fetches no URLs. */
  readonly inlineImages?: boolean
  readonly quirks?: Quirks | undefined
  /** How requests go out that name no service tier; undefined: see `ServiceTier`. */
  readonly serviceTier?: TierSetting | undefined
  readonly weight: number
  /** Lower is tried first where the order is by priority. */
  readonly priority: number
  readonly maxInFlight: number | undefined
  /** Calls that may be under way to its provider's address at once. */
  readonly maxConnections?: number | undefined
  readonly timeouts: Timeouts
}

/** `<provider>/<model>`: what the caller sees in `X-Gateway-Decision`. */
export const decisionName = (deployment: Deployment): string => `${deployment.provider}/${deployment.model}`
