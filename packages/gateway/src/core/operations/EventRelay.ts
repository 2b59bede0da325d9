/**
 * Relays one streamed response, event by event. What all operations share: the order of states, the usage, failures, and events that
 * can't be read. An operation says what to do with what it is given to show, and with the event that ends the response.
 */
import { type ProviderFailure, truncated } from "../domain/Failures.ts"
import type { Usage } from "../domain/Usage.ts"
import type { StreamEvent } from "./LiftedAnswer.ts"
import type { OperationStream } from "./Operation.ts"
import type { Produced } from "./ProducedText.ts"
import type { RoutingMetadata } from "./RoutingMetadata.ts"

/** After more unreadable events than this the stream is taken to be broken. */
const MAX_MALFORMED = 8

/** Answers name their model before anything that a caller or a model writes; a quote inside a text is escaped. */
const modelIn = (data: string): string | undefined => /"model(?:Version)?":\s?"([^"\\]{1,200})"/.exec(data)?.[1]
const idIn = (data: string): string | undefined =>
  (/"responseId":\s?"([^"\\]{1,200})"/.exec(data) ?? /"id":\s?"([^"\\]{1,200})"/.exec(data))?.[1]
const finishIn = (data: string): string | undefined =>
  /"(?:finish_reason|stop_reason|finishReason)":\s?"(\w{1,60})"|"type":\s?"response\.(completed|incomplete)"/
    .exec(data)
    ?.slice(1)
    .find((reason) => reason !== undefined)

export abstract class EventRelay implements OperationStream {
  /** The first content has come, or the end. From here on the caller sees the stream, and it can't fail over. */
  started = false
  usage: Usage | undefined
  /** The tier that the provider reports. */
  serviceTier: string | undefined
  /** The model that the provider names. */
  model: string | undefined
  /** The id that the provider gave the response. */
  id: string | undefined
  /** Why each choice ended, as the response says it. */
  readonly finishReasons: Array<string> = []
  failure: ProviderFailure | undefined
  abstract readonly produced: { readonly all: () => Produced }
  /** The provider's end mark has come. */
  protected done = false
  private malformed = 0

  /** Nothing more is needed from the upstream. */
  get isOver(): boolean {
    return this.failure !== undefined || this.done
  }

  /** Takes events; returns the server-sent events to write now, "" for none. */
  push(events: ReadonlyArray<StreamEvent>): string {
    let text = ""
    for (const event of events) {
      if (this.isOver) break
      switch (event.kind) {
        case "lifecycle":
          this.model ??= modelIn(event.data)
          this.id ??= idIn(event.data)
          text += this.lifecycle(event.data)
          break
        case "content":
          text += this.content(event.data, event.said)
          this.started = true
          break
        case "finish":
          this.model ??= modelIn(event.data)
          this.id ??= idIn(event.data)
          this.finishedBy(finishIn(event.data))
          text += this.finish(event.data)
          this.started = true
          break
        case "usage":
          this.usage = event.usage
          this.serviceTier = event.serviceTier
          this.told(event.data)
          break
        case "failed":
          this.failure = event.failure
          break
        case "malformed":
          if (++this.malformed > MAX_MALFORMED) this.failure = truncated("the provider sent events that can't be read")
          break
        case "done":
          this.done = true
          break
      }
    }
    return text
  }

  private finishedBy(reason: string | undefined): void {
    if (reason !== undefined) this.finishReasons.push(reason)
  }

  /** The upstream closed the stream. */
  close(): void {
    if (!this.isComplete) this.failure ??= truncated("the provider's stream ended before the response was complete")
  }

  abstract ending(metadata: RoutingMetadata, usage: Usage): string

  /** The event that ends the response has come. */
  protected abstract get isComplete(): boolean
  /** Each returns the text to write now. What waits for the settlement is held. */
  protected abstract lifecycle(data: string): string
  /** `said`: of a content event. */
  protected abstract content(data: string, said?: string): string
  protected abstract finish(data: string): string
  /** The event that told the usage, for operations that show it. */
  protected told(_data: string): void {}
}
