/**
 * Relays a streamed response: the order of states, usage, failures and unreadable events. An operation handles content and the
 * last event.
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
  started = false
  usage: Usage | undefined
  serviceTier: string | undefined
  model: string | undefined
  id: string | undefined
  /** Why each choice ended, as the response says it. */
  readonly finishReasons: Array<string> = []
  failure: ProviderFailure | undefined
  abstract readonly produced: { readonly all: () => Produced }
  /** The provider's end mark has come. */
  protected done = false
  private malformed = 0

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

  close(): void {
    if (!this.isComplete) this.failure ??= truncated("the provider's stream ended before the response was complete")
  }

  abstract ending(metadata: RoutingMetadata, usage: Usage): string

  protected abstract get isComplete(): boolean
  /** Each returns the text to write now. What waits for the settlement is held. */
  protected abstract lifecycle(data: string): string
  /** `said`: of a content event. */
  protected abstract content(data: string, said?: string): string
  protected abstract finish(data: string): string
  /** The event that told the usage, for operations that show it. */
  protected told(_data: string): void {}
}
