/** What a caller can ask for, and how its answers carry the decision and the cost. */
import type { ProviderFailure } from "../domain/Failures.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { Usage } from "../domain/Usage.ts"
import type { Result } from "effect"
import type { ContentView } from "@model-gateway/protocol"
import type { InvalidField } from "../domain/Errors.ts"
import type { CallRequest } from "./CallRequest.ts"
import type { RequestBody } from "./RequestBody.ts"
import type { LiftedAnswer, BinaryAnswer, StreamEvent } from "./LiftedAnswer.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { Produced } from "./ProducedText.ts"
import type { RoutingMetadata } from "./RoutingMetadata.ts"

export interface Operation {
  readonly name: OperationName
  /** The path of its endpoint, in canonical spelling. */
  readonly path: string
  /** What its requests are: `either` is told by the content type. Left out: JSON. */
  readonly accepts?: RequestBody["kind"] | "either"
  /** The operation whose bodies its requests are read into. Left out: they stay in its own. */
  readonly readAs?: OperationName
  /** Where its requests, as they were read, and its responses have their texts. */
  readonly content: ContentView
  /** Reads a request leniently: unknown fields pass. An error names the field and what would be right. */
  readonly read: (body: RequestBody) => Result.Result<CallRequest, InvalidField>
  /** The text of a complete response, to estimate its usage where the provider reports none. */
  readonly produced: (body: JsonObject) => Produced
  /** A complete response with decision and cost where its shape has a place; `usage` if the provider reported none. */
  readonly withMetadata: (
    answer: LiftedAnswer,
    usage: Usage,
    metadata: RoutingMetadata,
    request: CallRequest
  ) => string | BinaryAnswer
  readonly relay: (request: CallRequest) => OperationStream
}

export interface OperationStream {
  /** The first content has come. From here on the caller sees the stream, and it can't fail over. */
  readonly started: boolean
  readonly usage: Usage | undefined
  readonly serviceTier: string | undefined
  readonly model?: string | undefined
  readonly id?: string | undefined
  readonly finishReasons?: ReadonlyArray<string>
  failure: ProviderFailure | undefined
  /** Nothing more is needed from the upstream. */
  readonly isOver: boolean
  readonly produced: { readonly all: () => Produced }
  /** Takes events; returns the text to write now, "" for none. */
  push(events: ReadonlyArray<StreamEvent>): string
  close(): void
  /** The text that was held for the settlement, with decision and cost added. */
  ending(metadata: RoutingMetadata, usage: Usage): string
  /** The end of a stream that broke off; left out: one error event. */
  broken?(error: BrokenBy): string | undefined
  /** The complete response, before `ending`; for operations whose answers may be kept. */
  answer?(usage: Usage): JsonObject
}

/** Why a stream broke off, in the words for its caller. */
export interface BrokenBy {
  readonly message: string
  readonly code: string | null
  readonly param: string | null
}
