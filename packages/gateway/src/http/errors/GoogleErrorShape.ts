/** Errors in Google's shape, `google.rpc.Status`: https://cloud.google.com/apis/design/errors (2026-11-22). */
import type { AskedBy } from "../routing/Endpoint.ts"
import type { ErrorShape } from "./ErrorShape.ts"
import type { WireError } from "./WireFormat.ts"

/** Google's names of statuses: https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto (2026-11-22). */
const NAMES = new Map([
  [401, "UNAUTHENTICATED"],
  [402, "RESOURCE_EXHAUSTED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [409, "ABORTED"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL"],
  [501, "UNIMPLEMENTED"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"]
])

/** `code` is the status here; the gateway's own code is the reason in the details, and the other fields are as everywhere. */
const errorBody = ({ body, headers, status }: WireError) => {
  const { code: reason, message, ...rest } = body.error
  const wait = headers["retry-after"]
  return {
    error: {
      code: status,
      message,
      status: NAMES.get(status) ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL"),
      details: [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "model-gateway", metadata: rest },
        ...(wait === undefined ? [] : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${wait}s` }])
      ]
    }
  }
}

export const googleErrors: ErrorShape = {
  body: errorBody,
  event: (wire) => `data: ${JSON.stringify(errorBody(wire))}\n\n`
}

/** A stream is a list, unless its address asks for events. */
export const googleStreamErrors = ({ target }: AskedBy): ErrorShape =>
  /[?&]alt=sse(?:&|$)/.test(target) ? googleErrors : { ...googleErrors, isList: true }

/** Whether the request comes from a client of Google's API, on paths that do not tell. */
export const isGoogle = ({ headers, target }: AskedBy): boolean =>
  target.includes("/v1beta") || headers["x-goog-api-key"] !== undefined || headers["x-goog-api-client"] !== undefined
