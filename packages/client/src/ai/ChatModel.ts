/** Chat as a language model of the AI SDK. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult
} from "@ai-sdk/provider"
import { InvalidAnswerError } from "../Errors.ts"
import type { Gateway } from "../Gateway.ts"
import { contentOf, finishOf, metadataOf, thrown, usageOf } from "./Answer.ts"
import { ChatParts } from "./ChatParts.ts"
import { chatRequest } from "./Request.ts"

export class ChatModel implements LanguageModelV4 {
  readonly specificationVersion = "v4"
  readonly provider = "gateway.chat"
  readonly modelId: string
  /** Providers fetch pictures by their addresses; where one can't, the gateway does. */
  readonly supportedUrls = { "image/*": [/^https?:\/\//] }
  readonly #gateway: Gateway

  constructor(gateway: Gateway, modelId: string) {
    this.#gateway = gateway
    this.modelId = modelId
  }

  async doGenerate(call: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { body, options, warnings } = chatRequest(this.modelId, call)
    try {
      const { data, response } = await this.#gateway.chat.completions.create(body, options).withResponse()
      const { gateway, ...answer } = data
      if (answer.choices[0] === undefined) throw new InvalidAnswerError("The answer has no choice.")
      return {
        content: contentOf(data),
        finishReason: finishOf(answer.choices[0].finish_reason),
        usage: usageOf(answer.usage),
        providerMetadata: metadataOf(gateway),
        request: { body },
        response: {
          id: data.id,
          modelId: data.model,
          timestamp: new Date(1000 * data.created),
          headers: Object.fromEntries(response.headers),
          body: answer
        },
        warnings
      }
    } catch (error) {
      throw thrown(error, this.#url, body)
    }
  }

  async doStream(call: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { body, options, warnings } = chatRequest(this.modelId, call)
    try {
      const chunks = await this.#gateway.chat.completions.stream(body, options)
      const parts = new ChatParts(chunks, warnings, call.includeRawChunks === true)
      return {
        stream: parts.stream(),
        request: { body },
        response: { headers: Object.fromEntries(chunks.response.headers) }
      }
    } catch (error) {
      throw thrown(error, this.#url, body)
    }
  }

  get #url(): string {
    return `${this.#gateway.baseUrl}/v1/chat/completions`
  }
}
