/** A vendor as data: who speaks which protocol at which address, and what is known of its models. */
import type { Auth } from "./Auth.ts"
import type { BoundRules } from "../domain/BoundRules.ts"
import type { BillsAfterDisconnect, ProtocolName } from "../domain/Deployment.ts"

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
  /** What it can bill for the contents of a request, by its published rules. */
  readonly bounds: (model: string) => BoundRules
  readonly auth: Auth
}
