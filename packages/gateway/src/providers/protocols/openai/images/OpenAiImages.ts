/** Images as `POST /images/generations`, `/images/edits` and `/images/variations`. The caller speaks the same language. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, RemoteContents, UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { objectsIn, isText, type JsonObject } from "../../../json/LooseJson.ts"
import { formBody } from "../../../transport/FormBody.ts"
import { answerBody } from "../OpenAiErrors.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { imagesUsage, replay, stream } from "./OpenAiImagesStream.ts"

const lowered = (call: UpstreamCall, path: string): WireRequest => {
  const { deployment, request } = call
  const { body, splice } = forwarded(call)
  // What the caller wants is made of what comes.
  if (deployment.quirks?.onlyInlineImages === true) delete body["response_format"]
  const wire = jsonRequest(path, body, { splice, streams: request.stream })
  if (request.files === undefined) return wire
  const form = formBody(body, request.files)
  return { ...form, path, headers: { ...form.headers, ...wire.headers }, dropped: [] }
}

const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> =>
  Result.flatMap(answerBody(text), (body) => {
    const data = objectsIn(body["data"])
    if (data.length === 0 || !data.every((one) => isText(one["b64_json"]) || isText(one["url"]))) {
      return Result.fail(truncated("the response has no image"))
    }
    const usage = imagesUsage(body["usage"], data.length, call)
    const wanted = data.map((one) => inForm(one, call.request.body["response_format"], body["output_format"]))
    const isSame = wanted.every((one, index) => one === data[index])
    const created = typeof body["created"] === "number" ? body["created"] : Math.floor(call.now / 1000)
    return Result.succeed(
      isSame && created === body["created"]
        ? { body, text, usage }
        : { body: { ...body, created, data: wanted }, usage }
    )
  })

/** As the caller wants it, as far as that needs no network. An image that only exists as base64 gets a data URL. */
const inForm = (image: JsonObject, wanted: unknown, format: unknown): JsonObject => {
  const { b64_json: base64, url, ...rest } = image
  if (wanted === "url" && isText(base64)) {
    return isText(url) ? { ...rest, url } : { ...rest, url: `data:image/${kindOf(base64, format)};base64,${base64}` }
  }
  if (wanted === "b64_json" && !isText(base64) && isText(url)) {
    const inline = /^data:[^,]*;base64,/.exec(url)?.[0]
    return inline === undefined ? image : { ...rest, b64_json: url.slice(inline.length) }
  }
  return image
}

/** How the base64 of each kind of file begins. */
const BEGINNINGS: ReadonlyArray<readonly [start: string, kind: string]> = [
  ["iVBOR", "png"],
  ["/9j/", "jpeg"],
  ["UklGR", "webp"]
]

const kindOf = (base64: string, told: unknown): string =>
  BEGINNINGS.find(([start]) => base64.startsWith(start))?.[1] ?? (isText(told) && /^\w+$/.test(told) ? told : "png")

const LARGEST_IMAGE = 32 * 1024 * 1024

/** The images that the caller wants as base64 and the provider only gave an address of. */
const remoteImages = ({ body, ...rest }: LiftedAnswer, { request }: UpstreamCall): RemoteContents | undefined => {
  if (request.body["response_format"] !== "b64_json") return undefined
  const data = objectsIn(body["data"])
  const urls = data.flatMap(({ b64_json: base64, url }) => (!isText(base64) && isText(url) ? [url] : []))
  if (urls.length === 0) return undefined
  return {
    urls,
    largest: LARGEST_IMAGE,
    accepts: (mediaType) => mediaType.startsWith("image/") || mediaType === "application/octet-stream",
    placed: (contents) => {
      const bytes = new Map(urls.map((url, index) => [url, contents[index]]))
      const placed = data.map((image) => {
        const { url, ...others } = image
        const found = isText(url) ? bytes.get(url) : undefined
        return found === undefined ? image : { ...others, b64_json: Buffer.from(found).toString("base64") }
      })
      return { ...rest, body: { ...body, data: placed }, text: undefined }
    }
  }
}

const dialect = (path: string, prefix: string): Dialect => ({
  lower: (call) => Result.succeed(lowered(call, path)),
  lift,
  remote: remoteImages,
  stream,
  replay: (answer, call) => replay(answer, call, prefix)
})

export const OpenAiImages = dialect("/images/generations", "image_generation")
export const OpenAiImageEdits = dialect("/images/edits", "image_edit")
export const OpenAiImageVariations = dialect("/images/variations", "image_variation")
