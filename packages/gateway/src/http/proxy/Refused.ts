/** What the receipt of a refused request says: its key, as far as it is known, and the error that its caller gets. */
import type { Refused } from "../../core/receipts/Refusals.ts"
import { requestTime } from "../../core/domain/RequestIds.ts"
import type { EndpointError } from "../errors/WireError.ts"
import { clip, type WireError } from "../errors/WireFormat.ts"
import type { HttpRequest } from "../routing/Endpoint.ts"
import type { RouteMatch } from "../routing/Routes.ts"

const MOST_MESSAGE = 500

/** `now`: epoch milliseconds. Nothing but `requestedModel` and the message is from outside. */
export const refusedOf = (
  error: EndpointError,
  { body, status }: WireError,
  match: RouteMatch,
  request: HttpRequest,
  now: number
): Refused => {
  const at = Math.min(now, requestTime(request.requestId) ?? now)
  const key = request.key ?? (error._tag === "Unauthorized" ? error.key : undefined)
  const { traceparent } = request.headers
  return {
    requestId: request.requestId,
    at,
    durationMs: now - at,
    keyId: key?.id ?? "",
    keyName: key?.name ?? null,
    team: key?.team ?? null,
    endpoint: "endpoint" in match ? match.endpoint.path : "",
    requestedModel: "model" in error ? clip(error.model) : "",
    limit: error._tag === "RateLimited" && error.kind !== "feedback" ? error.kind : undefined,
    ...(error._tag === "GuardrailDenied" ? { guardrails: error.verdicts } : undefined),
    traceParent: typeof traceparent === "string" ? traceparent : undefined,
    refusal: {
      method: request.method,
      httpStatus: status,
      code: body.error.code ?? body.error.type,
      message: clip(body.error.message, MOST_MESSAGE)
    }
  }
}
