/** A vendor as data: its protocol, its address, and what is known about its models. */
import type { Auth } from "./Auth.ts"
import type { BoundRules } from "../domain/pricing/BoundRules.ts"
import type { BillsAfterDisconnect, Capability, ProtocolName, Quirks } from "../domain/Deployment.ts"
import type { ModelFacts } from "../domain/models/ModelFacts.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { PriceSheet } from "../domain/pricing/Pricing.ts"
import type { ProviderOptions } from "../domain/ProviderOptions.ts"
import type { KnownVendor } from "../domain/Settings.ts"

/** What is known about models with a matching name. A field that is left out is taken from the next matching family. */
export interface VendorFamily {
  readonly match: RegExp
  /** Tokens of input and output together. Left out: as the catalogue says. */
  readonly contextWindow?: number
  /** Tokens. */
  readonly maxOutput?: number
  /** An output limit that the model accepts, for requests that need one and have none. */
  readonly assumedMaxOutput?: number
  /** Unknown capabilities are left to the upstream to refuse. */
  readonly supports?: ReadonlySet<Capability>
  /** It reasons without showing all of it, and bills that. */
  readonly hidesReasoning?: "always" | "asked" | "never"
  /** It sends nothing while it reasons, for minutes. */
  readonly thinksSilently?: boolean
}

/** Where a fact was read, and when: `YYYY-MM-DD`. */
export interface Source {
  readonly url: string
  readonly read: string
}

/**
 * `recorded`: its real traffic is replayed through the gateway. `documented`: its documentation was read, and is in `sources`.
 * `unverified`: neither; it is known from others.
 */
export type Standing = "recorded" | "documented" | "unverified"

/** What people read of a vendor, in `docs/providers.md` and `model-gateway providers`. */
export interface VendorNotes {
  /** As it calls itself. Left out: its name. */
  readonly title?: string
  /** Left out: `unverified`. */
  readonly standing?: Standing
  readonly sources?: ReadonlyArray<Source>
  /** Where it departs from its protocol, and what the gateway makes of that: a sentence each. */
  readonly notes?: ReadonlyArray<string>
  /** The operations that it has for some model. Left out: those of its protocol. */
  readonly serves?: ReadonlyArray<OperationName>
}

/** Where one deployment is reached. */
export interface VendorAddress {
  readonly baseUrl: string
  readonly query?: string
}

/** A list of models, asked for at a deployment's address. */
export interface ModelList {
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  /** It has other names than those that calls use, so that it tells only whether a key is taken. */
  readonly namesOthers?: boolean
}

/** Chosen by the configuration's `protocol`, or where `isAt` knows the address. */
export interface OtherProtocol {
  readonly protocol: ProtocolName
  readonly baseUrl: string
  readonly isAt: (baseUrl: string) => boolean
}

/** An operation that it has in another protocol, at an address of its own. */
export interface OtherEndpoint {
  readonly operation: OperationName
  readonly protocol: ProtocolName
  /** Its address, by that of the rest; undefined: nobody knows it. */
  readonly at: (baseUrl: string) => string | undefined
  /** Whether the address is the vendor's own, so that every model whose catalogue entry has the operation is asked there. */
  readonly isKnownAt: (baseUrl: string) => boolean
}

/** A vendor that speaks a known protocol: its endpoint, authentication, quirks, and model capabilities. */
export interface Vendor extends KnownVendor, VendorNotes {
  /** Where models of one vendor speak several protocols. */
  readonly protocolOf?: (model: string, facts: ModelFacts) => ProtocolName
  /** What a model has natively. Left out: all that the protocol speaks. The other operations need a bridge. */
  readonly operations?: (model: string, options?: ProviderOptions, facts?: ModelFacts) => ReadonlyArray<OperationName>
  /** May name settings: `https://{account}.example.com/v1`. Empty: the configuration says it. */
  readonly baseUrl: string
  readonly also?: ReadonlyArray<OtherProtocol>
  readonly beside?: ReadonlyArray<OtherEndpoint>
  /** Left out: `none`, as for servers that stop when their connection is closed. */
  readonly billsAfterDisconnect?: BillsAfterDisconnect
  /** Its API accepts images, documents and recordings only as bytes. */
  readonly inlineImages?: boolean | ((model: string, facts: ModelFacts) => boolean)
  /** A server that operators run themselves, in a network of their own. */
  readonly isSelfHosted?: boolean
  /** Prices that come before those of the model catalogue; undefined: the catalogue has them. */
  readonly prices?: (model: string, options?: ProviderOptions) => PriceSheet | undefined
  /** Where a deployment is, if that depends on more than the settings that `baseUrl` names. `baseUrl`: those filled in. */
  readonly addressOf?: (of: {
    readonly provider: string
    readonly model: string
    readonly baseUrl: string
    readonly options: ProviderOptions
    readonly facts: ModelFacts
  }) => VendorAddress
  /** Where a model departs from its protocol's specification. */
  readonly quirks?: (model: string, options?: ProviderOptions, facts?: ModelFacts) => Quirks
  /** Left out: the model catalogue has all that is known. */
  readonly families?: ReadonlyArray<VendorFamily>
  /** What it can bill for a request's contents, by its published rules. */
  readonly bounds: (model: string, facts: ModelFacts) => BoundRules
  readonly auth: Auth
  /** Tokens a second of its fastest models. Left out: as at OpenAI. */
  readonly assumedRate?: number
  /** How `check --live` asks for its models. Left out: `/models`, which has all of them. Null: it has no list. */
  readonly modelList?: ModelList | null
}
