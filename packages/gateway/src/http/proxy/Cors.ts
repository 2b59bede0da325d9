/** Browsers: which origins may call `/v1`. They send their key themselves, never cookies. */
import type { RequestHeaders } from "../routing/Endpoint.ts"
import { pathOf } from "../routing/Routes.ts"

/** What a page may read of a response, beside what browsers always show. */
const EXPOSED = [
  "decision",
  "route-bucket",
  "route-score",
  "cost-usd",
  "cost-final",
  "cost-known",
  "retries",
  "deployment",
  "receipt-id",
  "replayed",
  "dropped-params",
  "budget-remaining-usd",
  "limit-kind"
]
  .map((name) => `X-Gateway-${name}`)
  .concat(["X-Request-Id", "Retry-After", "Retry-After-Ms", "X-Should-Retry"])
  .concat(
    ["Requests", "Tokens"].flatMap((kind) =>
      ["Limit", "Remaining", "Reset"].map((what) => `X-RateLimit-${what}-${kind}`)
    )
  )
  .join(", ")

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
/** Seconds; browsers take no more than two hours. */
const PREFLIGHT_LASTS = "7200"
const NAMES = /^[\w!#$%&'*+.^`|~\-, ]{1,2000}$/

type CorsHeaders = { readonly [name: string]: string }

const NOTHING: CorsHeaders = {}

export interface Cors {
  /** Further headers of the response. */
  readonly headers: (target: string, request: RequestHeaders) => CorsHeaders
  /** The response to a preflight, which has no credential and needs none. Undefined: it is another request. */
  readonly preflight: (method: string, target: string, request: RequestHeaders) => CorsHeaders | undefined
}

export const makeCors = (origins: ReadonlyArray<string>): Cors => {
  const allowed = new Set(origins)
  const isAll = allowed.has("*")

  const headers = (target: string, { origin }: RequestHeaders): CorsHeaders => {
    if (allowed.size === 0 || typeof origin !== "string" || !isProxied(target)) return NOTHING
    if (isAll) return { "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED }
    if (!allowed.has(origin)) return { vary: "Origin" }
    return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED, vary: "Origin" }
  }

  const preflight = (method: string, target: string, request: RequestHeaders): CorsHeaders | undefined => {
    const isAsking = request["origin"] !== undefined && request["access-control-request-method"] !== undefined
    if (method !== "OPTIONS" || !isAsking || !isProxied(target)) return undefined
    const added = headers(target, request)
    if (added["access-control-allow-origin"] === undefined) return added
    const wanted = request["access-control-request-headers"]
    return {
      ...added,
      "access-control-allow-methods": METHODS,
      "access-control-max-age": PREFLIGHT_LASTS,
      ...(typeof wanted === "string" && NAMES.test(wanted) ? { "access-control-allow-headers": wanted } : {})
    }
  }
  return { headers, preflight }
}

const isProxied = (target: string): boolean => pathOf(target)?.startsWith("/v1/") === true
