/** A chat request as `POST /models/<model>:generateContent`, or `:streamGenerateContent` with server-sent events. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { encodeJson } from "../../../json/LooseJson.ts"
import { Losses } from "../../shared/Losses.ts"
import { modelPath, modelTraits } from "../GeminiModels.ts"
import { lowerConversation } from "./GeminiChatConversation.ts"
import { ownFields } from "./GeminiChatOwnFields.ts"
import { lowerSampling } from "./GeminiChatSampling.ts"
import { lowerFormat } from "./GeminiChatStructured.ts"
import { lowerThinking } from "./GeminiChatThinking.ts"
import { lowerTools } from "./GeminiChatTools.ts"
import { reportLeftovers } from "./GeminiChatUnsupportedFields.ts"

/** Arguments of tool calls come as text, which nobody has looked into before. */
const tooDeep = new Unsupported({ message: "the arguments of a tool call are nested too deeply", param: "messages" })

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const body = encodeJson(generateRequest(call, losses))
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  if (body === undefined) return Result.fail(tooDeep)
  const { stream } = call.request
  const method = stream ? "streamGenerateContent?alt=sse" : "generateContent"
  return Result.succeed({
    path: `${modelPath(call.deployment.model)}:${method}`,
    headers: { "content-type": "application/json", accept: stream ? "text/event-stream" : "application/json" },
    body,
    dropped: losses.dropped
  })
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
    ...lowerModalities(body["modalities"], traits.drawsImages, losses),
    ...lowerThinking(body, own.thinking, traits, maxOutput, losses)
  }
  reportLeftovers(body, losses)
  return {
    contents,
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(config === undefined || tools.length === 0 ? {} : { toolConfig: config }),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...own.fields
  }
}

/** More than the model has is a 400, and can't be produced anyway. */
const outputLimit = ({ deployment, maxOutput }: UpstreamCall): number | undefined =>
  maxOutput === undefined ? undefined : Math.min(maxOutput, deployment.maxOutputTokens ?? maxOutput)

/** Models that draw do so unasked. `["text"]` keeps them from it. */
const lowerModalities = (given: unknown, drawsImages: boolean, losses: Losses): JsonObject => {
  if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) return {}
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
