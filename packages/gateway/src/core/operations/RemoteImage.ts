import { Context, Effect } from "effect"
import type { Look } from "../media/Measure.ts"
import type { CallRequest } from "./CallRequest.ts"

/**
 * Fetches images of a request for their sizes; undefined where one can't be read. Every provider gets the bytes that were measured:
 * an address may answer the next one who asks with a larger image.
 */
export const RemoteImage = Context.Reference<(request: MediaRequest) => Look>("gateway/core/RemoteImage", {
  defaultValue: () => () => () => Effect.undefined
})

export type MediaRequest = Pick<CallRequest, "body" | "contents" | "media">
