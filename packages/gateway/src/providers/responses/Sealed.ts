/**
 * What only one provider can read: its encrypted reasoning, or thoughts that it has signed. It goes to the caller as a blob that names the
 * provider, the account of the key that was used, and the provider's id for the item. No other provider gets it.
 */
import type { UpstreamCall } from "../../core/pool/Protocol.ts"

export interface Sealed {
  /** The provider's name in the configuration. */
  readonly provider: string
  readonly account?: string | undefined
  /** The provider's own id for the item, or what kind of thing it is. */
  readonly id: string
  readonly content: string
}

/** Named as dropped where a provider can't read the thoughts that a request brings back. */
export const THOUGHTS = "input.reasoning"

const SHAPE = /^gw(?:1|2\.([\w-]+))\.([\w-]*)\.([\w-]*)\.([^]*)$/

export const seal = (
  { account, deployment }: Pick<UpstreamCall, "account" | "deployment">,
  id: string,
  content: string
): string => `${account === undefined ? "gw1" : `gw2.${account}`}.${coded(deployment.provider)}.${coded(id)}.${content}`

/** Undefined for what the gateway did not seal. */
export const unseal = (blob: unknown): Sealed | undefined => {
  const found = typeof blob === "string" ? SHAPE.exec(blob) : null
  if (found === null) return undefined
  const [, account, provider = "", id = "", content = ""] = found
  return { provider: decoded(provider), account, id: decoded(id), content }
}

const coded = (text: string): string => Buffer.from(text).toString("base64url")
const decoded = (text: string): string => Buffer.from(text, "base64url").toString()
