/**
 * What a configuration file says, read, checked and with its defaults filled in. The `config` room makes one of these; the
 * composition root builds the services from it.
 */
import type { Redacted } from "effect"
import type { ConfiguredBounds } from "./BoundRules.ts"
import type { BillsAfterDisconnect, Capability, ProtocolName, Timeouts } from "./Deployment.ts"
import type { Rates } from "./Pricing.ts"
import type { AbandonedRule } from "./AbandonedRule.ts"
import type { TierSetting } from "./ServiceTier.ts"

/**
 * USD for so many as `pricedPer` says, as operators write it. Cached and reasoning tokens and images read cost what `input` or
 * `output` costs where they are left out; what else is left out has no price.
 */
export interface ConfiguredRates extends SomeRates {
  readonly input: number
  readonly cachedInput: number | undefined
  readonly cacheWrite: number | undefined
  readonly output: number
  readonly reasoning: number | undefined
}

export type SomeRates = { readonly [Class in keyof Rates]?: number | undefined }

export interface ConfiguredTier {
  readonly above: number
  /** What is left out is as below it. */
  readonly rates: SomeRates
}

export interface ConfiguredPrice extends ConfiguredRates {
  /** Left out: none. */
  readonly tiers?: ReadonlyArray<ConfiguredTier>
  /** Of other service tiers. Fees that are left out there are those of the standard one. */
  readonly serviceTiers?: { readonly [name: string]: ConfiguredPrice }
}

/** Milliseconds; `firstToken` and `response` undefined: as long as its kind of model may think. */
export interface ConfiguredTimeouts extends Omit<Timeouts, "firstToken" | "response"> {
  readonly firstToken: number | undefined
  readonly response: number | undefined
}

export interface ProviderSettings {
  readonly name: string
  /** The known vendor, when it is one (by the provider's name or its `vendor` field). */
  readonly vendor: string | undefined
  /** Given explicitly, else the vendor's. */
  readonly protocol: ProtocolName
  readonly baseUrl: string | undefined
  readonly apiKeys: ReadonlyArray<Redacted.Redacted<string>>
  /** Calls that may be under way to its address at once. */
  readonly maxConnections: number
  /** Left out: as the vendor does. */
  readonly billsAfterDisconnect?: BillsAfterDisconnect
  /** The demo vendor's pace. */
  readonly latencyMs: number | undefined
  readonly tokensPerSecond: number | undefined
}

export interface DeploymentSettings {
  readonly id: string
  readonly provider: string
  readonly model: string
  readonly price: ConfiguredPrice | undefined
  readonly contextWindow: number | undefined
  readonly maxOutputTokens: number | undefined
  /** The most it can be billed for what no rule of its vendor bounds. */
  readonly bounds?: ConfiguredBounds
  readonly weight: number
  readonly priority: number
  readonly maxInFlight: number | undefined
  readonly timeouts: ConfiguredTimeouts
  /** Undefined: as the vendor's catalogue says. */
  readonly supports: ReadonlyArray<Capability> | undefined
  /** Images must be in the request, as the provider fetches no URLs. Left out: as the vendor's API has it. */
  readonly inlineImages?: boolean
  /** Left out: `default` for callers with a budget, where the vendor may choose a dearer tier; else as the caller says. */
  readonly serviceTier?: TierSetting
}

export const orders = ["listed", "weight", "least_busy", "latency", "cost", "priority"] as const

export type Order = (typeof orders)[number]

export interface FailoverSettings {
  /** Attempts in all, the first included. */
  readonly attempts: number
  readonly baseDelayMs: number
  /** Undefined: as listed for an alias or a bucket, by weight among the deployments of a bare model name. */
  readonly order: Order | undefined
  readonly streamRecovery: "cut" | "buffer"
  /** In any `windowMs`, retries of the whole process are at most `percent` % of its requests and `extra` more. */
  readonly retryBudget: { readonly percent: number; readonly extra: number; readonly windowMs: number }
  /** Whether a conversation goes on where it was answered last. */
  readonly sessionAffinity: boolean
  /** For how long a stream is read on whose caller left: near its end the exact usage still comes. */
  readonly finishAbandonedMs: number
}

/** What is kept of the prompts that `auto` classifies. */
export const keepPrompts = ["off", "features", "text"] as const

export type KeepPrompts = (typeof keepPrompts)[number]

/** The models that ship: the last is what scores where none is named. An upgrade changes no score where one is. */
export const builtinModels = ["builtin@1", "builtin@2"] as const

export interface RouterSettings {
  /** Lowest first. Each with the deployment ids that serve it, in order, aliases already resolved. */
  readonly buckets: ReadonlyArray<{ readonly name: string; readonly deployments: ReadonlyArray<string> }>
  /** Ascending scores in (0, 1), one fewer than buckets. */
  readonly cutPoints: ReadonlyArray<number>
  /** How far `X-Gateway-Route-Prefer` may move the cut points; 0: not at all. */
  readonly preferShift: number
  /** The file of a trained model, or one of `builtinModels`; undefined: the one that ships. */
  readonly model: string | undefined
  /** `auto` decides and records, and routes nothing. */
  readonly shadow: boolean
  /** For as long as their receipts. Left out: nothing. */
  readonly keepPrompts?: KeepPrompts
}

export const metricsAccess = ["public", "master_key", "off"] as const

export type MetricsAccess = (typeof metricsAccess)[number]

export const loggedRequests = ["off", "errors", "all"] as const

export const logFormats = ["text", "json"] as const

export type LogFormat = (typeof logFormats)[number]

export interface LogSettings {
  /** Which finished requests get a line. */
  readonly requests: (typeof loggedRequests)[number]
  readonly format: LogFormat
}

export interface Settings {
  readonly server: {
    readonly host: string
    readonly port: number
    readonly maxBodyBytes: number
    readonly shutdownGraceMs: number
    /** A client that takes nothing of its answer for this long is cut off. */
    readonly stalledClientMs: number
    /** A stream whose first token takes longer than this gets its headers and comments before it. Undefined: headers wait for it. */
    readonly earlyKeepaliveMs: number | undefined
    /** Requests must have sent their headers, and the whole of themselves, within these times. */
    readonly headersTimeoutMs: number
    readonly requestTimeoutMs: number
    /** Addresses and networks (CIDR) whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: ReadonlyArray<string>
    /** Wrong credentials from one address in a minute; above that it is told to wait. */
    readonly authFailuresPerMinute: number
    /** Who may read `/metrics`. */
    readonly metrics: MetricsAccess
  }
  readonly logs: LogSettings
  readonly masterKey: Redacted.Redacted<string>
  readonly store: {
    readonly sqlite: string
    readonly synchronous: "full" | "normal"
    /** What becomes of reservations whose requests are gone without a trace. */
    readonly abandoned: AbandonedRule
  }
  /** 0 keeps none. */
  readonly receipts: { readonly keepMs: number }
  readonly providers: ReadonlyArray<ProviderSettings>
  readonly deployments: ReadonlyArray<DeploymentSettings>
  /** Alias → deployment ids in order, aliases of aliases already resolved. */
  readonly models: ReadonlyMap<string, ReadonlyArray<string>>
  readonly router: RouterSettings
  readonly failover: FailoverSettings
}

/** What the `config` room has to know of a vendor: the providers room has the rest. */
export interface KnownVendor {
  readonly name: string
  readonly protocol: ProtocolName
  /** The environment variable that holds its key, e.g. `OPENAI_API_KEY`; undefined when it needs none. */
  readonly apiKeyVariable: string | undefined
  /** For `init`: a model per bucket, lowest first, e.g. `["gpt-5-nano", "gpt-5-mini", "gpt-5", "gpt-5"]`. */
  readonly starterModels: ReadonlyArray<string>
}
