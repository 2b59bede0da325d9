/** A request for Anthropic's own API, which goes on as it came, or as a model needs it that the gateway has chosen. */
import { Result } from "effect"
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { STANDARD } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { Losses } from "../../shared/Losses.ts"
import { hosted } from "../Host.ts"
import { compatible, isCompatible } from "./Compatible.ts"
import { fitted } from "./Fitted.ts"
import { withoutForeignThoughts } from "./ForeignThoughts.ts"

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
  return Result.succeed({ path: "/messages", headers: headersOf(call), body: text, dropped: losses.dropped })
}

/** `fields` are added to the body. */
export const wireRequest = (
  call: UpstreamCall,
  path: string,
  fields: JsonObject
): Result.Result<WireRequest, Unsupported> => {
  const { deployment, request } = call
  const long = request.long?.whole === request.body ? request.long : undefined
  const losses = new Losses(call.strict)
  const body = fitted((long ?? request).body, call, losses)
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
    headers: headersOf(call),
    body: JSON.stringify(to.body),
    ...(long === undefined ? undefined : { splice: (json: string) => long.splice(json) }),
    dropped: losses.dropped
  })
}

const headersOf = ({ deployment, forward, request }: UpstreamCall): WireRequest["headers"] => {
  const beta = betasFor(deployment, forward?.["anthropic-beta"])
  return {
    "content-type": "application/json",
    accept: request.stream ? "text/event-stream" : "application/json",
    "anthropic-version": forward?.["anthropic-version"] ?? VERSION,
    ...(beta === undefined ? undefined : { "anthropic-beta": beta })
  }
}

const WIDE = 1_000_000

/**
 * Without the wish for a window of a million tokens where the deployment has a smaller one: the window bounds what a request can
 * cost, so the provider has to keep to it.
 */
export const betasFor = ({ contextWindow = WIDE }: Deployment, betas: string | undefined): string | undefined => {
  if (betas === undefined || contextWindow >= WIDE || !betas.includes("context-1m-")) return betas
  const rest = betas.split(",").filter((beta) => !beta.trim().startsWith("context-1m-"))
  return rest.length === 0 ? undefined : rest.join(",")
}

const tierOf = ({ serviceTier }: UpstreamCall): JsonObject | undefined =>
  serviceTier === STANDARD ? { service_tier: "standard_only" } : undefined

/** The limit is the caller's own, unless the budget has room for less. */
export const limitOf = ({ maxOutput, request }: UpstreamCall): JsonObject | undefined =>
  maxOutput === request.maxOutput || maxOutput === undefined ? undefined : { max_tokens: maxOutput }
