/** The caller's body on its way to an API that speaks the same language. */
import type { UpstreamCall, WireRequest } from "../../../core/pool/Protocol.ts"

/** Other gateways let a body choose its destination by these fields. Here it can't, and no upstream should see them. */
const OWN_FIELDS = new Set(["base_url", "api_base", "api_key"])

export const forwarded = ({ deployment, request }: UpstreamCall) => {
  const long = request.long?.whole === request.body ? request.long : undefined
  const body: Record<string, unknown> = { ...(long ?? request).body, model: deployment.model }
  // Some servers refuse fields that are null or empty.
  for (const field in body) {
    if (body[field] === null || body[field] === "" || OWN_FIELDS.has(field)) delete body[field]
  }
  return { body, splice: long === undefined ? undefined : (json: string) => long.splice(json) }
}

const JSON_ANSWER = { accept: "application/json" }
const EVENTS = { accept: "text/event-stream" }

/** A request for JSON or, where `streams`, for events. */
export const jsonRequest = (
  path: string,
  body: object,
  {
    dropped = [],
    splice,
    streams
  }: Partial<Pick<WireRequest, "dropped" | "splice">> & { readonly streams?: boolean } = {}
): WireRequest => ({
  path,
  headers: streams === true ? EVENTS : JSON_ANSWER,
  body: JSON.stringify(body),
  splice,
  dropped
})
