import { Context, Effect } from "effect"
import type { Look } from "../media/Measure.ts"
import type { CallRequest } from "./CallRequest.ts"

/** Sizes of remote images; undefined where unreadable. Providers get the measured bytes, as an address may change them. */
export const RemoteImage = Context.Reference<(request: MediaRequest) => Look>("gateway/core/RemoteImage", {
  defaultValue: () => () => () => Effect.undefined
})

export type MediaRequest = Pick<CallRequest, "body" | "contents" | "media">
