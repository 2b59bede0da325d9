/** Relays one streamed message. Its last `message_delta` waits for the settlement and tells the exact cost. */
import type { JsonObject } from "../../domain/Json.ts"
import type { Usage } from "../../domain/Usage.ts"
import { EventRelay } from "../EventRelay.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { ProducedMessage } from "./ProducedMessage.ts"
import { wireUsage } from "./MessagesWireUsage.ts"

export class MessagesRelay extends EventRelay {
  readonly produced = new ProducedMessage()

  /** The last `message_delta`, and what followed it. */
  private held: Array<string> = []

  protected get isComplete(): boolean {
    return this.held.length > 0
  }

  protected lifecycle(data: string): string {
    if (this.held.length === 0) return frame(data)
    this.held.push(data)
    return ""
  }

  protected content(data: string): string {
    this.produced.add(data)
    return this.flush() + frame(data)
  }

  protected finish(data: string): string {
    const text = this.flush()
    this.held.push(data)
    return text
  }

  ending(metadata: RoutingMetadata, usage: Usage): string {
    const [last, ...rest] = this.held
    if (last === undefined) return ""
    const delta = JSON.parse(last) as JsonObject
    const told = (delta["usage"] as JsonObject | undefined) ?? wireUsage(usage)
    const complete = { ...delta, usage: { ...told, cost: costInUsd(metadata) }, gateway: gatewayObject(metadata) }
    return [JSON.stringify(complete), ...rest].map(frame).join("")
  }

  private flush(): string {
    if (this.held.length === 0) return ""
    const text = this.held.map(frame).join("")
    this.held = []
    return text
  }
}

const TYPE = /^\{\s*"type"\s*:\s*"([\w-]+)"/

/** Anthropic names each event by its type. */
const frame = (data: string): string => {
  const name = TYPE.exec(data)?.[1] ?? String((JSON.parse(data) as JsonObject)["type"])
  return `event: ${name}\ndata: ${data}\n\n`
}
