/** Relays a stream whose last event has the usage (transcripts, speech). It waits for the settlement and tells the cost. */
import type { JsonObject } from "../domain/Json.ts"
import type { Usage } from "../domain/Usage.ts"
import { EventRelay } from "./EventRelay.ts"
import { nothing, type Produced } from "./ProducedText.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "./RoutingMetadata.ts"

export interface LastEventShape {
  /** The text that an event with content adds to the response; "" where that is no text. */
  readonly textOf: (data: string) => string
  /** A usage as its last event has it. */
  readonly usage: (usage: Usage) => JsonObject
}

export class LastEventRelay extends EventRelay {
  private readonly shape: LastEventShape
  private text = ""
  private last: string | undefined

  constructor(shape: LastEventShape) {
    super()
    this.shape = shape
  }

  readonly produced = { all: (): Produced => ({ ...nothing, text: this.text }) }

  protected get isComplete(): boolean {
    return this.last !== undefined
  }

  protected lifecycle(data: string): string {
    this.text += this.shape.textOf(data)
    return frame(data)
  }

  protected content(data: string): string {
    return this.lifecycle(data)
  }

  protected finish(data: string): string {
    this.last = data
    return ""
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
