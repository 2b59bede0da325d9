/** An answer with images, in the shape of OpenAI's. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import { inputTokens, noUsage, outputTokens, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import { isPerImage } from "../../../../core/operations/images/ImageBilling.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { arrayOf, isObject, objectOf, textOf } from "../../../json/LooseJson.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { finishReason, stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { blocked } from "../answer/GeminiChatBlocked.ts"
import { pieceOf } from "../answer/GeminiChatParts.ts"
import { readUsage } from "../answer/GeminiChatUsage.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"

export const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const response = parseJson(text)
  const error = errorIn(response)
  if (error !== undefined) return Result.fail(reportedFailure(error))
  if (!isObject(response)) return Result.fail(noImage)
  const refused = blocked(response)
  if (refused !== undefined) return Result.fail(refused)
  const images = arrayOf(response["candidates"]).flatMap(imagesIn)
  const told = readUsage(objectOf(response["usageMetadata"]))
  if (images.length === 0) return Result.fail(whyNone(response, told))
  const usage = isPerImage(call.deployment.price) ? { ...noUsage, images: images.length } : told
  const asUrl = call.request.body["response_format"] === "url"
  return Result.succeed({
    usage,
    body: {
      created: Math.floor(call.now / 1_000),
      data: images.map((url) => (asUrl ? { url } : { b64_json: url.slice(url.indexOf(",") + 1) })),
      output_format: /^data:image\/(\w+)/.exec(images[0]!)?.[1] ?? "png",
      ...(told === undefined ? {} : { usage: wireUsage(told) })
    }
  })
}

const noImage = truncated("the provider's response has no image")

/** As data URLs. */
const imagesIn = (candidate: unknown): ReadonlyArray<string> =>
  arrayOf(isObject(candidate) ? objectOf(candidate["content"])?.["parts"] : undefined).flatMap((part) => {
    const piece = pieceOf(part)
    return piece?.kind === "image" ? [piece.url] : []
  })

/** A picture that the vendor's rules forbid is the request's fault. */
const whyNone = (response: JsonObject, usage: Usage | undefined): ProviderFailure => {
  const [candidate] = arrayOf(response["candidates"])
  const reason = isObject(candidate) ? textOf(candidate["finishReason"]) : undefined
  if (reason === undefined || reason === "STOP") return noImage
  if (finishReason(reason, false) !== "content_filter") return stoppedWith(reason, usage)
  return new ProviderFailure({
    class: "content_filter",
    status: 400,
    message: `Gemini made no image: ${reason}`,
    type: null,
    code: "content_filter",
    param: null,
    ...(usage === undefined ? {} : { usage })
  })
}

const wireUsage = (usage: Usage): JsonObject => ({
  total_tokens: totalTokens(usage),
  input_tokens: inputTokens(usage),
  output_tokens: outputTokens(usage),
  input_tokens_details: { text_tokens: inputTokens(usage) - usage.imageInput, image_tokens: usage.imageInput }
})
