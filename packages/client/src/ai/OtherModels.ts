/** Vectors, pictures and transcripts as models of the AI SDK. */
import type { EmbeddingModelV4, ImageModelV4, JSONObject, TranscriptionModelV4 } from "@ai-sdk/provider"
import { UnsupportedFunctionalityError } from "@ai-sdk/provider"
import { InvalidAnswerError } from "../Errors.ts"
import type { Gateway } from "../Gateway.ts"
import { metadataOf, thrown } from "./Answer.ts"
import { ownOptions } from "./Request.ts"

type Embed = EmbeddingModelV4["doEmbed"]

export class EmbeddingModel implements EmbeddingModelV4 {
  readonly specificationVersion = "v4"
  readonly provider = "gateway.embedding"
  readonly maxEmbeddingsPerCall = 2048
  readonly supportsParallelCalls = true
  readonly modelId: string
  readonly #gateway: Gateway

  constructor(gateway: Gateway, modelId: string) {
    this.#gateway = gateway
    this.modelId = modelId
  }

  async doEmbed(call: Parameters<Embed>[0]): Promise<Awaited<ReturnType<Embed>>> {
    const { fields, options } = ownOptions(call)
    const body = {
      model: this.modelId,
      input: call.values,
      encoding_format: "float",
      dimensions: call.dimensions,
      ...fields
    } as const
    try {
      const { data, response } = await this.#gateway.embeddings.create(body, options).withResponse()
      const { gateway, ...answer } = data
      const vectors = data.data.map(({ embedding }) => embedding)
      if (vectors.some((vector) => typeof vector === "string")) {
        throw new InvalidAnswerError("Vectors came as base64, which nobody asked for.")
      }
      return {
        embeddings: vectors as Array<Array<number>>,
        usage: { tokens: data.usage.prompt_tokens },
        providerMetadata: metadataOf(gateway),
        response: { headers: Object.fromEntries(response.headers), body: answer },
        warnings: []
      }
    } catch (error) {
      throw thrown(error, `${this.#gateway.baseUrl}/v1/embeddings`, body)
    }
  }
}

type Picture = ImageModelV4["doGenerate"]
type PictureCall = Parameters<Picture>[0]

export class ImageModel implements ImageModelV4 {
  readonly specificationVersion = "v4"
  readonly provider = "gateway.image"
  readonly maxImagesPerCall = 10
  readonly supportsFileInputs = true
  readonly supportsMaskInputs = true
  readonly modelId: string
  readonly #gateway: Gateway

  constructor(gateway: Gateway, modelId: string) {
    this.#gateway = gateway
    this.modelId = modelId
  }

  async doGenerate(call: PictureCall): Promise<Awaited<ReturnType<Picture>>> {
    const { fields, options } = ownOptions(call)
    const body = { model: this.modelId, prompt: call.prompt ?? "", n: call.n, size: call.size, ...fields }
    const files = call.files ?? []
    try {
      const made = await (
        files.length === 0
          ? this.#gateway.images.generate({ ...body, response_format: "b64_json" }, options)
          : this.#gateway.images.edit({ ...body, ...uploads(files, call.mask) }, options)
      ).withResponse()
      const { data, gateway } = made.data
      const images = data.flatMap(({ b64_json: image }) => (typeof image === "string" ? [image] : []))
      if (images.length < data.length || images.length === 0) throw new InvalidAnswerError("The answer has no picture.")
      return {
        images,
        providerMetadata: gateway === undefined ? {} : { gateway: { images: images.map(() => null), ...gateway } },
        response: { timestamp: new Date(), modelId: this.modelId, headers: Object.fromEntries(made.response.headers) },
        warnings: unsaid(call)
      }
    } catch (error) {
      throw thrown(error, `${this.#gateway.baseUrl}/v1/images`, body)
    }
  }
}

const unsaid = ({ aspectRatio, seed }: PictureCall) =>
  Object.entries({ aspectRatio, seed }).flatMap(([feature, value]) =>
    value === undefined ? [] : [{ type: "unsupported" as const, feature }]
  )

type PictureFile = NonNullable<PictureCall["files"]>[number]

const uploads = (files: ReadonlyArray<PictureFile>, mask: PictureFile | undefined) => ({
  image: files.map(upload),
  ...(mask === undefined ? {} : { mask: upload(mask) })
})

const upload = (file: PictureFile) => {
  if (file.type === "url") throw new UnsupportedFunctionalityError({ functionality: "pictures by their address" })
  return { data: new Blob([bytesOf(file.data)]), type: file.mediaType, name: `image.${extension(file.mediaType)}` }
}

const bytesOf = (data: Uint8Array | string): Uint8Array<ArrayBuffer> =>
  typeof data === "string" ? Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)) : new Uint8Array(data)

/** `audio/mpeg` is what everybody calls `.mp3`. */
const extension = (mediaType: string): string => {
  const [, name = "bin"] = mediaType.split(";")[0]?.split("/") ?? []
  return ({ mpeg: "mp3", "x-wav": "wav", mp4: "m4a", "x-m4a": "m4a" } as Record<string, string>)[name] ?? name
}

type Transcribe = TranscriptionModelV4["doGenerate"]

export class TranscriptionModel implements TranscriptionModelV4 {
  readonly specificationVersion = "v4"
  readonly provider = "gateway.transcription"
  readonly modelId: string
  readonly #gateway: Gateway

  constructor(gateway: Gateway, modelId: string) {
    this.#gateway = gateway
    this.modelId = modelId
  }

  async doGenerate(call: Parameters<Transcribe>[0]): Promise<Awaited<ReturnType<Transcribe>>> {
    const { fields, options } = ownOptions(call)
    const file = { data: bytesOf(call.audio), type: call.mediaType, name: `audio.${extension(call.mediaType)}` }
    const body = { model: this.modelId, file, ...fields }
    try {
      const { data, response } = await this.#gateway.audio.transcriptions.create(body, options).withResponse()
      const { gateway, ...answer } = data
      return {
        text: data.text,
        segments: timed(data["segments"], "text"),
        words: timed(data["words"], "word"),
        language: typeof data["language"] === "string" ? data["language"] : undefined,
        durationInSeconds: typeof data["duration"] === "number" ? data["duration"] : undefined,
        warnings: [],
        ...(data.usage === undefined ? {} : { usage: data.usage as JSONObject }),
        response: {
          timestamp: new Date(),
          modelId: this.modelId,
          headers: Object.fromEntries(response.headers),
          body: answer
        },
        providerMetadata: metadataOf(gateway)
      }
    } catch (error) {
      throw thrown(error, `${this.#gateway.baseUrl}/v1/audio/transcriptions`, fields)
    }
  }
}

/** `verbose_json` says when each piece was said. */
const timed = (list: unknown, text: "text" | "word") =>
  (Array.isArray(list) ? list : []).flatMap((piece: Record<string, unknown>) =>
    typeof piece["start"] === "number" && typeof piece["end"] === "number"
      ? [{ text: String(piece[text]), startSecond: piece["start"], endSecond: piece["end"] }]
      : []
  )
