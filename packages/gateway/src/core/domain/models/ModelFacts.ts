/** What the catalogue says of one deployment's model. Prices are in the deployment's price sheet. */
import type { Facts } from "./Facts.ts"

export interface ModelFacts extends Facts {
  /** `vendor/id` in the catalogue; undefined: no model has the name, and what is known comes from a glob, or nothing is known. */
  readonly key: string | undefined
  readonly how: "exact" | "alias" | "snapshot" | "resold" | "glob" | "unknown"
  /** The day from which the vendor no longer has it: `YYYY-MM-DD`. */
  readonly shutdown?:
    | { readonly on?: string; readonly replacement?: string; readonly redirectsTo?: string; readonly billedAs?: string }
    | undefined
  /** A rule about its price was not understood, so that its price counts as unknown. */
  readonly hasUnknownPriceRule?: boolean
}

export const noFacts: ModelFacts = { key: undefined, how: "unknown" }
