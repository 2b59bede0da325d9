/** What a caller can ask for, and how the decision and the cost ride on its answers. */
import type { ProviderFailure } from "../domain/Failures.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { Usage } from "../domain/Usage.ts"
import type { ChatRequest } from "./ChatRequest.ts"
import type { LiftedAnswer, StreamEvent } from "./LiftedAnswer.ts"
import type { OperationName } from "./OperationName.ts"
import type { Produced } from "./ProducedText.ts"
import type { RoutingMetadata } from "./RoutingMetadata.ts"

export interface Operation {
  readonly name: OperationName
  /** Of its endpoint, in its usual spelling. */
  readonly path: string
  /** What a whole answer says, for the case that nobody counted it. */
  readonly produced: (body: JsonObject) => Produced
  /** The body of a whole answer with the decision and the cost in it. `usage` is told where the provider did not. */
  readonly withMetadata: (answer: LiftedAnswer, usage: Usage, metadata: RoutingMetadata) => string
  readonly relay: (request: ChatRequest) => OperationStream
}

/** One streamed answer on its way to the caller. */
export interface OperationStream {
  /** The first content has come: from here on the caller sees it, and no other deployment can. */
  readonly started: boolean
  readonly usage: Usage | undefined
  readonly serviceTier: string | undefined
  failure: ProviderFailure | undefined
  /** Nothing more is wanted of the upstream. */
  readonly isOver: boolean
  readonly produced: { readonly all: () => Produced }
  /** Takes events in: what to write now, "" for nothing. */
  readonly push: (events: ReadonlyArray<StreamEvent>) => string
  /** The upstream closed. */
  readonly close: () => void
  /** What waits for the settlement, with the decision and the cost in it. */
  readonly ending: (metadata: RoutingMetadata, usage: Usage) => string
}
