/**
 * Relays a stream of images: previews go on at once. The event with the complete image waits for the settlement and tells the cost;
 * of several, the last one.
 */
import type { JsonObject } from "../../domain/Json.ts"
import { type ProviderFailure, truncated } from "../../domain/Failures.ts"
import type { Usage } from "../../domain/Usage.ts"
import type { StreamEvent } from "../LiftedAnswer.ts"
import type { OperationStream } from "../Operation.ts"
import { nothing } from "../ProducedText.ts"
import type { RoutingMetadata } from "../RoutingMetadata.ts"
import { withReport } from "./ImagesAnswer.ts"

/** After more unreadable events than this the stream is taken to be broken. */
const MAX_MALFORMED = 8

export class ImagesRelay implements OperationStream {
  started = false
  usage: Usage | undefined
  readonly serviceTier = undefined
  failure: ProviderFailure | undefined
  readonly produced = { all: () => nothing }
  /** `image_generation` or `image_edit`: how the types of its events begin. */
  private readonly prefix: string
  private held: string | undefined
  private done = false
  private malformed = 0

  constructor(prefix: string) {
    this.prefix = prefix
  }

  /** The usage comes after the last image. */
  get isOver(): boolean {
    return this.failure !== undefined || this.done || this.usage !== undefined
  }

  push(events: ReadonlyArray<StreamEvent>): string {
    let text = ""
    for (const event of events) {
      if (this.isOver) break
      switch (event.kind) {
        case "lifecycle":
          text += `data: ${event.data}\n\n`
          break
        case "content":
          this.started = true
          text += this.frame("partial_image", event.data)
          break
        case "finish":
          this.started = true
          if (this.held !== undefined) text += this.frame("completed", this.held)
          this.held = event.data
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
    if (this.held === undefined) this.failure ??= truncated("the provider's stream ended before the image was complete")
  }

  ending(report: RoutingMetadata): string {
    const last = JSON.parse(this.held ?? "{}") as JsonObject
    return this.frame("completed", JSON.stringify(withReport(last, report)))
  }

  private frame(type: string, data: string): string {
    return `event: ${this.prefix}.${type}\ndata: ${data}\n\n`
  }
}
