/**
 * Money arrives as decimal USD with at most nine decimals. A number holds such an amount exactly enough to find its whole
 * nano-dollars again as long as it is below four million dollars, so sums are made in nano-dollars and never in USD.
 */
const NANO = 1_000_000_000

/** Whole nano-dollars of an amount in USD. */
export const toNanoUsd = (usd: number): number => Math.round(usd * NANO)

/** The number nearest to an amount of whole nano-dollars, in USD. */
export const toUsd = (nanoUsd: number): number => nanoUsd / NANO

/** A plain decimal (`0.00004155`), or a number; undefined for anything else. */
export const readUsd = (value: unknown): number | undefined => {
  if (typeof value === "string") return /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

/** Without an exponent, for messages. */
export const formatUsd = (usd: number): string => usd.toFixed(9).replace(/\.?0+$/, "")
