export type { BytesAnswer, Call } from "./Call.ts"
export type { ChatStream, CompletionStream } from "./api/Chat.ts"
export type { PictureStream, SpeechStream, TranscriptAnswer, TranscriptStream } from "./api/Media.ts"
export type { Parsed, ParseRequest, StandardSchema } from "./api/Parse.ts"
export type { MessageStream, ResponseStream, TextResponse } from "./api/Responses.ts"
export type { Answered, Decision } from "./Decision.ts"
export {
  AuthenticationError,
  BadRequestError,
  BudgetExceededError,
  ConfigurationError,
  ConnectionError,
  GatewayError,
  InvalidAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StreamInterruptedError,
  TimeoutError,
  UpstreamError
} from "./Errors.ts"
export { Gateway, type OpenAiOptions } from "./Gateway.ts"
export type { Page, Pages } from "./Pages.ts"
export type { CacheOptions, CallOptions, GatewayOptions } from "./Settings.ts"
export type { CompletionChunk } from "./stream/ChatCollector.ts"
export type { TypedEvent } from "./stream/EventCollectors.ts"
export type { GatewayStream } from "./stream/GatewayStream.ts"
export type { Upload } from "./Upload.ts"
export { VERSION } from "./Version.ts"
export type * from "./wire/Administration.ts"
export type * from "./wire/Audio.ts"
export type * from "./wire/Deployments.ts"
export type * from "./wire/Images.ts"
export type * from "./wire/Inference.ts"
export type * from "./wire/Keys.ts"
export type * from "./wire/Messages.ts"
export type * from "./wire/Models.ts"
export type { Operations } from "./wire/Operations.ts"
export type * from "./wire/Queries.ts"
export type * from "./wire/Receipts.ts"
export type * from "./wire/Responses.ts"
export type * from "./wire/Routing.ts"
export type * from "./wire/Traffic.ts"
