/** Amounts in USD, for people. */

/** `$4.58`, `$0.0042`, `$0.000021`: two figures that count, at least cents, never in powers of ten. */
export const dollars = (usd: number): string => {
  if (!Number.isFinite(usd)) return "$?"
  const size = Math.abs(usd)
  if (size === 0 || size >= 0.995) return signed(usd, size.toFixed(2))
  const places = Math.min(9, Math.max(2, 1 - Math.floor(Math.log10(size))))
  return signed(usd, size.toFixed(places))
}

const signed = (usd: number, digits: string): string => (usd < 0 ? `-$${digits}` : `$${digits}`)

/** Null is no price that anybody knows, never 0. */
export const costText = (usd: number | null): string => (usd === null ? "price unknown" : dollars(usd))

/** `80 %`; never rounded up to a whole budget that is not used up. */
export const percent = (share: number): string => `${Math.floor(share * 100 + ROUNDING)} %`

/** What is lost of 29 % when 0.29 is multiplied. */
const ROUNDING = 1e-9
