/**
 * Money: whole nano-USD (10⁻⁹ USD) in a JavaScript number, safe up to 9,007,199 USD; decimals only at the edge.
 * Prices are whole pico-USD (10⁻¹² USD) per token, so that 0.0375 USD per million tokens is an integer, too.
 */

/** Whole nano-USD. */
export type NanoUsd = number

const NANO = 1_000_000_000

/** The largest budget: beyond it sums would exceed the safe integers. */
export const MAX_BUDGET_USD = 9_000_000

export const usdToNano = (usd: number): NanoUsd => Math.round(usd * NANO)

/** Nano-USD as a USD number for JSON bodies: the double nearest to the exact decimal. */
export const nanoToUsd = (nano: NanoUsd): number => nano / NANO

/** Nano-USD as a plain decimal string, never in exponent form: `1_500` → `"0.0000015"`. */
export const nanoToDecimal = (nano: NanoUsd): string => {
  const sign = nano < 0 ? "-" : ""
  const abs = Math.abs(nano)
  const whole = Math.floor(abs / NANO)
  const fraction = abs - whole * NANO
  if (fraction === 0) return `${sign}${whole}`
  return `${sign}${whole}.${String(fraction).padStart(9, "0").replace(/0+$/, "")}`
}

export const sumToDecimal = (nano: bigint): string => {
  const digits = String(nano < 0n ? -nano : nano).padStart(10, "0")
  const fraction = digits.slice(-9).replace(/0+$/, "")
  return `${nano < 0n ? "-" : ""}${digits.slice(0, -9)}${fraction === "" ? "" : `.${fraction}`}`
}
