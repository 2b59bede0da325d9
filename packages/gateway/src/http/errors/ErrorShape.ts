/** How errors look in the responses of an endpoint: each vendor's clients expect the vendor's own shape. */
import type { WireError } from "./WireFormat.ts"

export interface ErrorShape {
  readonly body: (error: WireError, requestId: string) => unknown
  /** The event that tells a stream's client that it was cut. */
  readonly event: (error: WireError, requestId: string) => string
  /** `event` ends with the API's own end of a failed stream: no client takes it for complete, so the body ends behind it as usual. */
  readonly endsStream?: true
  /** The status, where the vendor's differs. */
  readonly status?: (error: WireError) => number
  /** The events of a stream are the items of a JSON list. */
  readonly isList?: true
  /** A header for the request's id beside `x-request-id`, on every response of the endpoint. */
  readonly idHeader?: string
}

export const openAiErrors: ErrorShape = {
  body: ({ body }) => body,
  event: ({ body }) => `data: ${JSON.stringify(body)}\n\n`
}
