/** The chat request that a request for contents was read as, for a model that is not Google's. */
import { Result } from "effect"
import { plainChat, some } from "@model-gateway/protocol"
import type { Unsupported } from "../../../core/domain/Failures.ts"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"
import { arrayOf, objectOr, objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import { needsThoughts } from "../../protocols/openai/request/OpenAiChatThoughts.ts"
import { Losses } from "../../protocols/shared/Losses.ts"
import { ordered } from "../messages/MessagesToChatConversation.ts"
import { budgetAt, limitAt, MAX_STOPS } from "../messages/MessagesToChatRequest.ts"
import { keptIn, LISTS } from "../Seals.ts"

export const down = (call: UpstreamCall): Result.Result<UpstreamCall, Unsupported> => {
  const { deployment, request } = call
  const losses = new Losses(call.strict)
  const { body, lost, refused } = plainChat(request.body)
  if (refused !== undefined) losses.refuse(refused.param, refused.message)
  const stops = arrayOf(body["stop"])
  // OpenAI's API has no `top_k`; other protocols take it, or name it as dropped.
  const hasTopK = body["top_k"] !== undefined && deployment.protocol === "openai-chat"
  const all = [
    ...lost,
    ...(hasTopK ? ["generationConfig.topK"] : []),
    ...(stops.length > MAX_STOPS ? ["generationConfig.stopSequences"] : [])
  ]
  for (const name of all) losses.drop(name, `\`${name}\` has no counterpart at this provider`)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const limit = limitAt(deployment, call.maxOutput)
  const lowered = some({
    ...body,
    messages: ordered(objectsIn(body["messages"]).flatMap((message) => withSealed(message, call))),
    ...(hasTopK ? { top_k: undefined } : {}),
    ...(stops.length > MAX_STOPS ? { stop: stops.slice(0, MAX_STOPS) } : {}),
    thinking: budgetAt(deployment, request.body),
    max_tokens: limit
  })
  const { dropped } = losses
  return Result.succeed({
    ...call,
    operation: "chat",
    request: { ...request, body: lowered },
    maxOutput: limit,
    dropped
  })
}

/** With what this provider has sealed; Google's own signatures say nothing to it. */
const withSealed = (
  { extra_content: extra, reasoning_content: thoughts, tool_calls: calls, ...message }: JsonObject,
  { deployment }: UpstreamCall
): ReadonlyArray<JsonObject> => {
  if (message["role"] !== "assistant") return [message]
  const kept: Record<string, unknown> = {}
  const unsealed = (fields: unknown): JsonObject => {
    const { thought_signature: signature } = objectOr(objectOr(fields)["google"])
    let own: JsonObject = {}
    for (const { kind, value } of sealsOf(signature).flatMap((seal) => keptIn(seal, deployment.provider) ?? [])) {
      const list = LISTS[kind]
      if (list !== undefined) kept[list] = [...arrayOf(kept[list]), ...arrayOf(value)]
      else if (kind === "call") own = { extra_content: value }
      else kept["extra_content"] = value
    }
    return own
  }
  const called = objectsIn(calls).map(({ extra_content: more, ...one }) => ({ ...one, ...unsealed(more) }))
  unsealed(extra)
  if (needsThoughts(deployment) && thoughts !== undefined) kept["reasoning_content"] = thoughts
  if (called.length > 0) kept["tool_calls"] = called
  const content = message["content"] === "" ? null : message["content"]
  return content === null && Object.keys(kept).length === 0 && message["images"] === undefined
    ? []
    : [{ ...message, content, ...kept }]
}

/** Several seals stand in one signature, which Google's API has as bytes. Empty for what the gateway did not write. */
const sealsOf = (signature: unknown): ReadonlyArray<string> => {
  const text = typeof signature === "string" ? Buffer.from(signature, "base64").toString() : ""
  return text.startsWith("gw") ? text.split("\n") : []
}

export const signatureOf = (seals: ReadonlyArray<string>): JsonObject =>
  seals.length === 0 ? {} : { thoughtSignature: Buffer.from(seals.join("\n")).toString("base64") }
