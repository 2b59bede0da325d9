/** A vendor as data: who speaks which protocol at which address, and what is known of its models. */
import type { Auth } from "./Auth.ts"
import type { BoundRules } from "../domain/BoundRules.ts"
import type { BillsAfterDisconnect, Capability, ProtocolName, Quirks } from "../domain/Deployment.ts"
import type { PriceSheet } from "../domain/Pricing.ts"

/** What is known of the models whose names match. What is left out the next family that matches may say. */
export interface VendorFamily {
  readonly match: RegExp
  /** Tokens of input and output together. Left out: as the price list says. */
  readonly contextWindow?: number
  /** Tokens. */
  readonly maxOutput?: number
  /** An output limit that it takes, for requests that have to be given one. */
  readonly assumedMaxOutput?: number
  /** What nobody knows is left to the upstream to refuse. */
  readonly supports?: ReadonlySet<Capability>
  /** It thinks without saying all of it, and bills that. */
  readonly hidesReasoning?: "always" | "asked" | "never"
  /** Nothing comes while it thinks, for minutes. */
  readonly thinksSilently?: boolean
}

/** A vendor that speaks a known protocol: endpoint, authentication, quirks, and what its models can do. */
export interface Vendor {
  readonly name: string
  readonly protocol: ProtocolName
  readonly baseUrl: string
  readonly apiKeyVariable: string | undefined
  readonly starterModels: ReadonlyArray<string>
  /** The provider's id in the price list, when it is in it. */
  readonly priceListId: string | undefined
  /** Left out: `none`, as with servers that stop when their connection is closed. */
  readonly billsAfterDisconnect?: BillsAfterDisconnect
  /** Its API takes images as bytes only. */
  readonly inlineImages?: boolean
  /** Its prices, where they are in no list. */
  readonly prices?: (model: string) => PriceSheet
  /** The base URL by the provider's name in the configuration, where it is not one for all. */
  readonly addressOf?: (provider: string) => string
  /** Where it differs from its protocol's book. */
  readonly quirks?: (model: string) => Quirks
  readonly families: ReadonlyArray<VendorFamily>
  /** What it can bill for the contents of a request, by its published rules. */
  readonly bounds: (model: string) => BoundRules
  readonly auth: Auth
}
