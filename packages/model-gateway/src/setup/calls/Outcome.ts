/** What one call showed. */
import type { JsonObject } from "@model-gateway/gateway/internal/core/domain/Json"
import type { TestAnswer } from "@model-gateway/gateway/internal/testing/TestAnswer"

/** A request to the provider with a response. */
export interface Heard {
  readonly path: string
  readonly status: number
}

export type Outcome = (
  | {
      readonly kind: "works"
      /** It was served at Responses. */
      readonly viaResponses: boolean
      /** Another operation refused it first. */
      readonly refusedFirst: boolean
      readonly dropped: ReadonlyArray<string>
      /** What the response lacks of what the request demands. */
      readonly missing: string | undefined
    }
  /** By the vendor. */
  | { readonly kind: "refused"; readonly status: number; readonly message: string }
  /** By the gateway, which sent nothing: the catalogue or the configuration says that the model can't. */
  | { readonly kind: "unsupported"; readonly message: string }
  /** `over`: its worst case exceeds the rest of the budget. `unbounded`: its worst case is unknown. Nothing was sent. */
  | { readonly kind: "over" | "unbounded"; readonly message: string }
  /** It shows nothing of the model: a key that is refused, a rate limit, an outage. */
  | { readonly kind: "failed"; readonly status: number; readonly message: string }
) & { readonly isLearnt?: boolean }

const isRefusal = (status: number | undefined): boolean => status === 400 || status === 404 || status === 422

/** Of the text or the length of a request, not of its features. */
const OF_CONTENT = new Set<unknown>(["content_filter", "context_length_exceeded"])

export const outcomeOf = (
  { body, events, headers, isBroken, status }: TestAnswer,
  heard: ReadonlyArray<Heard>,
  missing: string | undefined
): Outcome => {
  const last = heard.at(-1)
  const streamed = events.find((one): one is JsonObject => typeof one === "object" && one !== null && "error" in one)
  const error = (body["error"] ?? streamed?.["error"]) as JsonObject | undefined
  if (status === 200 && error === undefined && !isBroken) {
    return {
      kind: "works",
      viaResponses: last?.path.includes("/responses") === true,
      refusedFirst: heard.length > 1 && isRefusal(heard[0]?.status),
      dropped: (headers["x-gateway-dropped-params"] ?? "").split(",").filter((name) => name !== ""),
      missing
    }
  }
  const { code, message: words } = error ?? {}
  const message = typeof words === "string" ? words : "the response broke off"
  if (code === "price_unknown") return { kind: "unbounded", message: "its price is unknown: give it a `price`" }
  if (headers["x-gateway-limit-kind"]?.startsWith("budget") === true) {
    return { kind: "over", message: "what it may cost is more than what is left of the limit" }
  }
  if (last === undefined && status === 400) return { kind: "unsupported", message }
  const isOfFeatures = (status === 400 || status === 422) && isRefusal(last?.status) && !OF_CONTENT.has(code)
  return { kind: isOfFeatures ? "refused" : "failed", status, message }
}
