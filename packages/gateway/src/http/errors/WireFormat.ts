/** How internal values look on the wire. */
import type { ErrorBody } from "@model-gateway/protocol"

/** An error as an HTTP answer. Header names are in lower case. */
export interface WireError {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: ErrorBody
}

/** Epoch ms as RFC 3339 in UTC. */
export const rfc3339 = (epochMs: number): string => new Date(epochMs).toISOString()

/** The longest name from outside that a message repeats. */
const LONGEST_NAME = 200

/** A name from outside, short enough for a message. */
export const clip = (name: string, longest = LONGEST_NAME): string =>
  name.length <= longest ? name : `${name.slice(0, longest)}…`

/** Seconds. Vendors' SDKs ignore longer waits and would retry at once. */
export const LONGEST_WAIT_TO_RETRY = 60
