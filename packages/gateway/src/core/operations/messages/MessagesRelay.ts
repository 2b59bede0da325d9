/**
 * Relays one streamed message. Its last `message_delta` waits for the settlement and tells the exact cost. Stop reasons and
 * `message_stop` are never invented.
 */
import type { JsonObject } from "../../domain/Json.ts"
import { type ProviderFailure, truncated } from "../../domain/Failures.ts"
import type { Usage } from "../../domain/Usage.ts"
import type { StreamEvent } from "../LiftedAnswer.ts"
import type { OperationStream } from "../Operation.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { ProducedMessage } from "./ProducedMessage.ts"
import { wireUsage } from "./WireUsage.ts"

/** After more unreadable events than this the stream is taken to be broken. */
const MAX_MALFORMED = 8

export class MessagesRelay implements OperationStream {
  started = false
  usage: Usage | undefined
  serviceTier: string | undefined
  failure: ProviderFailure | undefined
  readonly produced = new ProducedMessage()

  /** The last `message_delta`, and what followed it. */
  private held: Array<string> = []
  private done = false
  private malformed = 0

  get isOver(): boolean {
    return this.failure !== undefined || this.done
  }

  push(events: ReadonlyArray<StreamEvent>): string {
    let text = ""
    for (const event of events) {
      if (this.isOver) break
      switch (event.kind) {
        case "lifecycle":
          if (this.held.length > 0) this.held.push(event.data)
          else text += frame(event.data)
          break
        case "content":
          text += this.flush() + frame(event.data)
          this.started = true
          this.produced.add(event.data)
          break
        case "finish":
          text += this.flush()
          this.held.push(event.data)
          this.started = true
          break
        case "usage":
          this.usage = event.usage
          this.serviceTier = event.serviceTier
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
    if (this.held.length === 0) this.failure ??= truncated("the provider's stream ended before the answer did")
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
