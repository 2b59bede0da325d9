/** Images by `generateContent`, from the models that draw. One image for each request, never streamed. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { Dialect, UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { Losses } from "../../shared/Losses.ts"
import { replay, stream } from "../../openai/images/OpenAiImagesStream.ts"
import { modelPath, modelTraits } from "../GeminiModels.ts"
import { lift } from "./GeminiImagesResponse.ts"
import { ratioOf, resolutionOf, sizeIn } from "./GeminiImagesSize.ts"

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

export const GeminiImages: Dialect = {
  lower,
  lift,
  stream,
  replay: (answer, call) => replay(answer, call, "image_generation")
}
