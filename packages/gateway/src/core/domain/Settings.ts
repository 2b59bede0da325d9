/** The configuration, checked and with defaults. `config` makes it; the composition root builds services from it. */
import type { CatalogueFile, ConfiguredModel, LearntFile } from "./models/CatalogueFormat.ts"
import type { Redacted } from "effect"
import type { Budget, Limits } from "./Budget.ts"
import type { UpstreamConnection } from "./Connection.ts"
import type { ConfiguredBounds } from "./pricing/BoundRules.ts"
import {
  type BillsAfterDisconnect,
  type Capability,
  jsonSchemaWays,
  type ProtocolName,
  type Timeouts
} from "./Deployment.ts"
import type { AnswerSizes } from "./AnswerSizes.ts"
import type { GlobalRole, TeamRole } from "./Principal.ts"
import type { Presets } from "./Presets.ts"
import type { Rates } from "./pricing/Pricing.ts"
import type { CacheSettings } from "./Cache.ts"
import type { GuardrailSettings } from "./Guardrail.ts"
import type { Quota } from "./Quota.ts"
import type { AbandonedRule } from "./AbandonedRule.ts"
import type { ProviderOptions, VendorSetting } from "./ProviderOptions.ts"
import type { TierSetting } from "./pricing/ServiceTier.ts"

/** USD per `pricedPer` units. Missing cached, reasoning and image input rates are those of `input` or `output`; others unknown. */
export interface ConfiguredRates extends SomeRates {
  readonly input: number
  readonly cachedInput: number | undefined
  readonly cacheWrite: number | undefined
  readonly output: number
  readonly reasoning: number | undefined
}

export type SomeRates = { readonly [Class in keyof Rates]?: number | undefined }

interface ConfiguredTier {
  readonly above: number
  /** Rates that are left out are the same as below the threshold. */
  readonly rates: SomeRates
}

export interface ConfiguredPrice extends ConfiguredRates {
  readonly tiers?: ReadonlyArray<ConfiguredTier>
  /** Prices of other service tiers. Fees that are left out there cost what they cost in the standard tier. */
  readonly serviceTiers?: { readonly [name: string]: ConfiguredPrice }
}

/** Milliseconds. `firstToken` and `response` undefined: the default for this kind of model. */
export interface ConfiguredTimeouts extends Omit<Timeouts, "firstToken" | "response"> {
  readonly firstToken: number | undefined
  readonly response: number | undefined
}

export interface ProviderSettings {
  readonly name: string
  /** The known vendor, named by the provider's name or its `vendor` field; undefined where there is none. */
  readonly vendor: string | undefined
  /** As configured, else the vendor's. */
  readonly protocol: ProtocolName
  readonly baseUrl: string | undefined
  readonly apiKeys: ReadonlyArray<Redacted.Redacted<string>>
  /** The most concurrent calls to its address. */
  readonly maxConnections: number
  /** Left out: the proxies of the environment, and the system's certificates. */
  readonly connection?: UpstreamConnection
  /** Left out: the vendor's default. */
  readonly billsAfterDisconnect?: BillsAfterDisconnect
  /** The demo vendor's pace. */
  readonly latencyMs: number | undefined
  readonly tokensPerSecond: number | undefined
  readonly options?: ProviderOptions
}

export interface IdentitySettings {
  /** The first seals, all of them open. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** The gateway as browsers see it, without a slash at its end. */
  readonly publicUrl: string
  /** After so long, the provider is called again; when it can't be reached for longer than `maxStaleMs`, sessions end. */
  readonly revalidateMs: number
  readonly maxStaleMs: number
  readonly providers: ReadonlyArray<IdentityProviderSettings>
}

export interface IdentityProviderSettings extends MappingSettings {
  readonly name: string
  readonly label: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  readonly scopes: ReadonlyArray<string>
  /** Further parameters of the authorization request. */
  readonly authorization: ReadonlyArray<readonly [name: string, value: string]>
}

export interface MappingSettings {
  /** The claim with the groups, or a JSON pointer such as `/resource_access/gateway/roles`. */
  readonly groups: string
  /** Who may sign in at all: members of one of these groups; empty: all. */
  readonly require: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RoleRule>
}

export interface RoleRule {
  /** The name of a group, with at most one `*` where the rule gives a role in a team; undefined: everybody who may sign in. */
  readonly group: string | undefined
  readonly role: GlobalRole | undefined
  /** The name of a team; `*` stands for what `*` of the group took. */
  readonly team: string | undefined
  readonly teamRole: TeamRole
}

/** An issuer whose JWTs open `/v1`. */
export interface TokenIssuer {
  readonly name: string
  /** `iss`. */
  readonly issuer: string
  /** `aud` must be one of these. */
  readonly audience: ReadonlyArray<string>
  /** Undefined: its discovery document says it. */
  readonly jwksUrl: string | undefined
  readonly rules: ReadonlyArray<TokenRule>
}

/** From the claims of a token to a key. */
export interface TokenRule {
  /** `<issuer>/<rule>`. */
  readonly name: string
  /** Claims or JSON pointers, with the values of which one must match. */
  readonly match: ReadonlyArray<readonly [claim: string, values: ReadonlyArray<string>]>
  /** The claim whose value is the subject. */
  readonly per: string
  readonly endUser: string | undefined
  readonly maxSubjects: number
  readonly key: {
    readonly team: string | null
    readonly models: ReadonlyArray<string>
    readonly tags: ReadonlyArray<string>
    readonly limits: Limits
    readonly budgets: ReadonlyArray<Budget>
  }
}

export const schemaSettings = ["native", ...jsonSchemaWays] as const

export interface DeploymentSettings {
  readonly id: string
  readonly provider: string
  readonly model: string
  /** The model that it is, where the vendor calls it by a name of the operator's own, as Azure does. */
  readonly baseModel?: string
  readonly price: ConfiguredPrice | undefined
  readonly contextWindow: number | undefined
  readonly maxOutputTokens: number | undefined
  /** The operator's bounds for what no rule of the vendor bounds. */
  readonly bounds?: ConfiguredBounds
  readonly weight: number
  readonly priority: number
  readonly maxInFlight: number | undefined
  readonly timeouts: ConfiguredTimeouts
  /** Undefined: as the catalogue says. */
  readonly supports: ReadonlyArray<Capability> | undefined
  /** The operations that the model has natively. Left out: as the vendor's file says. */
  readonly operations?: ReadonlyArray<string> | undefined
  /** The provider fetches no image URLs, so images must be inside the request. Left out: the vendor's default. */
  readonly inlineImages?: boolean
  readonly mediaHosts?: ReadonlyArray<string> | undefined
  /** It returns one choice per call, so `n` choices take `n` calls. Left out: as the vendor's file says. */
  readonly oneChoice?: boolean
  /** How it is made to follow a JSON schema. Left out: as the vendor's file says. */
  readonly jsonSchema?: (typeof schemaSettings)[number]
  /** Left out: `default` for callers with a budget if the vendor might choose a more expensive tier; otherwise as the caller says. */
  readonly serviceTier?: TierSetting
  readonly callerBilling?: "allow" | undefined
  readonly presets?: Presets
  readonly region?: string
  readonly zdr?: boolean
}

export const orders = ["listed", "weight", "least_busy", "latency", "throughput", "cost", "priority"] as const

export type Order = (typeof orders)[number]

export interface AliasRule {
  /** Undefined: as for all aliases. */
  readonly order: Order | undefined
  /** Ids of the deployments that are tried last, in this order, whatever the order of the others. */
  readonly fallbacks: ReadonlyArray<string>
  /** For requests through the alias. */
  readonly presets?: Presets
}

export interface FailoverSettings {
  /** All attempts, including the first. */
  readonly attempts: number
  readonly baseDelayMs: number
  /** Undefined: an alias or a bucket keeps its listed order, and a bare model name chooses by weight. */
  readonly order: Order | undefined
  readonly streamRecovery: "cut" | "buffer"
  /** In any `windowMs`, the process may retry `percent` % of its requests plus `extra`. */
  readonly retryBudget: { readonly percent: number; readonly extra: number; readonly windowMs: number }
  /** Whether a conversation stays at the deployment of its last response. */
  readonly sessionAffinity: boolean
  /** How long a stream is read on after the client disconnected: its end has the exact usage. */
  readonly finishAbandonedMs: number
}

/** Which part of the prompts that `auto` classifies is stored. */
export const keepPrompts = ["off", "features", "text"] as const

export type KeepPrompts = (typeof keepPrompts)[number]

/** The models that ship: the last is what scores where none is named. An upgrade changes no score where one is. */
export const builtinModels = ["builtin@1", "builtin@2"] as const

export interface RouterSettings {
  /** Lowest first. Each lists the deployment ids that serve it, in order, with aliases resolved. */
  readonly buckets: ReadonlyArray<{ readonly name: string; readonly deployments: ReadonlyArray<string> }>
  /** Ascending scores in (0, 1), one fewer than there are buckets. */
  readonly cutPoints: ReadonlyArray<number>
  /** How far `X-Gateway-Route-Prefer` may move the cut points; 0: not at all. */
  readonly preferShift: number
  /** The file of a trained model, or one of `builtinModels`; undefined: the newest built-in one. */
  readonly model: string | undefined
  /** `auto` decides and records its decision, but does not route by it. */
  readonly shadow: boolean
  /** Stored as long as their receipts. Left out: nothing is stored. */
  readonly keepPrompts?: KeepPrompts
}

export const metricsAccess = ["public", "master_key", "off"] as const

export type MetricsAccess = (typeof metricsAccess)[number]

const LOOPBACK = /^(?:localhost|127\..*|::1)$/

/** Who may read `/metrics`. Where the configuration does not say it: everybody on a loopback host, the master key on any other. */
export const metricsAccessOf = ({ host, metrics }: Pick<Settings["server"], "host" | "metrics">): MetricsAccess =>
  metrics ?? (LOOPBACK.test(host) ? "public" : "master_key")

export const loggedRequests = ["off", "errors", "all"] as const

export const logFormats = ["text", "json"] as const

export type LogFormat = (typeof logFormats)[number]

export interface LogSettings {
  readonly requests: (typeof loggedRequests)[number]
  readonly format: LogFormat
}

export const alertKinds = ["budget", "soft_budget", "circuit", "error_rate", "store", "model_shutdown"] as const

export type AlertKind = (typeof alertKinds)[number]

export const alertFormats = ["json", "slack"] as const

export type AlertFormat = (typeof alertFormats)[number]

export interface AlertSettings {
  readonly on: AlertKind
  /** `key:<id>` or `team:<name>` for budgets, a deployment for circuits and error rates; undefined: all. */
  readonly scope: string | undefined
  /** The share from which on it is raised; undefined where there is none to reach. */
  readonly at: number | undefined
  readonly url: string
  readonly format: AlertFormat
  /** Signs what is sent. Undefined: it is not signed. */
  readonly secret: Redacted.Redacted<string> | undefined
  /** The receiver may be at a private address. */
  readonly allowPrivate: boolean
}

export interface PostgresSettings {
  readonly url: Redacted.Redacted<string>
  /** PEM of the authority that the server's certificate is from. */
  readonly ca?: string | undefined
  readonly schema: string
  /** Whose store it is; undefined: of a cluster without a name. */
  readonly cluster?: string | undefined
  /** For reads and administration. */
  readonly connections: number
  readonly statementTimeoutMs: number
  readonly leaseMs: number
}

export interface WatchedFile<File> {
  readonly file: string
  /** Where the last good file is kept; undefined: nowhere. */
  readonly lastGood: string | undefined
  /** What the file holds, where it is in force. */
  readonly loaded?: File | undefined
  /** Why the file is not in force since the start. */
  readonly problem?: string | undefined
}

/** Where facts about models come from, besides the file that ships. */
export interface CatalogueSettings extends WatchedFile<CatalogueFile> {
  /** Whether the configuration names the file: else there need not be one. */
  readonly isNamed: boolean
  /** What calls to vendors showed. */
  readonly learnt: WatchedFile<LearntFile>
  /** By `vendor/id`, or a glob. */
  readonly models: { readonly [name: string]: ConfiguredModel }
}

export interface Settings {
  /** What is doubtful about the file it came from: sentences with their places. */
  readonly warnings?: ReadonlyArray<string>
  /** Where each deployment stands in that file, by id, e.g. `gateway.yaml:4:15 deployments[0]`. */
  readonly places?: ReadonlyMap<string, string>
  /** Left out: the file that ships alone. */
  readonly catalogue?: CatalogueSettings
  readonly server: {
    readonly host: string
    readonly port: number
    /** Serves `/admin`, `/metrics` and `/ui` in place of `port`. Undefined: `port` serves them too. */
    readonly adminPort: number | undefined
    readonly maxBodyBytes: number
    /** Of a form with files. */
    readonly maxUploadBytes: number
    /** Values, lists and objects of a JSON body. */
    readonly maxBodyValues: number
    /** Bytes of bodies and large responses of all requests together; undefined: a share of the memory. */
    readonly maxBytesInFlight?: number | undefined
    readonly answerSizes: AnswerSizes
    /** How long requests are still served after a stop began, with `/readyz` at 503. */
    readonly shutdownDelayMs: number
    readonly shutdownGraceMs: number
    /** The connection of a client that reads nothing of its response for this long is closed. */
    readonly stalledClientMs: number
    /** A stream without a first token after this time gets its headers, then comments. Undefined: its headers wait for the token. */
    readonly earlyKeepaliveMs: number | undefined
    readonly headersTimeoutMs: number
    readonly requestTimeoutMs: number
    /** Addresses and networks (CIDR) whose `X-Forwarded-For` is trusted. */
    readonly trustedProxies: ReadonlyArray<string>
    /** Wrong credentials per minute from one address; more are refused with 429. */
    readonly authFailuresPerMinute: number
    /** The origins whose pages may call `/v1` from a browser; `*`: all. */
    readonly corsOrigins: ReadonlyArray<string>
    /** The path that browsers see in front of the gateway's own, behind a proxy: `/`, or `/gw` without a slash at its end. */
    /** The gateway as browsers see it; undefined: only needed for sign-in. */
    readonly publicUrl?: string | undefined
    readonly publicPath: string
    /** Other gateways on the same store may listen on the same port; the system spreads connections over them. */
    readonly reusePort: boolean
    readonly ui: boolean
    /** Who may read `/metrics`; undefined: see `metricsAccessOf`. */
    readonly metrics: MetricsAccess | undefined
  }
  readonly logs: LogSettings
  readonly masterKey: Redacted.Redacted<string>
  readonly store: {
    readonly sqlite: string
    readonly synchronous: "full" | "normal"
    /** On Postgres: whether a provider is called only once an attempt's row is in the database (`wait`), or about then (`behind`). */
    readonly reserve: "wait" | "behind"
    readonly abandoned: AbandonedRule
    /** Bytes of the disk that only the ledger and administration may use, of a store in a file. */
    readonly diskReserve: number
    /** In the place of the file. */
    readonly postgres?: PostgresSettings | undefined
  }
  /** How long receipts are kept; 0: none are. */
  readonly receipts: { readonly keepMs: number }
  /** Whether responses are stored for `previous_response_id`, for how long, and how many bytes. */
  readonly responses: { readonly isStored: boolean; readonly lifetimeMs: number; readonly quota: Quota }
  /** How many bytes of responses are kept for `Idempotency-Key`. */
  readonly idempotency: Quota
  readonly providers: ReadonlyArray<ProviderSettings>
  readonly deployments: ReadonlyArray<DeploymentSettings>
  /** Alias → deployment ids in order, with nested aliases resolved. Its fallbacks come last. */
  readonly models: ReadonlyMap<string, ReadonlyArray<string>>
  /** Those of aliases that have rules of their own. */
  readonly aliasRules?: ReadonlyMap<string, AliasRule>
  readonly router: RouterSettings
  readonly failover: FailoverSettings
  readonly guardrails?: GuardrailSettings | undefined
  /** Left out: `defaultCache`. */
  readonly cache?: CacheSettings | undefined
  /** Left out: no content is logged. */
  readonly content?: ContentSettings | undefined
  readonly alerts: ReadonlyArray<AlertSettings>
  /** Left out: only the master key signs in. */
  readonly identity?: IdentitySettings
  /** Left out: callers need virtual keys. */
  readonly issuers?: ReadonlyArray<TokenIssuer>
}

/** Least first. `metadata`: roles, kinds and lengths, and the names of tools. */
export const contentLevels = ["none", "metadata", "full"] as const

export type ContentLevel = (typeof contentLevels)[number]

export interface ContentSettings {
  readonly default: ContentLevel
  readonly max: ContentLevel
  readonly teams: ReadonlyMap<string, ContentLevel>
  readonly keys: ReadonlyMap<string, ContentLevel>
  /** Names of checks. Undefined: secrets and personal data. */
  readonly redact?: ReadonlyArray<string>
  /** Of a request, and of its response. */
  readonly mostCharacters: number
  readonly queueBytes: number
  readonly sinks: ReadonlyArray<ContentSink>
}

export type ContentSink = { readonly name: string } & (
  | {
      readonly kind: "otlp"
      readonly url: string
      readonly protocol: "http/json" | "http/protobuf"
      readonly headers: ReadonlyMap<string, Redacted.Redacted<string>>
    }
  /** `keepMs`: 0 keeps all files. */
  | { readonly kind: "jsonl"; readonly folder: string; readonly rotateMs: number; readonly keepMs: number }
)

/** What the `config` folder needs to know of a vendor. The rest is in the `providers` folder. */
export interface KnownVendor {
  readonly name: string
  /** Other names by which a configuration may call it. */
  readonly aliases?: ReadonlyArray<string>
  readonly protocol: ProtocolName
  /** Other protocols that it speaks at addresses of their own. */
  readonly also?: ReadonlyArray<{ readonly protocol: ProtocolName; readonly isAt: (baseUrl: string) => boolean }>
  /** The environment variable that holds its key, e.g. `OPENAI_API_KEY`; undefined when it needs none. */
  readonly apiKeyVariable: string | undefined
  /** `{name}` stands for the value of a setting. Empty: the configuration must say it. Left out: the vendor needs none. */
  readonly baseUrl?: string
  readonly settings?: ReadonlyArray<VendorSetting>
}
