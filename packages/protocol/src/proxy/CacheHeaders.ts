/** The response cache in headers: what a request says of it, and what a response does. */

/** What the headers of a request say. */
export interface CacheDirectives {
  /** It uses the cache where the mode is `on_request`. */
  readonly isOn: boolean
  readonly noCache: boolean
  readonly noStore: boolean
  readonly maxAgeMs: number | undefined
}

/** A header that is invalid. */
export interface CacheHeaderProblem {
  readonly header: "X-Gateway-Cache" | "Cache-Control"
  readonly rule: string
}

/** Undefined: they say nothing. Unknown directives are ignored, as RFC 9111 says. */
export const cacheDirectives = (asked: unknown, control: unknown): CacheDirectives | CacheHeaderProblem | undefined => {
  if (asked === undefined && control === undefined) return undefined
  if (asked !== undefined && asked !== "on") return { header: "X-Gateway-Cache", rule: "must be `on`" }
  const directives = String(control ?? "")
    .split(",")
    .map((one) => one.trim().toLowerCase())
  const maxAge = directives.find((one) => one.startsWith("max-age"))
  const [, seconds] = /^max-age=(\d{1,10})$/.exec(maxAge ?? "") ?? []
  if (maxAge !== undefined && seconds === undefined) {
    return { header: "Cache-Control", rule: "must have seconds in `max-age`, such as `max-age=60`" }
  }
  return {
    isOn: asked === "on",
    noCache: directives.includes("no-cache"),
    noStore: directives.includes("no-store"),
    maxAgeMs: seconds === undefined ? undefined : Number(seconds) * 1_000
  }
}

/** What the cache did for one request. Times are milliseconds, `saved` is nano-USD. */
export type CacheReport =
  | {
      readonly result: "hit"
      readonly ageMs: number
      readonly ttlMs: number
      /** It waited for the response to an equal request. */
      readonly isCollapsed: boolean
      /** What the response cost when a provider gave it to the request `fromRequest`. */
      readonly saved: number
      readonly fromRequest: string
    }
  | {
      readonly result: "miss"
      readonly reason: "uri-miss" | "stale" | "request"
      /** Of a complete response. */
      readonly isStored: boolean
    }
  | { readonly result: "bypass"; readonly detail: string }

/** In the words of RFC 9211, and in one. */
export const cacheHeaders = (cache: CacheReport): Record<string, string> => {
  const { result } = cache
  const headers = (status: string) => ({ "cache-status": `model-gateway; ${status}`, "x-gateway-cache": result })
  if (result === "bypass") return headers(`fwd=bypass; detail=${cache.detail}`)
  if (result === "miss") return headers(`fwd=${cache.reason}${cache.isStored ? "; stored" : ""}`)
  const collapsed = cache.isCollapsed ? "; collapsed" : ""
  const age = String(Math.floor(cache.ageMs / 1_000))
  return { ...headers(`hit; ttl=${Math.floor(cache.ttlMs / 1_000)}${collapsed}`), age }
}

const ENDS: ReadonlySet<string> = new Set(["stop", "end_turn", "stop_sequence", "completed"])
const AT_LIMIT: ReadonlySet<string> = new Set(["length", "max_tokens"])
const CALLS: ReadonlySet<string> = new Set(["tool_calls", "tool_use", "function_call"])
/** A call of the client's function. In a text its quotes would be escaped. */
const A_CALL = /"(?:tool_calls|function_call)":\s?[[{]|"type":\s?"(?:\w+_use|\w+_call)"/

/** Whether a response ended as a later request may get it again: neither filtered nor shortened by anybody but its caller. */
export const isOrdinaryEnd = (
  reasons: ReadonlyArray<string>,
  texts: ReadonlyArray<string>,
  { hasLimit, toolCalls }: { readonly hasLimit: boolean; readonly toolCalls: boolean }
): boolean =>
  reasons.length > 0 &&
  reasons.every((one) => ENDS.has(one) || (toolCalls && CALLS.has(one)) || (hasLimit && AT_LIMIT.has(one))) &&
  (toolCalls || !texts.some((text) => A_CALL.test(text)))
