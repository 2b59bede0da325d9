/** The gateway as a provider of Vercel's AI SDK; `providerMetadata.gateway` has the decision and the cost. */
import type {
  EmbeddingModelV4,
  ImageModelV4,
  LanguageModelV4,
  ProviderV4,
  RerankingModelV4,
  SharedV4ProviderMetadata,
  SpeechModelV4,
  TranscriptionModelV4
} from "@ai-sdk/provider"
import type { Decision } from "../Decision.ts"
import { Gateway } from "../Gateway.ts"
import type { GatewayOptions } from "../Settings.ts"
import { ChatModel } from "./ChatModel.ts"
import { EmbeddingModel, ImageModel, TranscriptionModel } from "./OtherModels.ts"
import { RankingModel } from "./RankingModel.ts"
import { SpeechModel } from "./SpeechModel.ts"

export type { Decision } from "../Decision.ts"

export interface GatewayProvider extends ProviderV4 {
  /** A language model: `provider("auto")`. */
  (modelId: string): LanguageModelV4
  readonly languageModel: (modelId: string) => LanguageModelV4
  readonly embeddingModel: (modelId: string) => EmbeddingModelV4
  readonly imageModel: (modelId: string) => ImageModelV4
  readonly transcriptionModel: (modelId: string) => TranscriptionModelV4
  readonly speechModel: (modelId: string) => SpeechModelV4
  readonly rerankingModel: (modelId: string) => RerankingModelV4
}

/** With the options of `Gateway`, or one that is there already. */
export const createGateway = (options: GatewayOptions | Gateway = {}): GatewayProvider => {
  const gateway = options instanceof Gateway ? options : new Gateway(options)
  const languageModel = (modelId: string) => new ChatModel(gateway, modelId)
  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: "v4" as const,
    languageModel,
    embeddingModel: (modelId: string) => new EmbeddingModel(gateway, modelId),
    imageModel: (modelId: string) => new ImageModel(gateway, modelId),
    transcriptionModel: (modelId: string) => new TranscriptionModel(gateway, modelId),
    speechModel: (modelId: string) => new SpeechModel(gateway, modelId),
    rerankingModel: (modelId: string) => new RankingModel(gateway, modelId)
  })
}

/** The decision in an answer's `providerMetadata`; undefined where another server answered. */
export const gatewayDecision = (
  answer: { readonly providerMetadata?: SharedV4ProviderMetadata | undefined } | undefined
): Decision | undefined => answer?.providerMetadata?.["gateway"] as Decision | undefined
