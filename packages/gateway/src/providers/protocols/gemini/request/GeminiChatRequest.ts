/** A chat request as `POST /models/<model>:generateContent`, or `:streamGenerateContent` with server-sent events. */
import type { Result } from "effect"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isObject, objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { chatFields, dropUnknown, isGiven, lowerChat, numberIn, stopsIn } from "../../shared/LowerChat.ts"
import { type GeminiTraits, modelPath, modelTraits } from "../GeminiModels.ts"
import { lowerConversation } from "./GeminiChatConversation.ts"
import { lowerFormat } from "./GeminiChatStructured.ts"
import { lowerThinking } from "./GeminiChatThinking.ts"
import { lowerTools } from "./GeminiChatTools.ts"

const KNOWN = chatFields(
  "temperature top_p top_k stop seed tools tool_choice response_format reasoning_effort thinking presence_penalty " +
    "frequency_penalty logprobs top_logprobs extra_body safety_settings"
)

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const method = call.request.stream ? "streamGenerateContent?alt=sse" : "generateContent"
  return lowerChat(call, `${modelPath(call.deployment.model)}:${method}`, "text/event-stream", generateRequest)
}

const generateRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  const traits = modelTraits(deployment.facts)
  const { contents, system } = lowerConversation(body["messages"], traits, losses)
  const { config, tools } = lowerTools(body, losses)
  const own = ownFields(body, losses)
  const maxOutput = outputLimit(call)
  const generationConfig = {
    ...(maxOutput === undefined ? {} : { maxOutputTokens: maxOutput }),
    ...lowerSampling(call, traits, losses),
    ...lowerFormat(call, losses),
    ...(own.config["responseModalities"] === undefined
      ? lowerModalities(body["modalities"], traits.drawsImages, losses)
      : {}),
    ...lowerThinking(body, own.thinking, traits, maxOutput, losses),
    ...own.config
  }
  const choice = { ...config, ...objectOf(own.tools["functionCallingConfig"]) }
  const called = { ...own.tools, ...(Object.keys(choice).length === 0 ? {} : { functionCallingConfig: choice }) }
  const { service_tier: tier, ...others } = body
  dropUnknown(tier === "auto" || tier === "default" ? others : body, KNOWN, "Google", losses)
  return {
    contents,
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(Object.keys(called).length === 0 ? {} : { toolConfig: called }),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...own.fields
  }
}

/** More than the model has is a 400, and can't be produced anyway. */
export const outputLimit = ({ deployment, maxOutput }: UpstreamCall): number | undefined =>
  maxOutput === undefined ? undefined : Math.min(maxOutput, deployment.maxOutputTokens ?? maxOutput)

/** Models that draw do so unasked. `["text"]` keeps them from it. */
const lowerModalities = (given: unknown, drawsImages: boolean, losses: Losses): JsonObject => {
  if (!isGiven(given) || (Array.isArray(given) && given.length === 0)) return {}
  const asked = Array.isArray(given) ? given : [given]
  const isKnown = asked.every((one) => one === "text" || (one === "image" && drawsImages))
  if (!isKnown) {
    const can = drawsImages ? "text and images" : "text only"
    losses.refuse("modalities", `this model responds in ${can}`)
    return {}
  }
  // Text is the default, and the only thing that most models have.
  return drawsImages ? { responseModalities: asked.map((one) => String(one).toUpperCase()) } : {}
}

/**
 * Fields of Google's own that chat callers send: those of its OpenAI-compatible API, under `extra_body.google`
 * (https://ai.google.dev/gemini-api/docs/openai, 2026-11-22), and `safety_settings`, as other gateways take them.
 */
const ownFields = (body: JsonObject, losses: Losses) => {
  const extra = objectOf(body["extra_body"])
  const google = objectOf(extra?.["google"]) ?? {}
  for (const name of Object.keys(extra ?? {})) {
    if (name !== "google") losses.drop(`extra_body.${name}`, `\`extra_body.${name}\` has no counterpart at Google`)
  }
  const cached = textOf(google["cached_content"])
  const safety = body["safety_settings"] ?? google["safety_settings"]
  for (const name of Object.keys(google)) {
    if (!EXTRA.has(name)) losses.drop(`extra_body.google.${name}`, "the gateway does not know this field")
  }
  return {
    fields: {
      ...objectOf(google["more"]),
      ...(cached === undefined ? {} : { cachedContent: cached }),
      ...(Array.isArray(safety) && safety.length > 0 ? { safetySettings: safety.filter(isObject) } : {})
    },
    config: objectOf(google["generation_config"]) ?? {},
    tools: objectOf(google["tool_config"]) ?? {},
    thinking: camelCased(objectOf(google["thinking_config"]))
  }
}

/** `thought_tag_marker` says how the compatible API marks thoughts in the text; here they have a field of their own. */
const EXTRA = new Set(
  "cached_content generation_config more safety_settings thinking_config thought_tag_marker tool_config".split(" ")
)

const THINKING = new Map([
  ["include_thoughts", "includeThoughts"],
  ["thinking_budget", "thinkingBudget"],
  ["thinking_level", "thinkingLevel"]
])

const camelCased = (given: JsonObject | undefined): JsonObject | undefined =>
  given === undefined
    ? undefined
    : Object.fromEntries(Object.entries(given).map(([name, value]) => [THINKING.get(name) ?? name, value]))

/** https://ai.google.dev/api/generate-content#generationconfig (2026-11-22). */
const MOST_STOPS = 5
const MOST_LOGPROBS = 20
const MOST_CANDIDATES = 8
/** `seed` is an int32. */
const MOST_SEED = 2 ** 31

const PLAIN: ReadonlyArray<readonly [name: string, own: string]> = [
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["top_k", "topK"]
]
const PENALTIES: ReadonlyArray<readonly [name: string, own: string]> = [
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"]
]

const lowerSampling = (call: UpstreamCall, traits: GeminiTraits, losses: Losses): JsonObject => {
  const { body, choices } = call.request
  const out: { [name: string]: unknown } = {}
  for (const [name, own] of PLAIN) {
    const value = numberIn(body, name, losses)
    if (value === undefined) continue
    if (traits.sampling) out[own] = value
    else losses.drop(name, `\`${name}\` has no effect on this model`)
  }
  for (const [name, own] of PENALTIES) {
    const value = numberIn(body, name, losses)
    if (value === undefined || value === 0) continue
    if (traits.penalties) out[own] = value
    else losses.drop(name, `this model does not take \`${name}\` here`)
  }
  const seed = numberIn(body, "seed", losses)
  if (seed !== undefined) {
    if (Number.isInteger(seed) && seed >= -MOST_SEED && seed < MOST_SEED) out["seed"] = seed
    else losses.drop("seed", "Google's seeds are whole numbers of 32 bits")
  }
  const stops = stopsIn(body["stop"])
  if (stops.length > MOST_STOPS) losses.drop("stop", `Google takes at most ${MOST_STOPS} stop sequences`)
  if (stops.length > 0) out["stopSequences"] = stops.slice(0, MOST_STOPS)
  const most = traits.candidates ? MOST_CANDIDATES : 1
  if (choices > most) losses.refuse("n", `this model gives at most ${most} choices: \`n\` must be ${most} or less`)
  else if (choices > 1) out["candidateCount"] = choices
  return { ...out, ...lowerLogprobs(body, losses) }
}

const lowerLogprobs = (body: JsonObject, losses: Losses): JsonObject => {
  if (body["logprobs"] !== true) return {}
  const top = numberIn(body, "top_logprobs", losses) ?? 0
  const most = Math.min(MOST_LOGPROBS, Math.max(0, Math.floor(top)))
  return { responseLogprobs: true, ...(most === 0 ? {} : { logprobs: most }) }
}
