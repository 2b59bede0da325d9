/** Where the spans of a request stand in a trace: its own ids, and the caller's `traceparent` (W3C Trace Context). */
import { hash } from "node:crypto"

export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Undefined when it is none, or a broken one. */
export const parseTraceParent = (header: string | undefined): TraceParent | undefined => {
  const [, traceId, spanId, flags] = (header !== undefined && TRACEPARENT.exec(header)) || []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The ids of a request, from its own: whoever has that finds the trace. */
export const idsOf = (requestId: string): { readonly traceId: string; readonly spanId: (index: number) => string } => {
  const digits = hash("sha256", requestId, "hex")
  return {
    traceId: digits.slice(0, 32),
    // 0 is the request itself, 1 its first attempt.
    spanId: (index) => digits.slice(32, 46) + index.toString(16).padStart(2, "0")
  }
}
