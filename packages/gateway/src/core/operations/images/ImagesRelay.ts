/**
 * Relays a stream of images: previews go on at once. The event with the complete image waits for the settlement and tells the cost;
 * of several, the last one.
 */
import type { JsonObject } from "../../domain/Json.ts"
import { EventRelay } from "../EventRelay.ts"
import { nothing } from "../ProducedText.ts"
import type { RoutingMetadata } from "../RoutingMetadata.ts"
import { withReport } from "./ImagesAnswer.ts"

export class ImagesRelay extends EventRelay {
  readonly produced = { all: () => nothing }
  /** `image_generation` or `image_edit`: how the types of its events begin. */
  private readonly prefix: string
  private held: string | undefined

  constructor(prefix: string) {
    super()
    this.prefix = prefix
  }

  /** The usage comes after the last image. */
  override get isOver(): boolean {
    return super.isOver || this.usage !== undefined
  }

  protected get isComplete(): boolean {
    return this.held !== undefined
  }

  protected lifecycle(data: string): string {
    return `data: ${data}\n\n`
  }

  protected content(data: string): string {
    return this.frame("partial_image", data)
  }

  protected finish(data: string): string {
    const text = this.held === undefined ? "" : this.frame("completed", this.held)
    this.held = data
    return text
  }

  ending(report: RoutingMetadata): string {
    const last = JSON.parse(this.held ?? "{}") as JsonObject
    return this.frame("completed", JSON.stringify(withReport(last, report)))
  }

  private frame(type: string, data: string): string {
    return `event: ${this.prefix}.${type}\ndata: ${data}\n\n`
  }
}
