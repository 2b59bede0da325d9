/** The chat request that a request for contents was read as, without what is Google's alone. */
import { Result } from "effect"
import type { Unsupported } from "../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../core/domain/Json.ts"
import { some } from "@model-gateway/protocol"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { arrayOf, objectOf, objectOr, objectsIn } from "../../json/LooseJson.ts"
import { needsThoughts } from "../../protocols/openai/request/OpenAiChatThoughts.ts"
import { Losses } from "../../protocols/shared/Losses.ts"
import { ordered } from "../messages/MessagesToChatConversation.ts"
import { hostedText } from "../messages/MessagesToChatHostedTools.ts"
import { budgetAt, limitAt, MAX_STOPS } from "../messages/MessagesToChatRequest.ts"
import { keptIn, LISTS } from "../Seals.ts"

export const down = (call: UpstreamCall): Result.Result<UpstreamCall, Unsupported> => {
  const { deployment, request } = call
  const losses = new Losses(call.strict)
  const drop = (name: string) => losses.drop(name, `\`${name}\` has no counterpart at this provider`)
  const { extra_body: extra, logprobs, stop, thinking: __, top_k, top_logprobs, ...body } = request.body
  const {
    cached_content,
    generation_config: config,
    more,
    safety_settings,
    tool_config
  } = objectOr(objectOf(extra)?.["google"])
  if (cached_content !== undefined)
    losses.refuse(
      "cachedContent",
      "`cachedContent` is kept at Google: choose a model there, or send the content itself"
    )
  const { responseModalities: _, ...generation } = objectOr(config)
  for (const name of Object.keys(generation)) drop(`generationConfig.${name}`)
  for (const name of Object.keys({
    ...objectOr(more),
    ...some({ safetySettings: safety_settings, toolConfig: tool_config })
  }))
    drop(name)
  if (logprobs === true || top_logprobs !== undefined) drop("generationConfig.responseLogprobs")
  // OpenAI's API has none; other protocols take it, or name it as dropped.
  const takesTopK = deployment.protocol !== "openai-chat"
  if (top_k !== undefined && !takesTopK) drop("generationConfig.topK")
  const stops = arrayOf(stop)
  if (stops.length > MAX_STOPS) drop("generationConfig.stopSequences")
  const messages = ordered(arrayOf(body["messages"]).flatMap((message) => messageOf(objectOr(message), call, losses)))
  const limit = limitAt(deployment, call.maxOutput)
  const lowered = some({
    ...body,
    messages,
    ...toolsOf(body, losses),
    stop: stops.length === 0 ? undefined : stops.slice(0, MAX_STOPS),
    top_k: takesTopK ? top_k : undefined,
    thinking: budgetAt(deployment, request.body),
    max_tokens: limit
  })
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const { dropped } = losses
  return Result.succeed({
    ...call,
    operation: "chat",
    request: { ...request, body: lowered },
    maxOutput: limit,
    dropped
  })
}

const toolsOf = ({ tool_choice: choice, tools }: JsonObject, losses: Losses): JsonObject => {
  const functions = objectsIn(tools).flatMap((tool) => {
    const declared = objectOf(tool["function"])
    if (declared === undefined) {
      const name = `tools.${Object.keys(tool).join(".")}`
      losses.drop(name, `\`${name}\` runs at Google and is not available at this provider`)
      return []
    }
    const { google: _, ...rest } = declared
    return [{ ...tool, function: rest }]
  })
  return functions.length === 0
    ? { tools: undefined, tool_choice: undefined }
    : { tools: functions, tool_choice: choice }
}

const messageOf = (
  { extra_content: extra, reasoning_content: thoughts, tool_calls: calls, ...message }: JsonObject,
  { deployment }: UpstreamCall,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  const { parts, thought_signature: signature } = objectOr(objectOf(extra)?.["google"])
  const kept: Record<string, unknown> = {}
  const unsealed = (fields: JsonObject): JsonObject | undefined => {
    let own: JsonObject | undefined
    for (const { kind, value } of sealsIn(fields, deployment.provider)) {
      const list = LISTS[kind]
      if (list !== undefined) kept[list] = [...arrayOf(kept[list]), ...arrayOf(value)]
      else if (kind === "call") own = objectOf(value)
      else kept["extra_content"] = value
    }
    return own
  }
  const called = objectsIn(calls).map(({ extra_content: more, ...one }) => {
    const own = unsealed(objectOr(objectOf(more)?.["google"]))
    return own === undefined ? one : { ...one, extra_content: own }
  })
  unsealed({ thought_signature: signature })
  if (message["role"] !== "assistant") {
    const { content } = message
    if (message["role"] === "tool") return [{ ...message, content: resultOf(content) }]
    const parts = Array.isArray(content) ? content.flatMap((part) => partOf(objectOr(part), losses)) : content
    return [{ ...message, content: parts }]
  }
  const hosted = objectsIn(parts)
    .filter((part) => !["text", "call", "image"].some((name) => name in part))
    .map((part) => hostedText({ type: Object.keys(part)[0], ...part }, "contents.parts", losses))
    .join("")
  const content = `${hosted}${String(message["content"] ?? "")}`
  if (content === "" && called.length === 0 && Object.keys(kept).length === 0 && message["images"] === undefined)
    return []
  return [
    {
      ...message,
      content: content === "" ? null : content,
      ...(needsThoughts(deployment) && thoughts !== undefined ? { reasoning_content: thoughts } : {}),
      ...kept,
      ...(called.length === 0 ? {} : { tool_calls: called })
    }
  ]
}

/** Without what Google's clients put around the text of a result: https://ai.google.dev/api/caching#FunctionResponse (2026-11-28). */
const resultOf = (content: unknown): unknown => {
  const [[name, text] = [], ...others] = Object.entries(objectOr(parseJson(String(content))))
  return others.length === 0 && typeof text === "string" && (name === "output" || name === "result") ? text : content
}

/** What this provider has sealed; Google's own signatures say nothing to it. */
const sealsIn = ({ thought_signature: signature }: JsonObject, provider: string) =>
  sealsOf(signature).flatMap((seal) => keptIn(seal, provider) ?? [])

const SEALED = /^gw[12]\./

/** Several stand in one signature, which Google's API has as bytes. Empty for what the gateway did not write. */
export const sealsOf = (signature: unknown): ReadonlyArray<string> => {
  const text = typeof signature === "string" ? Buffer.from(signature, "base64").toString() : ""
  return SEALED.test(text) ? text.split("\n") : []
}

export const signatureOf = (seals: ReadonlyArray<string>): JsonObject =>
  seals.length === 0 ? {} : { thoughtSignature: Buffer.from(seals.join("\n")).toString("base64") }

const partOf = ({ google, ...part }: JsonObject, losses: Losses): ReadonlyArray<JsonObject> => {
  if (part["type"] === "google") {
    losses.refuse("contents", `this provider can't read a part with \`${Object.keys(objectOr(google)).join("`, `")}\``)
    return []
  }
  for (const name of Object.keys(objectOr(google)))
    losses.drop(`contents.parts.${name}`, `\`${name}\` of a part has no counterpart at this provider`)
  return [part]
}
