/** A request for Anthropic's own API, which goes on as it came, or as a model needs it that the gateway has chosen. */
import { Result } from "effect"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { STANDARD } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { Losses } from "../../shared/Losses.ts"
import { arrayOf } from "../../../json/LooseJson.ts"
import { hosted } from "../AnthropicHost.ts"
import { compatible, isCompatible } from "./AnthropicMessagesCompatible.ts"
import { fitted } from "./AnthropicMessagesFitted.ts"
import { hostBetas, withHostParts } from "./AnthropicMessagesHostParts.ts"
import { withoutForeignThoughts } from "./AnthropicMessagesForeignThoughts.ts"

const VERSION = "2023-06-01"

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  isCompatible(call.deployment)
    ? compatibleRequest(call)
    : wireRequest(call, "/messages", { ...tierOf(call), ...limitOf(call) })

const compatibleRequest = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const body = compatible(call, losses)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const text = JSON.stringify({ ...body, model: call.deployment.model })
  return Result.succeed({ path: "/messages", headers: headersOf(call, undefined), body: text, dropped: losses.dropped })
}

/** `fields` are added to the body. */
export const wireRequest = (
  call: UpstreamCall,
  path: string,
  fields: JsonObject
): Result.Result<WireRequest, Unsupported> => {
  const { deployment, forward, request } = call
  const long = request.long?.whole === request.body ? request.long : undefined
  const losses = new Losses(call.strict)
  const betas = hostBetas([forward?.["anthropic-beta"], ...arrayOf(request.body["anthropic_beta"])], deployment, losses)
  const body = withHostParts(fitted((long ?? request).body, call, losses), deployment, betas, losses)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const messages = withoutForeignThoughts(body["messages"])
  const whole = {
    ...body,
    ...(messages === body["messages"] ? undefined : { messages }),
    model: deployment.model,
    ...fields
  }
  const to = hosted(call, path, whole)
  return Result.succeed({
    path: to.path,
    headers: headersOf(call, betas),
    body: JSON.stringify(to.body),
    ...(long === undefined ? undefined : { splice: (json: string) => long.splice(json) }),
    dropped: losses.dropped
  })
}

const headersOf = (
  { forward, request }: UpstreamCall,
  betas: ReadonlyArray<string> | undefined
): WireRequest["headers"] => ({
  "content-type": "application/json",
  accept: request.stream ? "text/event-stream" : "application/json",
  "anthropic-version": forward?.["anthropic-version"] ?? VERSION,
  ...(betas === undefined ? undefined : { "anthropic-beta": betas.join(",") })
})

const tierOf = ({ serviceTier }: UpstreamCall): JsonObject | undefined =>
  serviceTier === STANDARD ? { service_tier: "standard_only" } : undefined

/** The limit is the caller's own, unless the budget has room for less. */
export const limitOf = ({ maxOutput, request }: UpstreamCall): JsonObject | undefined =>
  maxOutput === request.maxOutput || maxOutput === undefined ? undefined : { max_tokens: maxOutput }
