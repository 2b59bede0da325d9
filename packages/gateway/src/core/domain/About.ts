/** What a gateway is and since when it runs, for people who look after it. */
import { Context } from "effect"

export interface About {
  /** Epoch ms. */
  readonly startedAt: number
  /** Milliseconds; 0: none. */
  readonly keepReceiptsMs: number
  /** Every provider is the demo vendor. */
  readonly isDemo: boolean
  /** How many are configured. */
  readonly alerts: number
}

export const About = Context.Reference<About>("gateway/core/About", {
  defaultValue: () => ({ startedAt: 0, keepReceiptsMs: 0, isDemo: false, alerts: 0 })
})

/** Of the program that runs. The command line knows it; who embeds the gateway may say their own. */
export const ProductVersion = Context.Reference<string>("gateway/core/ProductVersion", {
  defaultValue: () => "unknown"
})
