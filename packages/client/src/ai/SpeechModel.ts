/** Texts read aloud, as a model of the AI SDK. */
import type { SpeechModelV4 } from "@ai-sdk/provider"
import type { Gateway } from "../Gateway.ts"
import { metadataOf, thrown } from "./Answer.ts"
import { ownOptions } from "./Request.ts"

type Speak = SpeechModelV4["doGenerate"]

/** OpenAI's API takes no request without one, and the AI SDK's may have none. */
const ANY_VOICE = "alloy"

export class SpeechModel implements SpeechModelV4 {
  readonly specificationVersion = "v4"
  readonly provider = "gateway.speech"
  readonly modelId: string
  readonly #gateway: Gateway

  constructor(gateway: Gateway, modelId: string) {
    this.#gateway = gateway
    this.modelId = modelId
  }

  async doGenerate(call: Parameters<Speak>[0]): Promise<Awaited<ReturnType<Speak>>> {
    const { fields, options } = ownOptions(call)
    const { instructions, language, outputFormat, speed, text, voice = ANY_VOICE } = call
    const body = {
      model: this.modelId,
      input: text,
      voice,
      response_format: outputFormat,
      speed,
      instructions,
      ...fields
    }
    try {
      const { data, response } = await this.#gateway.audio.speech.create(body, options).withResponse()
      return {
        audio: await data.bytes(),
        providerMetadata: metadataOf(data.gateway),
        response: { timestamp: new Date(), modelId: this.modelId, headers: Object.fromEntries(response.headers) },
        warnings: language === undefined ? [] : [{ type: "unsupported", feature: "language" }]
      }
    } catch (error) {
      throw thrown(error, `${this.#gateway.baseUrl}/v1/audio/speech`, body)
    }
  }
}
