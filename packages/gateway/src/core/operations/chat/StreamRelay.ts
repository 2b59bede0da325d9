/**
 * Relays a streamed response. Its cost is known only at the end, so the last data event waits for the settlement: the usage
 * chunk if the caller asked for one, else the chunk with the `finish_reason`. `[DONE]` always follows.
 */
import type { JsonObject } from "../../domain/Json.ts"
import { EventRelay } from "../EventRelay.ts"
import { wireUsage } from "./ChatAnswerText.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { ProducedText } from "../ProducedText.ts"
import type { Usage } from "../../domain/Usage.ts"

/** The data of an event with which a response begins that has nothing to show yet. */
export const NOTHING_YET = "{}"

export class StreamRelay extends EventRelay {
  readonly produced = new ProducedText()

  private readonly includeUsage: boolean
  /** Events from the last finish chunk on, which all wait. */
  protected held: Array<string> = []
  private usageChunk: string | undefined
  private finished = false
  /** Choices that have not finished yet. */
  private unfinished: number

  constructor(includeUsage: boolean, choices: number) {
    super()
    this.includeUsage = includeUsage
    this.unfinished = choices
  }

  protected get isComplete(): boolean {
    // A provider may make fewer choices than were asked for: its end mark then shows that the response is complete.
    return this.finished && (this.unfinished <= 0 || this.done || this.usage !== undefined)
  }

  protected lifecycle(data: string): string {
    if (!this.finished) return frame(data)
    this.held.push(data)
    return ""
  }

  protected content(data: string, said?: string): string {
    this.finished = false
    this.produced.add(data, said)
    return this.flush() + frame(data)
  }

  protected finish(data: string): string {
    const text = this.flush()
    this.held.push(data)
    // Some providers put all content into the finish chunk.
    this.produced.add(data)
    this.finished = true
    this.unfinished--
    return text
  }

  protected override told(data: string): void {
    this.usageChunk = data
  }

  /** The held events, the last one with `gateway` and the cost, then the end mark. `usage`: an estimate, if none was reported. */
  last(gateway: JsonObject, cost: number | null, usage: JsonObject): string {
    const events = [...this.held]
    if (this.includeUsage) events.push(this.usageChunk ?? this.ownUsageChunk(usage))
    const last = JSON.parse(events.pop()!) as Record<string, unknown>
    if (this.includeUsage) last["usage"] = { ...(last["usage"] as JsonObject), cost }
    last["gateway"] = gateway
    return events.map(frame).join("") + frame(JSON.stringify(last)) + "data: [DONE]\n\n"
  }

  ending(metadata: RoutingMetadata, usage: Usage): string {
    return this.last(gatewayObject(metadata), costInUsd(metadata), wireUsage(usage))
  }

  private ownUsageChunk(usage: JsonObject): string {
    const { choices: _, usage: __, ...rest } = JSON.parse(this.held.at(-1)!) as Record<string, unknown>
    return JSON.stringify({ ...rest, choices: [], usage })
  }

  /** With several choices there are several finish chunks; only the last one is held. */
  private flush(): string {
    if (this.held.length === 0) return ""
    const text = this.held.map(frame).join("")
    this.held = []
    return text
  }
}

const frame = (data: string): string => `data: ${data}\n\n`
