/** A vendor as data: its protocol, its address, and what is known about its models. */
import type { Auth } from "./Auth.ts"
import type { BoundRules } from "../domain/BoundRules.ts"
import type { BillsAfterDisconnect, Capability, ProtocolName, Quirks } from "../domain/Deployment.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { PriceSheet } from "../domain/Pricing.ts"

/** What is known about models with a matching name. A field that is left out is taken from the next matching family. */
export interface VendorFamily {
  readonly match: RegExp
  /** Tokens of input and output together. Left out: as the price list says. */
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

/** A vendor that speaks a known protocol: its endpoint, authentication, quirks, and model capabilities. */
export interface Vendor {
  readonly name: string
  readonly protocol: ProtocolName
  /** What a model has natively. Left out: all that the protocol speaks. The other operations need a bridge. */
  readonly operations?: (model: string) => ReadonlyArray<OperationName>
  readonly baseUrl: string
  readonly apiKeyVariable: string | undefined
  readonly starterModels: ReadonlyArray<string>
  /** The provider's id in the price list, when it is in it. */
  readonly priceListId: string | undefined
  /** Left out: `none`, as for servers that stop when their connection is closed. */
  readonly billsAfterDisconnect?: BillsAfterDisconnect
  /** Its API accepts images only as bytes. */
  readonly inlineImages?: boolean
  /** The prices that no list has; undefined: the list has them. */
  readonly prices?: (model: string) => PriceSheet | undefined
  /** The base URL for a provider's configured name, if it differs by provider. */
  readonly addressOf?: (provider: string) => string
  /** Where a model departs from its protocol's specification. */
  readonly quirks?: (model: string) => Quirks
  readonly families: ReadonlyArray<VendorFamily>
  /** What it can bill for a request's contents, by its published rules. */
  readonly bounds: (model: string) => BoundRules
  readonly auth: Auth
}
