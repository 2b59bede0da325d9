/** Images: made from a text, changed, varied. */
import { imagesContent } from "@model-gateway/protocol"
import { Predicate, Result } from "effect"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { type CallRequest, unwritten } from "../CallRequest.ts"
import { EventRelay } from "../EventRelay.ts"
import { withFlag } from "../FormFields.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readFlag, readOptionalModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import type { RequestBody } from "../RequestBody.ts"
import { found, given, isCount } from "../RequestScan.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { imageBilling } from "./ImageBilling.ts"
import { DIMENSIONS, imageScale } from "./ImageScale.ts"

/** Relays a stream of images. The last complete image waits for the settlement and tells the cost. */
class ImagesRelay extends EventRelay {
  readonly produced = { all: () => nothing }
  /** `image_generation` or `image_edit`: how the types of its events begin. */
  private readonly prefix: string
  private held: string | undefined

  constructor(prefix: string) {
    super()
    this.prefix = prefix
  }

  /** The usage comes after the last image. */
  override get isOver(): boolean {
    return super.isOver || this.usage !== undefined
  }

  protected get isComplete(): boolean {
    return this.held !== undefined
  }

  protected lifecycle(data: string): string {
    return `data: ${data}\n\n`
  }

  protected content(data: string): string {
    return this.frame("partial_image", data)
  }

  protected finish(data: string): string {
    const text = this.held === undefined ? "" : this.frame("completed", this.held)
    this.held = data
    return text
  }

  ending(report: RoutingMetadata): string {
    const last = JSON.parse(this.held ?? "{}") as JsonObject
    return this.frame("completed", JSON.stringify(withReport(last, report)))
  }

  private frame(type: string, data: string): string {
    return `event: ${this.prefix}.${type}\ndata: ${data}\n\n`
  }
}

/** A complete response of images for the caller, with decision and cost. Images are long, so the provider's text stays where it can. */
const imagesAnswer = ({ body, text }: LiftedAnswer, report: RoutingMetadata): string => {
  const { usage } = body
  if (text !== undefined && !("gateway" in body) && !Predicate.isObject(usage)) {
    return `${text.slice(0, text.lastIndexOf("}"))},"gateway":${JSON.stringify(gatewayObject(report))}}`
  }
  return JSON.stringify(withReport(body, report))
}

/** Only a usage that the provider told has a place for the cost: made up, it would lack what the vendor's shape requires. */
const withReport = (body: JsonObject, report: RoutingMetadata): JsonObject => ({
  ...body,
  ...(Predicate.isObject(body["usage"]) ? { usage: { ...body["usage"], cost: costInUsd(report) } } : undefined),
  gateway: gatewayObject(report)
})

// Reads requests for images leniently: unknown fields pass, and empty ones count as absent. In forms numbers are texts.

const MAX_IMAGES = 10
const MAX_PARTIALS = 3
/** Tokens that an API adds around the prompt, and for each image that comes with it. */
const FRAME_TOKENS = 128

type ReadImageRequest = (body: RequestBody) => Result.Result<CallRequest, InvalidField>

const readGeneration: ReadImageRequest = (body) =>
  body.kind === "json" ? readImages(body, { hasPrompt: true, mayStream: true, sources: 0 }) : notJson()

const readEdit: ReadImageRequest = (body) =>
  Result.flatMap(sourcesOf(body), (sources) => readImages(body, { hasPrompt: true, mayStream: true, sources }))

const readVariation: ReadImageRequest = (body) =>
  body.kind === "form"
    ? Result.flatMap(sourcesOf(body), (sources) => readImages(body, { hasPrompt: false, mayStream: false, sources }))
    : wrong("image", "the body must be a form (multipart/form-data) with a file in `image`")

/** How many images come with the request, the mask included. */
const sourcesOf = (body: RequestBody): Result.Result<number, InvalidField> => {
  if (body.kind === "form") {
    const images = body.files.filter(({ field }) => field === "image")
    if (images.length === 0) return wrong("image", "the form must have a file in `image`, a part with a `filename`")
    const empty = body.files.find(({ size }) => size === 0)
    return empty === undefined
      ? Result.succeed(body.files.length)
      : wrong(empty.field, `the file in \`${empty.field}\` must not be empty`)
  }
  const fields = body.value
  if (!Predicate.isObject(fields)) return wrong("body", "the body must be a JSON object, or a form with files")
  const { images } = fields
  if (!Array.isArray(images) || images.length === 0) {
    return wrong("images", `\`images\` must be a list of at least one \`{"image_url": …}\`, ${found(images)}`)
  }
  for (const [index, image] of images.entries()) {
    if (!Predicate.isObject(image))
      return wrong(`images[${index}]`, `\`images[${index}]\` must be an object, ${found(image)}`)
  }
  return Result.succeed(images.length + (given(fields["mask"]) === undefined ? 0 : 1))
}

interface ImageRequestRules {
  readonly hasPrompt: boolean
  readonly mayStream: boolean
  readonly sources: number
}

const readImages = (body: RequestBody, { hasPrompt, mayStream, sources }: ImageRequestRules) =>
  Result.gen(function* () {
    const value = body.kind === "form" ? withFlag(body.fields, "stream") : body.value
    if (!Predicate.isObject(value)) return yield* wrong("body", "the body must be a JSON object")
    const fields = value
    const model = yield* readOptionalModel(fields)
    const prompt = given(fields["prompt"])
    if (hasPrompt && typeof prompt !== "string") {
      return yield* wrong("prompt", `\`prompt\` must say what the image shows, ${found(prompt)}`)
    }
    const stream = (yield* readFlag(fields, "stream")) ?? false
    if (stream && !mayStream) return yield* wrong("stream", "variations are not streamed: leave `stream` out")
    const format = given(fields["response_format"])
    if (format !== undefined && format !== "url" && format !== "b64_json") {
      return yield* wrong("response_format", `\`response_format\` must be "url" or "b64_json", ${found(format)}`)
    }
    const choices = yield* count(fields, "n", 1, MAX_IMAGES)
    const partials = yield* count(fields, "partial_images", 0, MAX_PARTIALS)
    for (const name of DIMENSIONS) yield* dimension(fields, name)
    yield* text(fields, "resolution")
    const scale = imageScale(fields)
    const size = (yield* text(fields, "size")) ?? scale.size
    const quality = yield* text(fields, "quality")
    const said = typeof prompt === "string" ? prompt : ""
    const textBound = Buffer.byteLength(said) + FRAME_TOKENS * (1 + sources)
    return {
      body: fields,
      ...(body.kind === "form" ? { files: body.files } : undefined),
      ...(body.kind === "json" && body.long !== undefined ? { long: body.long } : undefined),
      ...unwritten,
      contents: "prompt",
      model,
      stream,
      needs: stream ? ["stream"] : [],
      textBound,
      choices,
      billing: imageBilling({
        images: choices,
        partials: stream ? partials : 0,
        size,
        quality,
        scale,
        sources,
        isFaithful: fields["input_fidelity"] === "high",
        prompt: said,
        textBound
      })
    } satisfies CallRequest as CallRequest
  })

/** A whole number, `least` where it is absent. */
const count = (fields: JsonObject, name: string, least: number, most: number): Result.Result<number, InvalidField> => {
  const value = given(fields[name]) ?? least
  const number = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isInteger(number) && number >= least && number <= most
    ? Result.succeed(number)
    : wrong(name, `\`${name}\` must be a whole number from ${least} to ${most}, ${found(value)}`)
}

/** A whole number of pixels or steps, if it is there. */
const dimension = (fields: JsonObject, name: string): Result.Result<void, InvalidField> => {
  const value = given(fields[name])
  const number = typeof value === "string" && /^\d{1,5}$/.test(value) ? Number(value) : value
  return number === undefined || (isCount(number) && number <= 99_999)
    ? Result.succeed(undefined)
    : wrong(name, `\`${name}\` must be a whole number from 1 to 99999, ${found(value)}`)
}

const text = (fields: JsonObject, name: string): Result.Result<string | undefined, InvalidField> => {
  const value = given(fields[name])
  return value === undefined || typeof value === "string"
    ? Result.succeed(value)
    : wrong(name, `\`${name}\` must be a text, ${found(value)}`)
}

const shared = {
  content: imagesContent,
  produced: () => nothing,
  withMetadata: (answer, _usage, report) => imagesAnswer(answer, report)
} satisfies Partial<Operation>

export const images: Operation = {
  ...shared,
  name: "images",
  path: "/v1/images/generations",
  read: readGeneration,
  relay: () => new ImagesRelay("image_generation")
}

export const imageEdits: Operation = {
  ...shared,
  name: "image_edits",
  path: "/v1/images/edits",
  accepts: "either",
  read: readEdit,
  relay: () => new ImagesRelay("image_edit")
}

export const imageVariations: Operation = {
  ...shared,
  name: "image_variations",
  path: "/v1/images/variations",
  accepts: "form",
  read: readVariation,
  relay: () => new ImagesRelay("image_variation")
}
