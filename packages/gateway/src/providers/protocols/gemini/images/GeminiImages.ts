/** Images by `generateContent`, from the models that draw. One image for each request, never streamed. */
import { Result } from "effect"
import { ProviderFailure, truncated, Unsupported } from "../../../../core/domain/Failures.ts"
import type { Dialect, UpstreamCall, WireRequest, LiftedAnswer } from "../../../../core/pool/Protocol.ts"
import { Losses } from "../../shared/Losses.ts"
import { replay, stream } from "../../openai/images/OpenAiImagesStream.ts"
import { modelPath, modelTraits } from "../GeminiModels.ts"
import { ratioOf, resolutionOf, sizeIn } from "./GeminiImagesSize.ts"
import { inputTokens, noUsage, outputTokens, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { isPerImage } from "../../../../core/operations/images/ImageBilling.ts"
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { finishReason, stoppedWith } from "../../openai/answer/OpenAiChatFinish.ts"
import { blocked, pieceOf } from "../answer/GeminiCandidates.ts"
import { readUsage } from "../answer/GeminiChatUsage.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { deployment, request } = call
  const { body } = request
  if (!modelTraits(deployment.facts).drawsImages) {
    return Result.fail(new Unsupported({ param: "model", message: `${deployment.model} does not make images` }))
  }
  const losses = new Losses(call.strict)
  if (request.choices > 1) losses.refuse("n", "this model makes one image for each request: `n` must be 1")
  for (const name of Object.keys(body)) {
    const value = body[name]
    if (HANDLED.has(name) || value === null || value === "" || value === "auto" || value === 0) continue
    losses.drop(name, `\`${name}\` has no counterpart at Google`)
  }
  const imageConfig = configOf(body["size"], modelTraits(deployment.facts).hasResolutions, losses)
  // What the reservation holds: without it a model that thinks might write more.
  const maxOutputTokens = deployment.bounds?.drawing?.image(sizeIn(body["size"]), undefined)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  return Result.succeed({
    path: `${modelPath(deployment.model)}:generateContent`,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      contents: [{ role: "user", parts: [{ text: body["prompt"] }] }],
      generationConfig: {
        responseModalities: ["IMAGE"],
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        ...(imageConfig === undefined ? {} : { imageConfig })
      }
    }),
    dropped: losses.dropped
  })
}

/** The bytes come as base64 in any case, and what the caller wants is made of them. */
const HANDLED = new Set(["model", "prompt", "n", "size", "response_format", "stream", "user"])

const configOf = (given: unknown, hasResolutions: boolean, losses: Losses): JsonObject | undefined => {
  const size = sizeIn(given)
  if (size === undefined) {
    if (given !== undefined && given !== null && given !== "" && given !== "auto") {
      losses.refuse("size", "`size` must be <width>x<height> in pixels, or auto")
    }
    return undefined
  }
  const { isExact, name } = ratioOf(size)
  if (!isExact) losses.drop("size", `Gemini has no images of this shape: the nearest is ${name}`)
  return { aspectRatio: name, ...(hasResolutions ? { imageSize: resolutionOf(size) } : {}) }
}

const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
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
    code: "content_filter",
    ...(usage === undefined ? {} : { usage })
  })
}

const wireUsage = (usage: Usage): JsonObject => ({
  total_tokens: totalTokens(usage),
  input_tokens: inputTokens(usage),
  output_tokens: outputTokens(usage),
  input_tokens_details: { text_tokens: inputTokens(usage) - usage.imageInput, image_tokens: usage.imageInput }
})

export const GeminiImages: Dialect = {
  lower,
  lift,
  stream,
  replay: (answer, call) => replay(answer, call, "image_generation")
}
