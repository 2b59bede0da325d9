/**
 * Relays a stream whose own last event says that it is complete and what it used: transcripts, speech. That event waits for the
 * settlement, and tells the cost.
 */
import { type ProviderFailure, truncated } from "../domain/Failures.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { Usage } from "../domain/Usage.ts"
import type { StreamEvent } from "./LiftedAnswer.ts"
import type { OperationStream } from "./Operation.ts"
import { nothing, type Produced } from "./ProducedText.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "./RoutingMetadata.ts"

/** After more unreadable events than this the stream is taken to be broken. */
const MAX_MALFORMED = 8

export interface LastEventShape {
  /** The text that an event with content adds to the answer; "" where that is no text. */
  readonly textOf: (data: string) => string
  /** A usage as its last event has it. */
  readonly usage: (usage: Usage) => JsonObject
}

export class LastEventRelay implements OperationStream {
  started = false
  usage: Usage | undefined
  readonly serviceTier = undefined
  failure: ProviderFailure | undefined
  private readonly shape: LastEventShape
  private text = ""
  private last: string | undefined
  private done = false
  private malformed = 0

  constructor(shape: LastEventShape) {
    this.shape = shape
  }

  get isOver(): boolean {
    return this.failure !== undefined || this.done
  }

  readonly produced = { all: (): Produced => ({ ...nothing, text: this.text }) }

  push(events: ReadonlyArray<StreamEvent>): string {
    let text = ""
    for (const event of events) {
      if (this.isOver) break
      switch (event.kind) {
        case "lifecycle":
        case "content":
          if (event.kind === "content") this.started = true
          this.text += this.shape.textOf(event.data)
          text += frame(event.data)
          break
        case "finish":
          this.started = true
          this.last = event.data
          break
        case "usage":
          this.usage = event.usage
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

  close(): void {
    if (this.last === undefined) this.failure ??= truncated("the provider's stream ended before the answer did")
  }

  ending(metadata: RoutingMetadata, usage: Usage): string {
    const last = JSON.parse(this.last ?? "{}") as JsonObject
    const told = (last["usage"] as JsonObject | null | undefined) ?? this.shape.usage(usage)
    return frame(
      JSON.stringify({ ...last, usage: { ...told, cost: costInUsd(metadata) }, gateway: gatewayObject(metadata) })
    )
  }
}

const frame = (data: string): string => `data: ${data}\n\n`
