/**
 * What only one provider can read: its encrypted reasoning, or thoughts that it has signed. It goes to the caller as a blob that
 * also names the provider and its id for the item, and comes back with the next request. No other provider gets it.
 */

export interface Sealed {
  /** The provider's name in the configuration. */
  readonly provider: string
  /** The provider's own id for the item, or what kind of thing it is. */
  readonly id: string
  readonly content: string
}

/** Named as dropped where a provider can't read the thoughts that a request brings back. */
export const THOUGHTS = "input.reasoning"

const SHAPE = /^gw1\.([\w-]*)\.([\w-]*)\.([^]*)$/

export const seal = ({ content, id, provider }: Sealed): string => `gw1.${coded(provider)}.${coded(id)}.${content}`

/** Undefined for what the gateway did not seal. */
export const unseal = (blob: unknown): Sealed | undefined => {
  const found = typeof blob === "string" ? SHAPE.exec(blob) : null
  if (found === null) return undefined
  const [, provider = "", id = "", content = ""] = found
  return { provider: decoded(provider), id: decoded(id), content }
}

const coded = (text: string): string => Buffer.from(text).toString("base64url")
const decoded = (text: string): string => Buffer.from(text, "base64url").toString()
