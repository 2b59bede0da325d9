/** Anthropic's Messages API for its own callers, through `InvokeModel`: request and response stay as they came. */
import { Result } from "effect"
import { truncated, Unsupported } from "../../../../core/domain/Failures.ts"
import type { Dialect, StreamLifter, UpstreamCall, WireRequest, StreamEvent } from "../../../../core/pool/Protocol.ts"
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { Losses } from "../../shared/Losses.ts"
import { lift, stream } from "../../anthropic/messages/AnthropicMessagesStream.ts"
import { hostBetas, limitOf, wireRequest } from "../../anthropic/messages/AnthropicMessagesRequest.ts"
import { guardrailHeaders } from "../BedrockGuardrail.ts"
import { modelPath } from "../BedrockModels.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { streamFailure } from "../BedrockErrors.ts"
import { noUsage } from "../../../../core/domain/Usage.ts"
import { MALFORMED } from "../../shared/JsonEvents.ts"
import { messageEvents } from "../../shared/MessageEvents.ts"

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html (2026-11-22). */
const ANTHROPIC_VERSION = "bedrock-2023-05-31"

/** What makes a body Bedrock's. Undefined leaves a field out. */
const bedrockFields = ({ deployment, forward, request }: UpstreamCall): JsonObject => ({
  model: undefined,
  stream: undefined,
  service_tier: undefined,
  anthropic_version: ANTHROPIC_VERSION,
  // What is lost of these `wireRequest` reports.
  anthropic_beta: hostBetas(
    [forward?.["anthropic-beta"], ...arrayOf(request.body["anthropic_beta"])],
    deployment,
    new Losses(false)
  )
})

/**
 * Anthropic's own tools have a date in their type. Those that Anthropic runs itself Bedrock does not (`@ai-sdk/amazon-bedrock` 5.0.101, read
 * 2026-11-22); these are run by the caller.
 */
const RUN_BY_CALLER = /^(?:bash|text_editor|computer(?:_toolset)?|browser_toolset|memory)_\d{8}$/
/** Fields that would cost otherwise than the gateway holds for, or that Bedrock does not know. */
const NOT_HERE = ["mcp_servers", "fallbacks", "container", "speed", "inference_geo"]

const refusal = (body: JsonObject): Unsupported | undefined => {
  for (const [index, tool] of arrayOf(body["tools"]).entries()) {
    const type = isObject(tool) ? tool["type"] : undefined
    if (typeof type === "string" && type !== "custom" && !RUN_BY_CALLER.test(type)) {
      const message = `tools of type ${type.slice(0, 60)} are run by Anthropic's own API, not by Bedrock`
      return new Unsupported({ message, param: `tools[${index}]` })
    }
  }
  const field = NOT_HERE.find((name) => body[name] !== undefined && body[name] !== null)
  const message = `\`${field}\` is a part of Anthropic's own API that Bedrock does not have`
  return field === undefined ? undefined : new Unsupported({ message, param: field })
}

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { deployment, request } = call
  const losses = new Losses(call.strict)
  const { service_tier: tier = "auto" } = request.body
  if (tier !== "auto" && tier !== "standard_only") {
    losses.drop("service_tier", "the tiers of Anthropic's own API are not Bedrock's")
  }
  const own = bedrockFields(call)
  const refused = refusal(request.body) ?? losses.problem
  if (refused !== undefined) return Result.fail(refused)
  const action = request.stream ? "invoke-with-response-stream" : "invoke"
  const wire = wireRequest(call, modelPath(deployment.model, action), { ...limitOf(call), ...own })
  return Result.map(wire, (sent) => ({
    ...sent,
    dropped: [...losses.dropped, ...sent.dropped],
    headers: {
      "content-type": "application/json",
      accept: request.stream ? "application/vnd.amazon.eventstream" : "application/json",
      ...guardrailHeaders(deployment)
    }
  }))
}

const METRICS = "amazon-bedrock-invocationMetrics"

/** Bedrock's own counts at the end of a stream are no part of Anthropic's events. */
const withoutMetrics = (event: StreamEvent): StreamEvent => {
  if (event.kind !== "lifecycle" || !event.data.includes(METRICS)) return event
  const { [METRICS]: _, ...rest } = JSON.parse(event.data) as JsonObject
  return { kind: event.kind, data: JSON.stringify(rest) }
}

export const BedrockMessages: Dialect = { lower, lift, stream: () => new InvokedStream(), replay: messageEvents }

/** A model's own events, which `InvokeModelWithResponseStream` wraps in base64. */
class InvokedStream implements StreamLifter {
  private readonly inner = stream()
  private closed = false

  push({ data, kind }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed) return []
    const failure = streamFailure(kind, data)
    if (failure !== undefined) {
      this.closed = true
      return [{ kind: "failed", failure }]
    }
    if (kind !== "chunk") return []
    const bytes = textOf(objectOf(parseJson(data))?.["bytes"])
    if (bytes === undefined) return MALFORMED
    const event = { kind: "", data: Buffer.from(bytes, "base64").toString("utf8") }
    return this.inner.push(event).map(withoutMetrics)
  }

  end(): ReadonlyArray<StreamEvent> {
    return this.closed ? [] : this.inner.end()
  }
}

/**
 * Bedrock's own count, which is free: https://docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html (2026-11-22). It counts for
 * a model, not for a profile: the region in front of the name is left out.
 */
const ofModel = (name: string): string =>
  name
    .split("/")
    .at(-1)!
    .replace(/^(?:[a-z]{2,6}(?:-gov)?\.)(?=anthropic\.)/, "")

export const BedrockCount: Dialect = {
  lower: (call) => {
    const { deployment } = call
    const path = modelPath(ofModel(deployment.baseModel ?? deployment.model), "count-tokens")
    // A body without a limit is none of the model's.
    const wire = wireRequest({ ...call, strict: false }, path, { max_tokens: 1, ...bedrockFields(call) })
    return Result.map(wire, ({ body, splice }) => {
      const bytes = splice === undefined ? Buffer.from(body) : Buffer.from(splice(body))
      return {
        path,
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ input: { invokeModel: { body: bytes.toString("base64") } } }),
        dropped: []
      }
    })
  },
  lift: (text) => {
    const answer = parseJson(text)
    const count = isObject(answer) ? answer["inputTokens"] : undefined
    if (typeof count !== "number") return Result.fail(truncated("the provider's response is not a count"))
    return Result.succeed({ body: { input_tokens: count }, usage: noUsage })
  },
  stream
}
